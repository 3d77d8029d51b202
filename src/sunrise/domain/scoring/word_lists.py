"""
The words of heuristic-v2, by signal and language.

English words stand for themselves only ("rule" is not in "ruler"); those of languages without spaces are
looked for as parts of a text. A text is searched for all languages at once, as agents mix them.
"""

from __future__ import annotations

ENGLISH: dict[str, tuple[str, ...]] = {
    "policy": (
        "prefer",
        "prefers",
        "preferred",
        "preference",
        "preferences",
        "always",
        "never",
        "must",
        "mustn't",
        "should",
        "shouldn't",
        "do not",
        "don't",
        "required",
        "policy",
        "policies",
        "hard requirement",
        "as a rule",
        "rule is",
        "house rule",
        "house rules",
        "new rule",
        "our rule",
        "our rules",
        "hard rule",
        "standing rule",
    ),
    "decision": (
        "decide",
        "decides",
        "decided",
        "decision",
        "decisions",
        "chose",
        "chosen",
        "we will",
        "we'll",
        "mvp",
        "scope",
        "architecture",
    ),
    "made": ("create", "created", "creates", "added", "set up", "setup"),
    "made_thing": ("repo", "repos", "repository", "cron", "jobid", "github.com"),
    "command": ("uv run", "python -m", "openclaw", "openclaw-mem"),
    "runbook": (
        "cron",
        "crontab",
        "tz",
        "how to",
        "runbook",
        "uv run",
        "python -m",
        "openclaw",
        "every day",
        "every night",
        "every morning",
        "every evening",
        "every week",
        "every month",
        "every hour",
        "every minute",
    ),
    "incident": (
        "error",
        "errors",
        "failed",
        "fails",
        "failure",
        "failures",
        "exception",
        "exceptions",
        "traceback",
        "timeout",
        "timeouts",
        "timed out",
        "rate_limit",
        "rate limit",
        "rate limited",
        "unauthorized",
        "forbidden",
        "crash",
        "crashed",
        "outage",
    ),
    "fix": (
        "root cause",
        "root-cause",
        "fixed by",
        "workaround",
        "mitigation",
        "mitigated by",
        "resolved by",
    ),
    "deadline": ("today", "tonight", "tomorrow", "eod", "before", "this week", "next week"),
    "chatter": ("lol", "haha", "thanks", "thank you", "thx", "ok", "got it", "nice"),
    "progress": ("done", "finished", "completed", "pushed", "merged", "wip"),
    "calendar": ("meeting", "call", "appointment"),
}

TRADITIONAL: dict[str, tuple[str, ...]] = {
    "policy": (
        "偏好",
        "規則",
        "一定",
        "必須",
        "務必",
        "不要",
        "不得",
        "請勿",
        "禁止",
        "總是",
        "永遠",
        "一律",
        "原則",
        "硬性",
        "需求",
        "不做",
        "不改",
    ),
    "decision": ("決定", "選擇", "採用", "改用", "定案", "方案", "架構", "範圍"),
    "runbook": ("排程", "定時", "步驟", "每天", "每日", "每週", "每月", "每小時"),
    "incident": ("錯誤", "失敗", "異常", "逾時", "崩潰", "當機", "故障", "報錯"),
    "fix": ("根本原因", "根因", "解法", "解決方法", "修正方式", "原因是"),
    "deadline": ("今天", "明天", "後天", "今晚", "之前", "本週", "下週"),
    "chatter": ("謝謝", "感謝", "哈哈", "辛苦了", "收到，", "收到。", "收到！", "收到了", "收到謝"),
    "progress": ("已完成", "做完了", "搞定", "已合併", "已推送", "進行中"),
    "calendar": ("開會", "會議", "約"),
    "task": ("要做", "待辦"),
}

SIMPLIFIED: dict[str, tuple[str, ...]] = {
    "policy": (
        "规则",
        "必须",
        "务必",
        "请勿",
        "总是",
        "永远",
        "原则",
    ),
    "decision": ("决定", "选择", "采用", "定案", "架构", "范围"),
    "runbook": ("定时", "步骤", "每周", "每小时"),
    "incident": ("错误", "失败", "异常", "超时", "崩溃", "宕机", "死机", "报错"),
    "fix": ("解决方法", "解决办法"),
    "deadline": ("后天", "本周", "下周"),
    "chatter": ("谢谢", "感谢", "收到谢"),
    "progress": ("已合并", "进行中"),
    "calendar": ("开会", "会议", "约"),
    "task": ("待办",),
}

JAPANESE: dict[str, tuple[str, ...]] = {
    "policy": (
        "必ず",
        "必須",
        "常に",
        "絶対に",
        "てはいけない",
        "ないでください",
        "べきです",
        "方針",
        "ルール",
        "好み",
    ),
    "decision": ("決定", "決めた", "決めました", "採用", "選択", "アーキテクチャ"),
    "runbook": ("毎日", "毎朝", "毎晩", "毎週", "毎月", "毎時", "手順", "定期的に"),
    "incident": ("エラー", "失敗", "例外が", "タイムアウト", "障害", "異常", "クラッシュ", "不具合"),
    "fix": ("原因は", "対処", "回避策", "解決策"),
    "deadline": ("今日", "明日", "までに", "今週", "来週"),
    "chatter": ("ありがとう", "了解です", "了解しました", "お疲れ"),
    "progress": ("完了", "終わりました", "マージしました", "進行中"),
    "calendar": ("会議", "打ち合わせ", "ミーティング"),
    "task": ("やること", "要対応"),
}


def unspaced(signal: str) -> tuple[str, ...]:
    """
    Return a signal's words in the languages without spaces, each once.

    >>> unspaced("task")
    ('要做', '待辦', '待办', 'やること', '要対応')
    """
    lists = (TRADITIONAL, SIMPLIFIED, JAPANESE)
    return tuple(dict.fromkeys(word for words in lists for word in words.get(signal, ())))
