"""Tell which part of the working set a text belongs to, by what it was filed under and by its wording."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

from sunrise.domain.text.analysis import analyze
from sunrise.domain.text.han_folding import fold_han
from sunrise.domain.text.hidden_text import unveiled
from sunrise.domain.text.stop_words import STOP_WORDS


class Section(StrEnum):
    """The parts of a working set, in the order in which they are told."""

    GOAL = "goal"
    CONSTRAINTS = "constraints"
    DECISIONS = "decisions"
    NEXT_ACTIONS = "next_actions"
    OPEN_QUESTIONS = "open_questions"


def section_of(text: str, category: str | None = None) -> Section | None:
    """
    Return where a text belongs, or None: what merely is so belongs nowhere.

    What is asked or left open is a question and what says so is a goal or a task, whatever it was filed as.
    Then the category counts, then the wording.

    >>> [str(section_of(text)) for text in ("部署前一律先備份", "尚未決定資料庫", "TODO: pay rent")]
    ['constraints', 'open_questions', 'next_actions']
    >>> str(section_of("We decided on SQLite.")), section_of("Dana lives in Brno.")
    ('decisions', None)
    """
    plain = _plain(text)
    for section, pattern in _SAID_OUTRIGHT:
        if pattern.search(plain):
            return section
    if category in _OF_CATEGORY:
        return _OF_CATEGORY[category]
    return next((section for section, pattern in _SAID if pattern.search(plain)), None)


def says_done(text: str) -> bool:
    """
    Return whether a text says that something is done.

    >>> [says_done(text) for text in ("Done: renewed the domain", "網域已經續約完成了", "not done yet")]
    [True, True, False]
    """
    return _DONE.search(_plain(text)) is not None


def is_open_task(text: str, category: str | None = None) -> bool:
    """
    Return whether a text is a task, by what it was filed under or by a plain mark, and is not done.

    >>> [is_open_task(text) for text in ("TODO: pay rent", "[x] pay rent", "待辦：續約網域", "We pay rent")]
    [True, False, True, False]
    """
    plain = _plain(text)
    is_task = _OF_CATEGORY.get(category or "") is Section.NEXT_ACTIONS or _TASK.search(plain) is not None
    return is_task and _DONE.search(plain) is None


def says_changed(text: str) -> bool:
    """
    Return whether a text says that something takes the place of something else.

    >>> says_changed("Deploy with Nomad instead of Kamal"), says_changed("快取改用 Valkey")
    (True, True)
    """
    return _CHANGE.search(_plain(text)) is not None


def subject_of(text: str) -> frozenset[str]:
    """
    Return the telling terms of a text: what it is about, without what it says of that.

    Figures, wishes, denials and words of deciding are left out, so that two texts of one subject that demand
    different things of it have the same terms. A number that names something is part of its name.

    >>> subject_of("We decided to keep 7 backups") == subject_of("Never keep 14 backups!")
    True
    >>> subject_of("server 1 must run nginx") == subject_of("server 2 must run nginx")
    False
    """
    bare = _WORDS_OF_FORM.sub(" ", _NAMING_NUMBER.sub(r" n\1 ", _plain(text)))
    terms = {term for term in analyze(bare) if term not in STOP_WORDS and not term[0].isdigit()}
    # Of writing without spaces the pairs tell; a single character is in a hundred words.
    telling = frozenset(term for term in terms if len(term) > 1)
    return telling or frozenset(terms)


@lru_cache(maxsize=64)
def _plain(text: str) -> str:
    return unveiled(text).replace("’", "'")


def _any_of(*parts: str) -> re.Pattern[str]:
    return re.compile(fold_han("|".join(parts)))


_OPEN = _any_of(
    r"\?[\"')\]」』]*\s*$",
    r"\b(?:tb[dc]|to be (?:decided|determined|confirmed|discussed|agreed)|open (?:question|issue|point)"
    r"|undecided"
    r"|unresolved|not (?:yet )?(?:been )?(?:decided|agreed|settled|clear)|still (?:unclear|open|deciding"
    r"|undecided)"
    r"|unclear (?:whether|if|how|who|when|what)|(?:have|has)(?:n't| not)(?: yet)? (?:decided|agreed)"
    r"|need to decide|pending (?:decision|confirmation|approval))\b",
    r"待(?:確認|定(?!期)|討論|決定?|釐清)|未定|尚未(?:決定|確認|確定|定案)|還不(?:知道|清楚|確定)"
    r"|還沒有?(?:定(?!期)|決定|確認|確定|定案"
    r"|想好|說好)"
    r"|不確定(?!性)|有待|[嗎吗][。!]*$",
    r"未決|要確認|要検討|検討中|保留中|(?:決まって|決めて)(?:い)?(?:ない|ません)|かどうか(?:は"
    r"|が)?(?:わから|不明|未)"
    r"|(?:です|ます|でしょう|だろう|ません)か[。]?$",
    r"미정|미확정|확인 ?필요|검토 ?중|아직 (?:안 )?(?:정하지|정해지지|결정하지|결정되지)|(?:까요?|나요)[.]*$",
)
_GOAL = _any_of(
    r"^\W*(?:(?:the|our|my|current|main|overall|project|sprint|team|next|this (?:week|month|year|quarter)'s"
    r"|today's) )*(?:goal|objective|aim|mission|milestone)s?\b(?: (?:for|of) [^:]{1,40}?)?\s?(?:is|are|:|-"
    r"|=)",
    r"\b(?:we|i)(?:'re| are|'m| am) (?:currently |now )?working (?:on|towards?)\b",
    r"^\W*(?:(?:我們?|目前|當前|本週|本月|今年|這次|專案|項目|主要|短期|長期|團隊)的?)*目標(?:是|為|:)",
    r"^\W*(?:(?:今|今回|今週|今月|当面|プロジェクト|私たち)の)*(?:目標|目的|ゴール)(?:は|:)",
    r"^\W*(?:(?:우리의?|현재|이번 ?(?:주|달)?|프로젝트) ?)*목표(?:는|은|:)",
)
_TASK = _any_of(
    r"^\W*\[[ x✓✔]?\]\s",
    r"^\W*(?:todo|to-do|task|action item|next (?:step|action|up|task)|follow[- ]?up)s?\b(?: (?:is"
    r"|are))?\s*[:\-—)\]]",
    r"^\W*(?:next,? (?:we|i) (?:need|have|will|should|must)|the next (?:step|action) is)\b",
    r"^\W*(?:待辦(?:事項)?|代辦|下一步|接下來|行動項目|後續動作)(?:[:是要]|\s|，|,)",
    r"^\W*(?:やること|タスク|次の(?:ステップ|作業|タスク)|残(?:作業|タスク)|要対応|次[には](?!する))",
    r"^\W*(?:할 ?일|다음 ?(?:단계|작업|할 ?일)|다음으로)",
)
_WEAK_TASK = _any_of(
    r"\b(?:remember to|remind me to|don't forget to|still (?:needs?|have|has) to|needs? to be (?:done|fixed"
    r"|updated"
    r"|written|added|checked|renewed|replaced))\b|^(?:i|we) (?:need|have|got) to\b",
    r"記得(?:要)?(?!我)|別忘了?|還要|還沒做|尚未完成|需要(?:補|修|更新|處理)",
    r"忘れずに|しておく(?:こと|必要)?|する予定|やらないと",
    r"잊지 ?말고|해야 ?할|할 ?예정",
)
_DECISION = _any_of(
    r"^\W*(?:agreed|decided|settled)\s?[:-]\s",
    r"\b(?:decided|decision|agreed (?:to|on|that)|chose|chosen|picked(?! up)|final (?:call|choice"
    r"|answer)|settled on|opted (?:for|to)|we(?:'ll"
    r"| will) use"
    r"|going with|let's use|went with|(?:standardi[sz]ed|switched|moved) (?:on|to)|from now on)\b",
    r"決定|採用|選用|選定|改用|改成|改為|定為|敲定|拍板|定案|結論是|統一用|說好|約定|(?:最後|最終"
    r"|一致)選擇了?|同意(?:把|將|由|改|在|讓)",
    r"決め(?:た|ました)|ことに(?:した|しました|なった|なりました)|に変更(?:した|しました|する)|を選(?:んだ"
    r"|びました|択)",
    r"결정|기로 ?(?:했|하였|합의|정)|하기로|채택|정했|선택했|합의",
)
_CONSTRAINT = _any_of(
    r"\b(?:must(?! have been)|never|always|do not(?! forget)|don't(?! forget)|only \w+ (?:may|can|should"
    r"|must)\b|mustn't|must not|required|mandatory|forbidden"
    r"|prohibited"
    r"|not allowed|at all times|no exceptions?|only ever|under no circumstances|rule(?: of thumb)?:)",
    r"一律|必須|務必|不要(?!忘)|不得|每次.{0,14}(?:都要|都得|先)|禁止|嚴禁|切勿|請勿|絕不|絕對不|永遠不?"
    r"|從不|不准|不許|不可以?|不能|只能"
    r"|一定要|總是|規則[是:]",
    r"必ず|絶対に?|常に|いつも|してはいけ(?:ない|ません)|てはなら(?:ない|ず)|なければ(?:ならない|なりません"
    r"|いけ)|ないこと|ないで(?:ください)?"
    r"|厳禁|必須|べき",
    r"반드시|항상|절대|금지|무조건|하지 ?(?:마|말)|해야 ?(?:한다|합니다|해|됩니다|만)|안 ?(?:된다|됩니다"
    r"|돼)|필수|늘 ",
)
_DONE = _any_of(
    r"^\W*\[[x✓✔]\]|^\W*(?:done|finished|completed|fixed|closed|resolved|shipped)\b\s*[:\-—,!]"
    r"|[(\[]done[)\]]|✅|\bdone[.!]*$(?<!not done)",
    r"\b(?:is|are|was|were|been|got|all|already|i|we|i've|we've) (?:now |just |finally |already )?(?:done"
    r"|finished"
    r"|completed|fixed|closed|resolved|shipped|merged|deployed|renewed)\b",
    r"已經?(?:完成|處理|修好|修復|做完|解決|上線|合併|結案|續約)|(?:完成|做完|做好|處理好|修好|解決)了|搞定",
    r"完了(?!したら|する|次第|予定|して(?:い)?ない|しません)|済み(?!ません)|終わ(?:った|りました)(?!ら)"
    r"|できました|対応済",
    r"완료(?!하면|되면|할|예정|하지)|끝났|끝냈|마쳤|해결(?:했|됐|되었)",
)
_CHANGE = _any_of(
    r"\b(?:instead|no longer|any ?more|(?:switch|mov|migrat|chang)(?:e|ed|es|ing)? (?:.{1,30} )?(?:from|to"
    r"|away|over)"
    r"|switched|replac(?:e|es|ed|ing)|supersed|rather than|drop(?:s|ped|ping)?|revers|scrap)",
    r"改(?:成|用|為|到|由|採)|不再|取代|換成|換用|而不是|代替|推翻|取消",
    r"に変更|に変え|に切り替え|の代わり|ではなく|をやめ|廃止",
    r"대신|변경|바꾸|바꿨|전환|더 ?이상|폐지",
)

_SAID_OUTRIGHT: Final = (
    (Section.OPEN_QUESTIONS, _OPEN),
    (Section.GOAL, _GOAL),
    (Section.NEXT_ACTIONS, _TASK),
)
_SAID: Final = (
    (Section.DECISIONS, _DECISION),
    (Section.CONSTRAINTS, _CONSTRAINT),
    (Section.NEXT_ACTIONS, _WEAK_TASK),
)
_OF_CATEGORY: Final = {
    "preference": Section.CONSTRAINTS,
    "constraint": Section.CONSTRAINTS,
    "rule": Section.CONSTRAINTS,
    "decision": Section.DECISIONS,
    "todo": Section.NEXT_ACTIONS,
    "task": Section.NEXT_ACTIONS,
    "goal": Section.GOAL,
    "question": Section.OPEN_QUESTIONS,
}

_NAMING_NUMBER = _any_of(
    r"(?:\b(?:server|node|host|worker|machine|shard|replica|phase|step|stage|sprint|room|team|floor|door"
    r"|issue"
    r"|ticket|task|pr|bug|release|version|chapter|line|week|number|no|disk|camera|sensor|plan|option"
    r"|level)s?\.? ?#?"
    r"|[第房樓號] ?)(\d+)"
)
_WORDS_OF_FORM = _any_of(
    r"[一二兩三四五六七八九十百千]+(?=[天日週月年個次點分秒人份元])",
    r"\b(?:we|i|us|our|my|you|please|decided|decision|agreed|chose|chosen|settled|opted|will|shall|should"
    r"|must"
    r"|never|always|not|don't|do|mustn't|required|forbidden|allowed|uses?|using|used|going|with|let's"
    r"|from now on"
    r"|todo|to-do|task|next steps?|action item|done|finished|completed|fixed|closed|resolved|shipped|merged"
    r"|need"
    r"|needs|have|has|remember|question|open|tb[dc]|which|what|who|when|how|whether|instead|no longer"
    r"|any ?more"
    r"|switch(?:ed)?|mov(?:e|ed)|replaced?|chang(?:e|ed)|goal|now|only)\b",
    r"我們?|決定|採用|選用|改用|改成|改為|定為|一律|必須|務必|不要|不得|禁止|一定要|總是|不再|使用|待辦"
    r"|下一步|已經?|完成|了|請|記得|待確認"
    r"|尚未|還沒|未定|是否|哪個?|什麼|[嗎吗用是的]",
    r"決め(?:た|ました)|ことに(?:した|しました|する)|必ず|絶対に?|常に|いつも|使う|使わない|です|ます|する"
    r"|しない|こと|次に|やること|完了|済み|どの",
    r"결정(?:했다|했습니다)?|하기로 ?(?:했다|했습니다|함)?|반드시|항상|절대로?|금지|사용|다음|할 ?일|완료"
    r"|미정|어떤",
)
