"""
The words of Chinese that say nothing about what a text is about: those of questions and of grammar.

Chinese has no spaces, so they are looked for in a run of characters, the longest first. Some of their
characters are parts of other words too (目的, 了解, 存在): those are listed as well, and stay what they are.
All are in Simplified characters, as the analysis makes them.
"""

from __future__ import annotations

import re

_FUNCTION_WORDS = """
    什么 什么样 甚么 啥 哪 哪个 哪些 哪里 哪儿 哪边 哪位 哪几 哪天 谁 谁的 怎么 怎么样 怎样 怎么了 如何 为什么
    为何 为啥 多少 多久 几个 几点 几时 何时 什么时候 什么事 什么事情 有什么 是什么 做什么 做了什么 做过什么
    做了哪些 做了啥 做啥 干什么 干了什么 干了啥 干嘛 说什么 说了什么 说过什么 讲什么 讲了什么 聊什么 聊了什么
    聊到什么 谈什么 谈了什么 提到什么 发生 发生了 发生过 发生什么 发生了什么 发生过什么 事情 什么事儿 有没有
    是不是 会不会 能不能 可不可以 要不要 是否 有无 吗 呢 吧 嘛 呀 啊 啦 喔 哦 么 呐 的 了 过
    我 你 您 他 她 它 我们 你们 他们 她们 它们 咱 咱们 我的 你的 我们的
    这 那 这个 那个 这些 那些 这里 那里 这边 那边 这样 那样 那天 当天 这天 那时 当时 那时候 的时候 那件事
    哪件事 是 在 有 和 跟 与 或 把 被 让 给 也 都 就 又 还 才 再 很 而 且 但 个 些 们
    因为 所以 如果 但是 而且 还是 或者 以及 关于 之后 之前 以前 以后 曾经 一下 一些 还有 那么 这么 到底 究竟
    请 请问 告诉 告诉我 记得 还记得 记不记得 知道 想知道 说一下
    """

_OTHER_WORDS = """
    目的 的士 的确 标的 了解 了结 罢了 了不起 为了 过敏 过期 过滤 过程 过年 过夜 过户 通过 经过 超过 路过 难过
    过度 过生日 过节 过道 自我 我国 其他 他人 吉他 存在 现在 在线 在家 在职 所在 内在 正在 有限 有效 有趣 有空
    有名 有机 有钱 有毒 有声 有用 有料 有害 有氧 拥有 所有 没有 只有 私有 国有 富有 含有 持有 公有 和平 和解
    和服 和牛 和谐 和室 温和 暖和 总和 饱和 共和 跟踪 跟进 参与 与会 赠与 把手 把关 被子 被套 被单 棉被 让步
    转让 给予 供给 补给 都市 首都 成都 京都 就业 就医 就诊 就读 就绪 还款 还书 还价 归还 偿还 还原 才能 才华
    人才 再生 再版 再见 很多 个人 个性 个体 个税 个展 请假 请客 申请 邀请 请求 聘请 请柬 请帖 是非 酒吧 网吧
    贴吧 吧台 但丁 而立 知道了
    """


def function_characters(run: str) -> frozenset[int]:
    """
    Return the places of the characters in a run that belong to such words.

    A run with kana is Japanese, where the same characters are other words.

    >>> sorted(function_characters("我们了解什么"))
    [0, 1, 4, 5]
    """
    if _KANA.search(run):
        return frozenset()
    found: list[int] = []
    at = 0
    while at < len(run):
        word = next((word for word in _BY_FIRST.get(run[at], ()) if run.startswith(word, at)), run[at])
        if word in _FUNCTION:
            found += range(at, at + len(word))
        at += len(word)
    return frozenset(found)


def _by_first(words: set[str]) -> dict[str, tuple[str, ...]]:
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return {
        first: tuple(word for word in ordered if word[0] == first) for first in {word[0] for word in words}
    }


_KANA = re.compile(r"[\u3041-\u30ff]")
_FUNCTION = frozenset(_FUNCTION_WORDS.split())
_BY_FIRST = _by_first({*_FUNCTION, *_OTHER_WORDS.split()})
