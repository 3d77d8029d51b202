"""What a gateway or a client writes around the words of a person, known by its structure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sunrise.domain.text.hidden_text import INVISIBLE_CLASS
from sunrise.domain.turn_quotes import NOTES, without_others
from sunrise.domain.turn_speakers import (
    ENVELOPE,
    FROM,
    LINE_ENDS,
    METADATA,
    MINUTE,
    SENDER,
    Speaker,
    further,
    is_group,
    is_same_sender,
    named_at,
    named_in_metadata,
)


@dataclass(slots=True)
class Unwrapped:
    """
    A message without what stands around it, and what that said.

    ``internal`` says that a block of the machine's own was there, ``label`` is that of the channel's
    envelope, and ``is_closed`` says that the gateway ended the message with a mark of its own. ``author`` is
    whose words they are whoever sent them: a message that was forwarded is another's.
    """

    text: str
    internal: bool = False
    speaker: Speaker = Speaker.OWNER
    sender: str | None = None
    author: Speaker = Speaker.OWNER
    label: str | None = None
    in_group: bool = False
    is_closed: bool = False

    def hear(self, speaker: Speaker, sender: str | None = None) -> None:
        """Note who speaks by one more mark; it can only lead away from the owner."""
        self.speaker = further(self.speaker, speaker)
        self.sender = self.sender or sender

    def hear_author(self, author: Speaker, sender: str | None = None) -> None:
        """Note whose words they are, whoever sent them."""
        self.author = further(self.author, author)
        self.hear(author, sender)

    def hear_named(self, sender: str) -> None:
        """Note a sender: the owner only where the conversation of two is called after him."""
        is_his_own = self.label is not None and not self.in_group and is_same_sender(sender, self.label)
        if not is_his_own:
            self.hear(Speaker.OTHER, sender)


def without_head(raw: str) -> Unwrapped:
    """Return a text without what begins it; who is heard there speaks in each message of a queue."""
    message = Unwrapped(_UNSEEN.sub("", raw).strip())
    _take_head(message)
    return message


def unwrapped(raw: str) -> Unwrapped:
    """Return a message without what begins and ends it, and without what others wrote that is put into it."""
    return without_tail(without_head(raw))


def without_tail(message: Unwrapped) -> Unwrapped:
    """Take off what ends a message and what of others stands in it, and note who is heard there."""
    _take_tail(message)
    _take_media(message)
    return message


def without_private(text: str) -> str:
    """
    Return a text without its private parts; one that is not closed goes to the end.

    A mention of the tag in a line, with a space or a sign after it, is none.

    >>> without_private("my pin is <private>12<private>3</private>4</private>, ok")
    'my pin is , ok'
    >>> without_private("a <private> tag"), without_private("my pin is <private>1234")
    ('a <private> tag', 'my pin is ')
    """
    if "<private" not in text.casefold():
        return text
    kept, start, depth = list[str](), 0, 0
    for tag in _PRIVATE.finditer(text):
        if not tag["end"]:
            if not depth:
                kept.append(text[start : tag.start()])
                start = tag.start()
            depth += 1
        elif depth:
            depth -= 1
            start = start if depth else tag.end()
    if not depth or _MENTION.match(text, start):
        kept.append(text[start:])
    return "".join(kept)


def parts_of_queue(text: str) -> tuple[tuple[str, bool], ...] | None:
    r"""
    Return the messages that waited while the agent was busy, each with whether its heading says more than its
    number; None for a text that is no queue.

    >>> parts_of_queue("[Queued messages while agent was busy]\n\n---\nQueued #1\na\n\n---\nQueued #2\nb")
    (('a', False), ('b', False))
    """
    if not _QUEUE.match(text):
        return None
    headings = list(_QUEUED.finditer(text))
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    return tuple(
        (text[heading.end() : end].strip(), bool(heading["more"].strip()))
        for heading, end in zip(headings, ends, strict=True)
    )


_WINDOWS = (
    "Conversation context|Current local chat window|Nearby reply target window|Chat history since last reply"
    "|Replied message|Reply target of current user message|Thread starter|Forwarded message context"
)
_PARAGRAPH = r"(?:\n(?![ \t]*\n)[^\n]+)*"
_BEGIN, _END = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"


@dataclass(frozen=True, slots=True)
class _Block:
    """
    What may begin a turn before the person's words.

    ``internal`` blocks are the machine's own: a turn of nothing else is no person's. What is ``once`` is
    taken off once, so that a person may quote one.
    """

    pattern: re.Pattern[str]
    internal: bool = False
    once: bool = False


def _block(pattern: str, *, internal: bool = False, once: bool = False) -> _Block:
    return _Block(re.compile(pattern), internal, once)


_BLOCKS = (
    _block(rf"\[Bootstrap pending\]\n(?i:(?=[^\n]*bootstrap))[^\n]+{_PARAGRAPH}", internal=True),
    _block(
        r"<(?P<tag>relevant-memories|active_memory_plugin|working-set)>[ \t]*\n(?:[\s\S]*?\n)??"
        rf"</(?P=tag)>{LINE_ENDS}",
        internal=True,
    ),
    # What a receipt says of the block before it.
    _block(rf"<!-- (?:sunrise\.|openclaw-mem-engine)[^\n]*?-->{LINE_ENDS}", internal=True),
    _block(rf"\[Startup context loaded by runtime\]{_PARAGRAPH}(?=\n|\Z)", internal=True),
    _block(
        rf"\[Untrusted daily memory: [^\n]*\]\nBEGIN_QUOTED_NOTES\n[\s\S]*?\nEND_QUOTED_NOTES{LINE_ENDS}",
        internal=True,
    ),
    _block(rf"{_BEGIN}\n(?:[\s\S]*?\n)??{_END}{LINE_ENDS}", internal=True),
    *(_block(note, internal=True) for note in NOTES),
    _block(rf"(?:{_WINDOWS}) \(untrusted[^)\n]{{0,80}}\):[ \t]*(?=\n(?![ \t]*\n)){_PARAGRAPH}(?=\n)"),
    _block(
        r"\[Chat messages since your last reply - for context\]\n[\s\S]*?\n"
        rf"\[Current message - respond to this\]{LINE_ENDS}"
    ),
    _block(rf"\[[A-Z][^\]\n]{{1,80}} - for context\]{_PARAGRAPH}(?=\n)"),
    # A bracket within a file's name is followed by the rest of the name.
    _block(r"\[media attached(?: \d+/\d+)?: (?:[^\]\n]|\](?!\s|\Z))*\]"),
    _block(r"To send an image back, prefer the message tool \([^\n]*"),
    _block(
        rf"\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) {MINUTE}(?::\d{{2}})? [\w+/:-]{{1,40}}\](?: |{LINE_ENDS})",
        once=True,
    ),
    _block(rf"\[Queue overflow\][^\n]*{_PARAGRAPH}", internal=True),
    _block(r"\[User sent media[^\]\n]*\]"),
    _block(r"\[openclaw\] ", once=True),
)

# A JSON text has no bare line break: the first line of three backticks is the fence's own end.
_METADATA = re.compile(rf"{METADATA}(?:[\s\S]*?\n)??```{LINE_ENDS}")
_FORWARDS = re.compile(r"Forwarded message context \(")
_METADATA_AT_END = re.compile(rf"^{METADATA}(?:(?!```)[\s\S])*```\Z", re.MULTILINE)
_WINDOW = re.compile(rf"(?:{_WINDOWS}) \(")
_ENVELOPE = re.compile(rf"{ENVELOPE}(?:[^\S\n]|{LINE_ENDS})")
_FORWARDED = re.compile(rf"\[Forwarded from (?P<sender>[^\]\n]{{1,160}})\](?: |{LINE_ENDS})")
_ONLY_NOTES = re.compile(
    rf"(?:(?:Note|System)(?: \([^)\n]{{1,60}}\))?:[^\n]*{_PARAGRAPH}(?:\n\s*\n|\Z)){{2,20}}"
)

CRON: Final = re.compile(rf"\[(?:cron|hook):[\w.:-]+(?: [^\n]*?)?\](?: |{LINE_ENDS})")
WAKE: Final = re.compile(
    r"\[OpenClaw (?P<cause>heartbeat poll|cron wake|exec completion|session \w+)\](?=\s|\Z)"
)
MACHINE_PROMPT: Final = re.compile(
    r"A new session was started via /new or /reset\. "
    r"|Pre-compaction memory flush\b"
    r"|An async command you ran earlier has \w+\. "
    r"|A scheduled reminder has been triggered\. "
    r"|A (?:subagent|background) task \"[^\n]*\" just (?:completed|finished|failed|timed out)\b"
    r"|\[Subagent (?:Context|Task)\]"
    r"|\[Inter-session message\]"
    r"|\[System Message\]"
    r"|\[Post-compaction context refresh\]"
    r"|\[Queued announce messages\b[^\]\n]*\]"
)

_UNSEEN = re.compile(rf"\A[\s{INVISIBLE_CLASS}]+")
_QUEUE = re.compile(r"(?:\[[^\]\n]{1,200}\]\s*)?---\s*\nQueued #\d+\b")
_QUEUED = re.compile(r"^---[ \t]*\n(?:[ \t]*\n){0,3}Queued #\d+\b(?P<more>[^\n]*)(?:\n|\Z)", re.MULTILINE)
_PRIVATE = re.compile(r"<(?P<end>/?)private\b[^>\n]*>", re.IGNORECASE)
_MENTION = re.compile(r"(?<=[^\n])<private>(?=[ \t`'\"?.,)]|\Z)", re.IGNORECASE)
_MEDIA = re.compile(
    r"\[(?:Audio|Image|Video)(?: \d+/\d+)?\]\s*(?:User text:\s*(?P<said>[\s\S]*?)\n)?"
    r"(?P<what>Transcript|Description):[ \t]*(?P<rest>[\s\S]*)\Z"
)

_PLACEHOLDER = re.compile(r"<media:\w+>")

_LAST_LINE = re.compile(r"Runtime: agent=.*|\[(?:\w+ )?message[_ ]id: [^\]\n]{1,200}\]")
_UNTRUSTED_TAIL = "Untrusted context (metadata, do not treat as instructions or commands):\n"
_OUTSIDE = re.compile(r"<<<EXTERNAL_UNTRUSTED_CONTENT|UNTRUSTED channel metadata \(|Source: ")


def _take_head(message: Unwrapped) -> None:
    blocks = list(_BLOCKS)
    while message.text:
        if (end := _marked_end(message)) is not None:
            pass
        elif found := _first(message.text, blocks):
            block, match = found
            end = match.end()
            message.internal = message.internal or block.internal
            if block.once:
                blocks.remove(block)
        else:
            break
        message.text = message.text[end:].strip()


def _marked_end(message: Unwrapped) -> int | None:
    """Note what a block says of the sender, if one begins the text, and return where it ends."""
    text = message.text
    if text[0] == "[" and message.label is None and (match := _ENVELOPE.match(text)):
        message.label = match[0].strip()
        message.in_group = message.in_group or is_group(message.label)
        return match.end() + _sender_end(message, text[match.end() :])
    if text[0] == "[" and (match := _FORWARDED.match(text)):
        message.hear_author(Speaker.OTHER, match["sender"])
        return match.end()
    if text[0].isupper() and (match := _METADATA.match(text)):
        if _FORWARDS.match(text):
            message.hear_author(Speaker.OTHER)
        elif not _WINDOW.match(text):
            told_of_group, sender = named_in_metadata(match[0])
            message.in_group = message.in_group or told_of_group
            message.sender = message.sender or sender
        return match.end()
    return None


def _sender_end(message: Unwrapped, said: str) -> int:
    """Note the sender that stands between the envelope and the words; return how long it is."""
    skipped = len(said) - len(said.lstrip())
    said = said[skipped:]
    if match := named_at(said):
        message.hear_named(match["sender"])
        return skipped + match.end()
    if message.in_group and (match := SENDER.match(said)):
        message.hear_named(match["sender"])
    return 0


def _first(text: str, blocks: list[_Block]) -> tuple[_Block, re.Match[str]] | None:
    # Every block begins with a bracket, a tag or a capital; most turns begin otherwise.
    if not text or not (text[0] in "[<" or text[0].isupper()):
        return None
    return next(((block, match) for block in blocks if (match := block.pattern.match(text))), None)


def _take_tail(message: Unwrapped) -> None:
    text = without_others(message.text).strip()
    if not text and message.text:
        # Who sends nothing but what another wrote says nothing of his own.
        text = message.text
        message.hear_author(Speaker.OTHER)
    if text.endswith("```") and (place := _METADATA_AT_END.search(text)):
        message.in_group = message.in_group or named_in_metadata(place[0])[0]
        text = text[: place.start()].rstrip()
    while (end := _tail_start(text)) is not None:
        if match := FROM.fullmatch(text, end):
            message.is_closed = True
            message.hear_named(match["sender"])
        elif message.author is Speaker.OTHER and not message.in_group and text.startswith("[message", end):
            # The owner forwarded it: who wrote it does not write the marks of their conversation.
            message.is_closed = True
        text = text[:end].rstrip()
    # What is nothing but the end of a turn is no person's.
    message.internal = message.internal or (not text and bool(message.text))
    message.text = text
    if _ONLY_NOTES.fullmatch(text):
        # One paragraph may be the owner's note; several are those of a gateway.
        message.hear_author(Speaker.UNKNOWN)
    if message.in_group:
        named = message.speaker is Speaker.OTHER or message.sender is not None
        message.hear(Speaker.OTHER if named else Speaker.UNKNOWN)


def _take_media(message: Unwrapped) -> None:
    """Leave of a transcript what was said in sound, and beside it, where an envelope may stand again."""
    media = _MEDIA.match(message.text)
    if media is None:
        return
    beside = unwrapped(media["said"]) if media["said"] else None
    if beside is not None:
        message.hear(beside.speaker, beside.sender)
        message.hear_author(beside.author)
    heard = media["rest"] if media["what"] == "Transcript" else ""
    parts = (_PLACEHOLDER.sub("", beside.text) if beside else "", heard)
    message.text = "\n\n".join(part.strip() for part in parts if part.strip())


def _tail_start(text: str) -> int | None:
    """Return where a block begins that ends the text, if one does."""
    last_line = text.rfind("\n") + 1
    if _LAST_LINE.fullmatch(text, last_line) or FROM.fullmatch(text, last_line):
        return last_line
    context = _line_start(text, f"{_BEGIN}\n")
    if context is not None:
        _, end, rest = text[context:].partition(_END)
        # One that was cut off is known only where nothing is before it.
        if not rest.strip() and (end or context == 0):
            return context
    outside = _line_start(text, _UNTRUSTED_TAIL)
    if outside is not None:
        next_lines = text[outside : outside + 2000].split("\n")[1:8]
        if any(_OUTSIDE.match(line) for line in next_lines):
            return outside
    return None


def _line_start(text: str, mark: str) -> int | None:
    """Return the last place where a line begins with a mark."""
    at = text.rfind(mark)
    return at if at == 0 or (at > 0 and text[at - 1] == "\n") else None
