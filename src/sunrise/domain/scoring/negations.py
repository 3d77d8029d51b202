"""
What heuristic-v2 does not look at: negations, and longer words that only hold one of its words.

Each pattern comes with hints; it is tried only where one of them is in the lowered text.
"""

from __future__ import annotations

import re


def _either(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.ASCII)


_FAILURE = (
    r"(?:errors?|fails|failures?|exceptions?|crash(?:es)?|timeouts?|outages?|(?:failed|error)"
    r" (?:tests?|jobs?|runs?|rows?|checks?|requests?))"
)
NO_FAILURE = _either(
    rf"\b(?:no|without|zero|0|free of|never any)(?: (?:a|an|any|more|new|further|known|single|other|such))*"
    rf" {_FAILURE}(?:(?:,| or| and|/)+ ?{_FAILURE})*\b",
    r"\b(?:not|never|hasn't|haven't|didn't|doesn't|won't)(?: been)? (?:failed|fails|crashed|timed out)\b",
    r"\b(?:errors|failures|failed|crashes|timeouts)(?: ?[:=] ?| )0\b|\b(?:0|none) failed\b",
    r"\berror-free\b|\bwith the exception of\b",
    r"(?:沒有|没有|沒|没|無|无|未|零|並無|毫無|毫无|不會|不会)(?:任何|出現|出现|發生|发生|發現|发现|見|见|再|其他|其它)*"
    r"(?:錯誤|失敗|異常|逾時|崩潰|當機|故障|報錯|错误|失败|异常|超时|崩溃|宕机|死机|报错)",
    r"(?:エラー|失敗|例外|タイムアウト|障害|異常|クラッシュ|不具合)(?:は|が|も)?(?:一切)?"
    r"(?:なし|無し|なく|ない|なかった|ありません|せず|しない|しませんでした|しなかった|出ていません|発生していません|ゼロ)",
)
NO_POLICY = _either(
    r"\b(?:not|isn't|aren't|wasn't|no longer|never|as|if|where|when) (?:strictly )?required\b",
    r"\bnever ?mind\b|\balways-on\b|\bno (?:preference|preferences|policy|policies)\b",
    r"\b(?:mercy|slide|chain|product|quotient|power|golden) rule:?",
    r"\bshould (?:now )?(?:be (?:fine|ok|okay|good|done|ready|enough)|work|do|suffice)\b",
    r"不一定|不必須|非必須|不必须|非必须|不要緊|不要紧|要不要|不得不|不得已|不規則|不规则|無規則|无规则|一定程度|一定的|沒有需求|没有需求|無需求|无需求",
    r"必ずしも|必須では(?:ない|ありません|なく)|必須ではな",
)
NO_DECISION = _either(
    r"\b(?:not|never|hasn't|haven't|didn't|don't|to be|yet to|can't|cannot)(?: been| yet)?"
    r" (?:decided?|chosen)\b",
    r"\bno decisions?\b|\bout of scope\b",
    r"(?:還沒|还没|沒有|没有|尚未|未|沒|没|無法|无法|難以|难以)(?:做出|作出|有)?(?:決定|决定|定案|選擇|选择)|別無選擇|别无选择",
    r"未決定|決定して(?:いない|いません)",
)
NO_FIX = _either(
    r"\b(?:no|without a|without any) (?:known )?(?:workaround|mitigation|root cause)\b",
    r"\b(?:unknown root cause|root cause(?: is)?(?: still)? unknown)\b",
    r"(?:沒有|没有|無|无|尚無|尚无)(?:解法|解決方法|解决方法|解决办法)|(?:回避策|解決策)(?:は|が)?(?:なし|ない|ありません)|原因は不明",
)
NO_CHATTER = _either(
    r"\b(?:200|http|status:?|is|are|was|not|exit|all|returns?|returned) ok\b|\bok[:=]",
    r"\bnice to have\b|\bnice -n\b|\bthanks to\b|感謝狀|感谢信",
)
NO_PROGRESS = _either(
    r"\b(?:not|isn't|never|to be|be|get|getting|yet|half) (?:yet )?"
    r"(?:done|finished|completed|merged|pushed)\b",
    r"未完了|完了して(?:いない|いません)|完了していな|完了した(?:ら|時)",
)
NO_CALENDAR = _either(
    r"\b(?:function|api|system|tool|rpc|http) call\b"
    r"|\bcall(?: back)? (?:the|to|it|this|that|out|stack|site)\b",
    r"大約|契約|節約|約定|條約|合約|制約|簽約|隱約|公約|紐約|約束|約略|約莫|約等於|約 ?[0-9]",
    r"大约|契约|节约|约定|条约|合约|制约|签约|隐约|公约|纽约|约束|约略|约莫|约等于|约 ?[0-9]|予約語|要約",
)
NO_TASK = _either(r"(?:不|只|需|想|主|重|必)要做")

BLIND: dict[str, tuple[re.Pattern[str], tuple[str, ...]]] = {
    "policy": (
        NO_POLICY,
        (
            "required",
            "never",
            "always-on",
            "no p",
            " rule",
            "should ",
            "一定",
            "必須",
            "必须",
            "不要",
            "要不",
            "不得",
            "規則",
            "规则",
            "需求",
            "必ずしも",
        ),
    ),
    "decision": (NO_DECISION, ("decide", "decision", "chosen", "out of scope", "定", "選擇", "选择")),
    "incident": (
        NO_FAILURE,
        (
            "no ",
            "without ",
            "zero ",
            "0 ",
            "s 0",
            "d 0",
            ":0",
            ": 0",
            "=0",
            "= 0",
            "free of ",
            "not ",
            "never ",
            "n't ",
            "none ",
            "error-free",
            "exception of",
            "沒",
            "没",
            "無",
            "无",
            "未",
            "零",
            "不會",
            "不会",
            "なし",
            "なく",
            "ない",
            "なかった",
            "ありません",
            "いません",
            "せず",
            "ませんでした",
            "ゼロ",
        ),
    ),
    "fix": (
        NO_FIX,
        ("no ", "without ", "unknown", "沒有", "没有", "無", "无", "なし", "ない", "ありません", "不明"),
    ),
    "chatter": (NO_CHATTER, ("ok", "nice ", "thanks to", "感謝狀", "感谢信")),
    "progress": (
        NO_PROGRESS,
        ("done", "finished", "completed", "merged", "pushed", "未完了", "完了し", "尚未"),
    ),
    "calendar": (NO_CALENDAR, ("call", "約", "约")),
    "task": (NO_TASK, ("要做",)),
}
"""What is not looked at by signal, and the hints for it."""
