"""The table of what a text looks like that speaks to the model instead of telling it something."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from sunrise.domain.text.han_folding import fold_han


class PayloadReason(StrEnum):
    """Why a text looks like a payload."""

    INSTRUCTION_OVERRIDE = "instruction_override"
    PROMPT_EXTRACTION = "prompt_extraction"
    ROLE_MARKER = "role_marker"
    TOOL_CALL_SYNTAX = "tool_call_syntax"
    HIDDEN_TEXT = "hidden_text"
    HOMOGLYPHS = "homoglyphs"
    MEMORY_DIRECTIVE = "memory_directive"
    CLAIMS_AUTHORITY = "claims_authority"
    ENCODED_PAYLOAD = "encoded_payload"
    OVERSIZED = "oversized"


@dataclass(frozen=True, slots=True)
class Rule:
    """
    One row of the table, for texts that were unveiled.

    ``pattern`` is tried only where one of ``hints`` stands in the text; a blank in a hint is any signs
    between two words. ``for_owner`` says that no honest words of the owner match.
    """

    reason: PayloadReason
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    for_owner: bool = False


# What a lookbehind holds stays: it must have one width.
_SHORTHAND = re.compile(r"\(\?<![^)]*\)| \?|[ ~]")
_LONGHAND = {" ": r"[\W_]{1,8}", " ?": r"[\W_]{0,8}", "~": r"(?:[^.!?\n。！？]|\.(?=\w)){0,40}?"}


def rule(reason: PayloadReason, hints: str, *patterns: str, for_owner: bool = False) -> Rule:
    """
    Return the row of what is written in shorthand.

    In a pattern a space is any few signs between words, and a tilde a gap within a sentence.
    Hints stand in one text, and ``_`` is the space in them.
    """
    source = "|".join(f"(?:{pattern})" for pattern in patterns)
    source = _SHORTHAND.sub(lambda found: _LONGHAND.get(found[0], found[0]), source)
    pattern = re.compile(fold_han(source), re.MULTILINE)
    return Rule(reason, tuple(hint.replace("_", " ") for hint in fold_han(hints).split()), pattern, for_owner)


_OVERRIDE, _EXTRACTION = PayloadReason.INSTRUCTION_OVERRIDE, PayloadReason.PROMPT_EXTRACTION
_MARKER, _TOOL_CALL = PayloadReason.ROLE_MARKER, PayloadReason.TOOL_CALL_SYNTAX
_DIRECTIVE, _AUTHORITY = PayloadReason.MEMORY_DIRECTIVE, PayloadReason.CLAIMS_AUTHORITY

# Where an order begins: at the start of a sentence or a quotation, or after a word that asks for it.
_ORDER = (
    r"(?:(?:^|[.!?;:,\n\"'“”‘’「『(>*\-=。！？，：])\s{0,3}"
    r"|\b(?:and|then|please|pls|now|must|shall|should|will|you to|kindly|immediately|also|just|instead|always"
    r"|can you|could you|would you|next|finally|first|is to|or)[\W_]{1,3})"
)
_NOT_NEGATED = r"(?<!not )(?<!never )(?<!n't )(?<!n’t )(?<!cannot )\b"
_DROP = (
    r"(?:ignore|disregard|forget(?: about)?|overlook|discard|bypass|override|overrule|abandon|neglect|disobey"
    r"|(?:do not|don.?t|stop|no longer|never) (?:follow|obey|heed|adhere to|comply with|listen to)(?:ing)?"
    r"|stop (?:following|obeying)|pay no attention to|set aside|throw (?:away|out)|erase|wipe)"
)
_EACH = (
    r"(?:(?:all|any|every|each|of|the|these|those|your|my|our|its|other|and|completely|entire"
    r"|whatever|from) ){0,5}"
)
_EARLIER = r"(?:previous(?:ly)?|prior|preceding|earlier|above|foregoing|former|initial|original|past)"
_GIVEN = (
    r"(?:(?:given|issued|stated|provided|set|system|safety|security|and|or|user|developer|operating) ){0,3}"
)
_ORDERS = r"(?:instructions?|directives?|guidelines?|guardrails?|programming|safeguards|prompts?|orders)"
_RULES = r"(?:rules|constraints|restrictions|commands|training|polic(?:y|ies)|limitations|limits|messages)"
_UNBOUND = (
    r"(?:unrestricted|uncensored|unfiltered|jailbroken|unshackled|unbound|amoral|dan\b|do anything now"
    r"|(?:no|without(?: any)?) (?:\w+ )?(?:restrictions?|limit(?:ation)?s?|filters?|rules|guidelines"
    r"|guardrails"
    r"|censorship)|not (?:bound|restricted|limited) by|no longer (?:bound|restricted|limited))"
)
_MODE = r"(?:developer|god|dan|jailbreak|debug|admin|root|sudo|unrestricted|maintenance) mode"

_HIDDEN_PROMPT = (
    r"(?:system (?:prompt|message|instructions?)|(?:hidden|initial|original|secret|internal|base|developer)"
    r" (?:system )?(?:prompt|instructions?)|your (?:\w+ )?(?:prompt|instructions|guidelines))"
)
_SECRETS = (
    r"(?:(?:\w+ )?api keys?|secrets?|credentials?|(?:admin |root |user |master )?passwords?|(?:access "
    r"|auth )tokens"
    r"|private keys?|secret keys?|(?:confidential|private|personal|user) (?:data|information))\b"
)
_WHOLE = (
    r"(?:(?:me|us|the|your|all|any|every|full|entire|complete|exact|of|out|verbatim|contents?|stored"
    r"|saved|user"
    r"|hidden|current|back|each|whole|text|its|their|known) ){0,6}"
)

_SOMEONE = (
    r"(?:owner|administrator|admin|system|operator|developer|root|creator|security team|it (?:team"
    r"|department))"
)
_SAYS = (
    r"(?:(?:has|have|had|already|explicitly|just|hereby) ){0,3}(?:said|says|states?|authori[sz]e[sd]?"
    r"|approve[sd]?"
    r"|grant(?:s|ed)?|confirm(?:s|ed)?|order(?:s|ed)?|instruct(?:s|ed)?|permit(?:s|ted)?|demand(?:s|ed)?"
    r"|require[sd]?"
    r"|wants?|allow(?:s|ed)?|command(?:s|ed)?)"
)
_AGENT = r"(?:you|the (?:agent|assistant|ai|model|bot)|this (?:agent|assistant)|agents?|assistants?)\b"
_TARGET = r"(?:https?://|www\.|[\w.+-]{1,64}@[\w-]{1,64}\.\w|external (?:server|endpoint|address))"


def standing_order(hints: str, when: str, send: str, what: str) -> Rule:
    """Return the rule of texts that have everything, or what is private, sent somewhere from now on."""
    within = r"[^\n]{0,120}?"
    return rule(
        _DIRECTIVE,
        hints,
        rf"(?:{when})(?={within}(?:{send}))(?={within}(?:{what})){within}{_TARGET}",
    )


RULES = (
    rule(
        _OVERRIDE,
        "ignor disregard forget overlook discard bypass overrid overrul abandon neglect disobey obey heed"
        " not_follow t_follow stop_follow longer_follow never_follow not_listen t_listen stop_listen"
        " not_comply no_attention set_aside throw_away throw_out erase wipe",
        rf"{_NOT_NEGATED}{_DROP} {_EACH}{_EARLIER} (?:and )?{_EACH}{_GIVEN}(?:{_ORDERS}|{_RULES})",
        rf"{_NOT_NEGATED}{_DROP} (?:all (?:of )?)?your {_EACH}{_GIVEN}(?:\w+ )?(?:{_ORDERS}|{_RULES}"
        rf"|safety)\b",
        rf"{_NOT_NEGATED}{_DROP} (?:all|any) (?:of )?(?:the |other )?{_ORDERS}"
        r"(?=\s?(?:[.,;:!\"']|$|and\b|but\b|before|above|given|from the|you\b|that\b))",
        rf"{_NOT_NEGATED}{_DROP} (?:the |all |any ){{0,3}}{_ORDERS} (?:above|before|given|you (?:were"
        rf"|have|got|had))",
        r"(?:ignore|disregard|forget) (?:everything|anything|all|what(?:ever)?)~"
        r"(?:\b(?:above|before(?: this)?|so far|prior)\s?(?:[.,;!\"']|$|and\b)|you (?:were|have been"
        r"|ve been)~"
        r"(?:told|taught|instructed|trained|given))",
    ),
    rule(
        _OVERRIDE,
        "safety ethic moderation alignment security content_filter content_polic content_guideline"
        " content_restrict content_rule",
        rf"{_ORDER}(?:override|bypass|disable|circumvent|deactivate|remove|ignore|disregard|evade"
        rf"|(?:turn|switch) off)"
        r" (?:(?:all|any|your|the|every|its|existing|built in) ){0,3}(?:(?:ai|llm|model) )?"
        r"(?:safety|security|ethic(?:s|al)|content|moderation|alignment)"
        r" (?:guardrails?|guidelines?|polic(?:y|ies)|filters?|protocols?|restrictions?|safeguards?"
        r"|constraints|training"
        r"|rules|checks|measures|controls)\b(?! (?:in|for|on|of|job|step|plugin|when))",
        r"\b(?:and|to) bypass (?:all |any |the )?security(?: checks| controls| measures)?\s?(?:[.,;!\"']|$)",
        r"\bwithout (?:any )?(?:safety|security|ethical|moderation) (?:checks?|filters?|restrictions?"
        r"|guidelines?)",
    ),
    rule(
        _OVERRIDE,
        "unrestrict uncensor unfilter jailbr unshackl unbound amoral now_dan are_dan as_dan like_dan"
        " called_dan named_dan dan_mode anything_now restrict limitation censorship guardrail no_limit"
        " without_limit any_limit no_filter without_filter any_filter no_rules without_rules any_rules"
        " no_guideline without_guideline any_guideline limited_by freed_from liberated_from released_from"
        " developer_mode god_mode debug_mode admin_mode root_mode sudo_mode maintenance_mode as_admin"
        " an_admin the_admin as_root a_root superuser super_user",
        rf"\byou (?:are|re|have|will be|must be|become)(?: \w+){{0,4}} (?:an? "
        rf"|the )?(?:\w+ ){{0,2}}{_UNBOUND}",
        r"\byou (?:are|have been|ve been) (?:now )?(?:freed|liberated|released) from",
        rf"\byou (?:are|re|will) ~{_MODE}",
        rf"\b(?:act|behave|pretend|roleplay|role play|respond|answer|simulate)\b~{_UNBOUND}",
        r"\b(?:act|behave|operate) as (?:an? |the )?(?:\w+ )?(?:admin(?:istrator)?|root|superuser"
        r"|super user)\b~"
        r"(?:full access|all user|bypass|unlimited|no limit|every user|without)",
        r"\b(?:god|dan|jailbreak|unrestricted|sudo) mode(?: is| now)?"
        r" (?:activated|enabled|engaged|on\b|unlocked|active)",
        r"\b(?:enter|activate|enable|switch to|engage) (?:the )?(?:dan|jailbreak|unrestricted) mode",
        r"new persona~(?:unrestricted|uncensored|no (?:rules|limits))",
        r"\b(?:you|can|will) do anything now",
    ),
    rule(
        _OVERRIDE,
        "instruct directiv system_prompt comply_with refus now_on_you henceforth",
        r"(?:^|[.!?\n:>\"'(*\-]\s{0,3})(?:(?:here|these|below|following) (?:are|is) )?(?:your |the |my "
        r"|this is )?"
        r"(?:new|updated|revised|real|actual|true)"
        r" (?:system )?(?:instructions?|directives?|prompt|orders|objective|mission|task)\s?[:\-=]~"
        r"(?:\byou\b|ignore|override|comply|reveal|unrestricted|disregard|forget|bypass|exfiltrat|obey"
        r"|leak|send all|dump)",
        r"\bcomply with (?:all|any|every) (?:\w+ )?(?:requests?|commands?|orders|demands)",
        r"\b(?:never|not) refuse (?:any|a|the|my|user)\b",
        r"\b(?:from now on|henceforth) you (?:are|will|must|should|shall|can|have to)~"
        r"(?:obey|comply|never refuse|ignore|bypass|disregard|without question|only (?:listen|answer) to"
        r"|no longer)",
        rf"{_EARLIER} (?:system )?(?:instructions|prompts?|directives) (?:are|is|were|have been) (?:now )?"
        r"(?:void|obsolete|cancel+ed|superseded|revoked|invalid|null|replaced|fake|no longer)",
    ),
    rule(
        _EXTRACTION,
        "prompt instruct guideline system_message api_key secret credential password access_token"
        " auth_token private_key private_data private_information personal_data personal_information"
        " user_data user_information confidential everything_above text_above word_above words_above"
        " message_above line_above lines_above conversation_above",
        rf"{_ORDER}(?:reveal|leak|dump|disclose|exfiltrate|divulge|extract"
        rf"|steal) {_WHOLE}(?:{_HIDDEN_PROMPT}|{_SECRETS})",
        rf"{_ORDER}(?:print|show|output|display|repeat|tell|give|recite|echo|expose|paste|share|send"
        rf"|write|return|list)"
        rf" {_WHOLE}(?:(?:out|down) )?{_HIDDEN_PROMPT}(?! (?:in|on|from|file|page|at|when|for|docs?"
        rf"|template|tab|token))",
        r"\b(?:print|show|output|display|give|tell|expose|send|list|paste|upload|share|return)"
        r" (?:me |us |out |back |him )?(?:(?:all|every|each) (?:of )?(?:(?:the|your|stored|saved|known"
        r"|user|our) ){0,3}|your"
        rf" (?:stored |saved )?|the (?:admin|root|master|owner.?s?|user.?s?) ){_SECRETS}(?! (?:in|page"
        rf"|to 1password))",
        r"\bwhat (?:is|are|were|s) your (?:\w+ )?(?:system prompt|(?:initial|original|hidden"
        r"|system) instructions)",
        r"\b(?:repeat|print|output|copy) (?:(?:the|all|every|your) ){0,3}(?:words?|text|everything"
        r"|lines?|message)"
        r" (?:of the conversation )?above\s?(?:[.,;!\"']|$|verbatim|starting|word)",
    ),
    rule(
        _MARKER,
        "<system <|system <| im_start im_end [inst [/inst <<sys start_of_turn </system human: ###"
        " \"role\" 'role'"
        " <assistant <developer system_ begin_of_text <user",
        r"</?(?:system|assistant|developer)(?:[_-](?:prompt|message|instructions?|reminder|override"
        r"|note))?\s?>",
        r"<\|(?:im_start|im_end|system|user|assistant|developer|endoftext|end_of_text|start_header_id"
        r"|end_header_id"
        r"|eot_id|begin_of_text|end|channel|message|tool|endofprompt)\|>",
        r"<\|(?:begin|end)[_▁]of[_▁]\w{1,12}\|>|\[/?inst\]|<</?sys>>|<start_of_turn>\s?(?:user|model|system)",
        r"^\s{0,3}#{2,4}\s?(?:system|instructions?|assistant|human)(?: (?:prompt|message|override))?\s?:",
        r"(?:^|\n|\b)human\s?:[^\n]{0,400}(?:\n[^\n]{0,200}){0,6}?\bassistant\s?:"
        r"|\bassistant\s?:[^\n]{0,400}\n\s{0,4}human\s?:",
        r"[\"']role[\"']\s?:\s?[\"'](?:system|developer)[\"']",
    ),
    rule(
        _MARKER,
        '<system im_start [inst <<sys start_of_turn start_header_id "role"',
        r"<(system(?:[_-]\w{1,12})?)\s?>[^<]{10,4000}</(?:system)",
        r"<\|im_start\|>\s?(?:system|user|assistant|developer)\s?\n",
        r"<\|start_header_id\|>\s?\w{1,12}\s?<\|end_header_id\|>",
        r"<\|(?:system|user|assistant)\|>[^<]{5,4000}<\|",
        r"\[inst\][^\[]{2,4000}\[/inst\]|<<sys>>[^<]{2,4000}<</sys>>",
        r"<start_of_turn>\s?(?:user|model)\s?\n",
        for_owner=True,
    ),
    rule(
        _MARKER,
        "system: system] system> system_message system_prompt system_note system_notice system_override"
        " system_update"
        " system_alert",
        r"(?:^|[.!?;:>\n\[(\"'-]\s{0,3})\[?system(?: (?:message|prompt|note|notice|override|update"
        r"|alert))?\]?\s?[:>]\s{0,3}"
        r"(?:you (?:must|are now|will now|shall|are|should now|have)\b(?! (?:a |an )?(?:restart|new mail"
        r"|new mess))|ignore"
        r"|disregard|forget|override|from now on|new instructions|execute|reveal|obey|the (?:assistant"
        r"|agent|ai) "
        r"(?:must|should|will|shall))",
    ),
    rule(
        _TOOL_CALL,
        "tool_call function_call <invoke :invoke tool_code tool_use <function= use_mcp_tool <parameter"
        " :function",
        r"<[/|]?\|?(?:\w{1,12}:)?(?:tool_calls?|function_calls?|tool_use|use_mcp_tool|tool_code"
        r"|tool_response)\|?>",
        r"<(?:\w{1,12}:)?(?:invoke|parameter) name\s?=|<function=\w|\[tool_calls?\]|<｜tool",
        r"[\"']tool_calls?[\"']\s?:\s?[\[{]|[\"']function_call[\"']\s?:\s?\{",
        r"```\s?tool_(?:code|call|use)|^\s{0,3}tool_(?:code|call)\s?\n",
    ),
    rule(
        _TOOL_CALL,
        "tool_call function_call invoke tool_code",
        r"<(?:\w{1,12}:)?tool_calls?>\s{0,20}[{<\[]|<(?:\w{1,12}:)?function_calls?>\s{0,20}[{<\[]",
        r"<(?:\w{1,12}:)?invoke\s{1,4}name\s?=\s?[\"'][^\"']{1,80}[\"']\s?>",
        r"^\s{0,20}[{\[][^\n]{0,200}[\"']tool_calls[\"']\s?:\s?\[\s{0,20}\{",
        r"```\s?tool_(?:code|call)[^\n]{0,20}\n",
        for_owner=True,
    ),
    rule(
        _DIRECTIVE,
        "owner admin instruct directiv system_rule system_order system_command system_polic"
        " system_permission creator developer",
        rf"{_NOT_NEGATED}(?:remember|store|save|record|memori[sz]e|keep|note|treat|add|write|persist"
        rf"|commit) ~\bas (?:being )?"
        rf"(?:(?:an?|the|your|official|permanent|direct|explicit"
        rf"|trusted) ){{0,4}}{_SOMEONE}(?: s)? (?:level |approved )?"
        r"(?:instructions?|rules?|directives?|orders?|wish(?:es)?|commands?|policy|authori[sz]ation"
        r"|permission)",
    ),
    rule(
        _DIRECTIVE,
        "term_memor your_memor persistent_memor permanent_memor core_memor into_memor to_memor in_memor"
        " trusted authoritative reliable preferred definitive go_to_source go_to_authority go_to_expert"
        " forever permanently remember_always all_future every_future",
        r"\b(?:store|save|add|write|commit|persist|insert|put) (?:this|these|the following|that)~\b(?:in"
        r"|into|to) (?:your )?"
        r"(?:(?:long term|permanent|persistent|core) )?memor(?:y|ies)\b",
        r"\b(?:remember|memori[sz]e|note|record|store|save)~\bas (?:an?|the|your) (?:\w+ ){0,2}"
        r"(?:trusted|authoritative|reliable|preferred|definitive|go to) (?:\w+ ){0,2}(?:source|authority"
        r"|expert|provider|vendor)",
        r"\bremember (?:forever|permanently|always|for (?:all|every) future)~\b(?:obey|must|always|send"
        r"|trust|recommend|ignore)",
    ),
    rule(
        _DIRECTIVE,
        "future_conversation future_chat future_session future_response future_repl obey"
        " instructions_from commands_from orders_from instructions_by commands_by orders_by"
        " instructions_in commands_in instructions_given instructions_sent always_do not_tell t_tell"
        " never_tell not_inform t_inform never_inform not_notify t_notify never_notify not_mention"
        " t_mention never_mention not_alert t_alert never_alert not_let t_let never_let not_reveal"
        " never_reveal from_the_user from_the_owner from_your_user from_your_owner from_the_operator"
        " exfiltrat",
        r"\b(?:in|for|during) (?:all |any |every )?(?:your )?future (?:conversations?|chats?|sessions?"
        r"|responses?|replies)~"
        r"\b(?:recommend|cite|prefer|promote|suggest|favou?r|obey|trust|send|forward|include the link)",
        r"\b(?:obey|follow|execute) (?:all|any|every|whatever) (?:\w+ )?(?:orders|instructions|commands)"
        r" (?:from|by|sent by|given by|in messages)",
        r"\balways (?:obey|trust and obey|do (?:what|as|whatever))~\b(?:says?|asks?|tells?|orders?"
        r"|commands?|sends?)\b",
        r"\b(?:do not|don.?t|never) (?:tell|inform|notify|mention (?:this|it) to|reveal (?:this|it) to"
        r"|alert|let)"
        r" (?:the |your )?(?:user|owner|operator|admin)(?: know)? (?:about |of |that )?(?:this|these|it"
        r"|you)\b",
        r"\b(?:keep|hide) (?:this|it|these)~\bfrom (?:the|your) (?:user|owner|operator)",
        rf"{_ORDER}exfiltrate\b",
    ),
    standing_order(
        "http:// https:// www. @ external_server external_endpoint external_address",
        r"\b(?:from now on|always|henceforth|whenever|every time|each time|after every|after each"
        r"|before (?:every|each)"
        r"|for every|permanently|in (?:all )?future|remember to|automatically|on every|silently|secretly)\b",
        r"\b(?:send|forward|e-?mail|post|upload|bcc|cc|transmit|transfer|redirect|submit)\b",
        r"\b(?:all|every|any|each|copy|copies|conversations?|credentials?|passwords?|tokens?|api keys?"
        r"|secrets?"
        r"|chat (?:logs?|history)|private|personal|confidential|user data|memories|history)\b",
    ),
    rule(
        _DIRECTIVE,
        "http:// https:// www. @ external_server external_endpoint external_address",
        rf"{_ORDER}(?:silently |secretly )?(?:send|forward|upload|transmit|post|mail) {_WHOLE}"
        r"(?:conversations?|chat (?:logs?|history)|credentials|passwords?|api keys?|secrets|tokens"
        r"|memories|user data"
        rf"|private data|personal data|session history|ssh keys?)\b~{_TARGET}",
    ),
    rule(
        _AUTHORITY,
        "owner admin developer security_team it_team it_department system_said system_says system_authori"
        " system_order system_instruct system_demand system_command system_require from_system"
        " from_the_system your_creator your_operator your_master openai anthropic google_deepmind"
        " operator_said operator_authori operator_order",
        rf"\b{_SOMEONE} {_SAYS}(?: \w+){{0,3}}? {_AGENT}~\b(?:must|should|may|can|to|shall|are|is|have"
        rf"|will|need)\b",
        rf"\b{_SOMEONE} {_SAYS} (?:full|unlimited|unrestricted|root|admin) (?:access|permissions?|rights)",
        r"\bthis (?:message|instruction|note|request|order|directive|command|text|update"
        r"|memory)?\s?(?:is|comes|was|has been)"
        r" (?:(?:a|an|sent|official|officially|directly|issued|written|approved|authori[sz]ed|message"
        r"|coming|from|by|direct"
        r"|instruction|order|pre) ){0,6}(?:from|by) (?:the |your )?"
        rf"(?:{_SOMEONE}|openai|anthropic|google deepmind)\b(?! (?:of|s|repo))",
        r"\b(?:i am|i m|it is|it s|this is|speaking as) (?:your |the (?:system |real |true ))"
        r"(?:owner|creator|developer|administrator|admin|operator|master)\b(?! (?:of|for|s|page|guide"
        r"|panel|docs?|console))",
        rf"\b(?:on behalf of|by order of|by authority of|with the authority of|authori[sz]ed by"
        rf"|acting for|at the behest of)"
        rf" (?:the |your )?(?:{_SOMEONE}|openai|anthropic)~\b(?:you|agent|assistant)\b",
        r"\b(?:official|urgent|mandatory|important) (?:\w+ )?(?:notice|message|directive|order"
        r"|instruction) from"
        r" (?:the |your )?(?:system|owner|admin|administrator|developers?|openai|anthropic|operator)\b",
    ),
    rule(
        _AUTHORITY,
        "identity. agent. system. security. system_prompt system_instruct system_persona system_polic"
        " system_guardrail system_rules",
        r"(?:^|[{,;\n]\s{0,8})[\"'`]?(?:(?:agent\.)?identity\.[a-z_]{2,30}"
        r"|system[._](?:prompt|instructions?|persona|policy|guardrails|rules)"
        r"|agent\.(?:goals?|capabilit(?:y|ies)|role|objectives?|permissions?|privileges|instructions?"
        r"|policy|system_prompt"
        r"|trust(?:_level)?|owner|rules|mission)"
        r"|security\.(?:trust(?:_level)?|clearance|permissions?|level|mode|access(?:_level)?|guardrails"
        r"|restrictions|filters"
        r"|role|boundary|checks))[\"'`]?\s?(?::(?!:)|=(?!=))",
    ),
)
