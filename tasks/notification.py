"""Messages to the operator: only when something needs a look."""

from __future__ import annotations

from collections.abc import Sequence

from sunrise.domain.receipts import RunReceipt, RunStatus

_LOUD = (RunStatus.ANOMALY, RunStatus.FAILED)


class AppriseNotifier:
    """Sends through the channels that Apprise knows (mail, chat, push), by their URLs."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._urls = tuple(urls)

    def notify(self, *, title: str, body: str) -> bool:
        """Send one message; False when no channel took it."""
        if not self._urls:
            return False
        from apprise import Apprise

        channels = Apprise()
        for url in self._urls:
            channels.add(url)
        return bool(channels.notify(title=title, body=body))


def message_for(receipt: RunReceipt) -> tuple[str, str] | None:
    """Return title and body for a run that needs a look, or None for one that does not."""
    if receipt.status not in _LOUD:
        return None
    lines = [f"{anomaly.code}: {anomaly.message}" for anomaly in receipt.anomalies]
    if receipt.reason:
        lines.insert(0, f"reason: {receipt.reason}")
    lines.append(f"run: {receipt.run_id}")
    return f"sunrise {receipt.flow}: {receipt.status}", "\n".join(lines)
