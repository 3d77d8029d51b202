"""The wordings of English."""

from __future__ import annotations

from typing import Final

from sunrise.domain.capture_forms_en import DECISION_FORMS, PREFERENCE_FORMS, STANDING_FORMS
from sunrise.domain.capture_phrases import Phrases, any_of
from sunrise.domain.capture_words_en import (
    AN_ACT,
    CHOOSE,
    DO_FOR_GOOD,
    DOING_FOR_GOOD,
    HOUSEHOLD,
    HOW,
    MANNER,
    NO_NOUNS,
    NOT_PAST,
    NOT_THIS,
    START,
    TONGUE,
    WE_OR_I,
    WRITINGS,
)

ENGLISH: Final = Phrases(
    remember_ahead=any_of(
        START
        + r"(?:(?:can|could|would|will) you (?:please |just )?|i (?:want|need|would like|'d like) you to "
        r"|you should "
        r"|i'd like you to |and )?"
        r"(?:(?:always |do |just )?remember(?! (?:to|when|how|what|where|why|who|if|last|the time|me|us"
        r"|those|back)\b)"
        r"|(?:keep|bear|have) in mind|(?:don't|do not|never) forget(?! (?:to|about)\b)"
        r"|(?:make|take|keep) (?:a )?(?:mental )?note(?! to)|note(?= ?:| that| down)|memori[sz]e"
        r"|(?:save|store|put|add|commit|write|log|record) (?:this|that|it|the following)? ?(?:in|to|into"
        r"|down in)"
        r" (?:your |the |long.term )*memory|(?:write|jot|note) (?:this|that) down"
        r"|(?:save|store|put|log|record|file|keep|note|pin|stash) (?:this|that|it|these)(?: (?:somewhere"
        r"|away|down|safe"
        r"|on file|for (?:later|me|next time)|in (?:your|the|my) (?:notes|files|records"
        r"|memory)))*(?=\s?[:,]|\s- )"
        r"|note to self|for your notes|for your memory|for the record|for future reference|you should know)\b"
        r"(?: down)?(?:,? (?:please|pls))?(?: (?:this|the following)(?=\s?[:,.-]|$))?(?: (?:that"
        r"|of that))?[\s:,.-]*"
    ),
    remember_behind=any_of(
        r"[\s,;(-]*(?:and |so |please |pls |just )*(?:remember|memori[sz]e|note|(?:keep|bear) in mind"
        r"|don't forget)"
        r"(?: (?:it|that|this))(?: (?:please|for (?:later|next time|the future)|in mind|down))*[.!)]*$",
        r"[\s,;(-]+(?:please|pls),? (?:remember|note|don't forget)(?: (?:it|that|this))?[.!)]*$",
        r"[\s,;(-]+keep (?:it|that|this) in mind(?: please)?[.!)]*$",
    ),
    todo=any_of(
        r"^\W*(?:\[ \] *)?(?:todo|to-do|task|reminder|action item)s?\b\s?[:\])-]",
        START + r"(?:remind me|remember to|don't forget to|do not forget to|make a note to"
        r"|add (?:.{2,60} )?to (?:my|the|our) (?:to-?do|task|shopping))\b",
        START + r"(?:i|we) (?:still )?(?:need|have|must|got|'ve got|gotta)(?: to)? (?:buy|call|book|pay|send"
        r"|finish|submit|renew|fix|order|return|schedule|pick up|e-?mail|write|prepare|update|file|review"
        r"|register)\b",
    ),
    standing=any_of(
        r"\bfrom (?:now|here|today|this (?:point|day|moment)|tomorrow|next \w+|\w+day)(?: on(?:wards?)?"
        r"| out| in| forward)\b",
        r"\b(?:going|moving) forwards?\b|\bhenceforth\b|\bin (?:the )?future\b(?! (?:release|version|of))"
        r"|\bfor all future\b"
        r"|\bin all future\b|\buntil further notice\b|\bfrom now\b|\bfor good\b|\bas of (?:today|now|next"
        r"|this|\w+day|\d)",
        r"\bstarting (?:today|now|tomorrow|next|this|\w+day)\b|\bevery time you\b|\bwhenever (?:you|i ask"
        r"|i say)\b"
        r"|\b(?:each|any) time (?:you|i ask|i say)\b|\bat all times\b|\bas a (?:general )?(?:rule"
        r"|principle)\b|\bany more\b|\banymore\b|\bunder any circumstances\b|\bunder no circumstances\b",
        r"^(?:rule|policy|convention|standard|guideline|principle|preference|my preference|house rule"
        r"|standing (?:rule|order|instruction)"
        r"|(?:new |team |my |our |the |house |code |style |general |company )+(?:rule|policy|convention"
        r"|standard|guideline|principle|preference)s?)"
        r"(?: (?:is|of thumb|for [\w ]{2,30}))?(?: that)?\s?[:,-]",
        START
        + r"(?:always|never(?! (?:mind|again$|ever$)))\b(?! (?:\w+ed|works?|fails?|been|seen|had|saw|heard"
        r"|got|was|is|the|a|an|that|this|it)\b)",
        r"\b(?:please|you (?:should|must|may|can|need to|have to)|should|must) (?:always|never(?! mind))\b",
        r"\bso (?:please )?(?:always|never|don't|do not|no (?!one|idea|longer|problem)|avoid|keep (?!going"
        r"|trying)|skip|book|schedule|leave|plan) ?\b|\b(?:always|never|ever)\b.{0,40}\b(?:ask me|tell me"
        r"|show me|send me|give me|call me|without me|for me|to me|from me|when i|unless i)\b"
        r"|\bin (?:everything|anything|all (?:of )?(?:the |your |my |our )?\w+) (?:you|i|we)\b",
        rf"{START}(?:don't|do not) ever\b",
        r", (?:always|every time|without exception|at all times)[.!]*$",
        r"^(?:when(?:ever)?|if|before|after|for|in|on|at) (?!i (?:was"
        r"|had)\b).{3,70}?,? (?:please )?(?:always|never(?! mind))\b",
        STANDING_FORMS,
    ),
    standing_request=any_of(
        r"\b(?:can|could|would|will) you (?:please )?.{0,60}\b(?:always(?! (?:trust|rely|expect|assume|tell"
        r"|count|get|be sure))|never|from now on|going forward"
        r"|in (?:the )?future|by default|every time|each time)\b",
        r"\b(?:can|could|would) you (?:please )?(?:stop|quit|avoid|refrain from) (?:\w+ing)\b(?! (?:this"
        r"|that|the)\b)",
        r"\b(?:can|could) (?:we|you) (?:please )?(?:agree|keep it) that\b",
    ),
    decision=any_of(
        rf"(?:{WE_OR_I}|\b(?:the|our|my|whole|entire) (?:team|board|committee|company|group|family|department"
        r"|wife and i|husband and i|partner and i)|\bboth of us|\bwe all|^)"
        rf"(?: have|'ve|'s| has)?{HOW} {CHOOSE}",
        rf"^{CHOOSE}(?<!chosen)(?<!approved)\s?[:,-]? ?(?:to|on|that|:|against|we|-)",
        r"\bit(?:'s|'s been| is| has been| was)(?: now)? (?:decided|settled|agreed|official)\b|\b(?:has"
        r"|have) been (?:decided|agreed|settled|finali[sz]ed)\b"
        r"|\b(?:was|were|is|are|we're|we are|i'm|i am) (?:decided|agreed|set|settled) (?:on|that|to)\b",
        rf"{START}(?:(?:the|our|my|final|team|architecture|design|key) )*(?:decision|verdict|resolution"
        r"|conclusion|outcome|agreement|final (?:call|answer|choice|word))s?"
        r"(?: of today| for [\w ]{2,40}| on [\w ]{2,40}| from [\w ]{2,40})?(?: (?:is|was|made|stands)\b"
        r"|\s?[:-])",
        rf"{START}(?:decided|agreed|settled|approved|final)\s?[:-] ?\S",
        r"\b(?:i'm|i am|we're|we are|we've been|i've been) (?:now |officially |definitely |finally "
        r"|permanently |all )*" + DOING_FOR_GOOD,
        r"\b(?:we|i)(?: will|'ll)? no longer (?:be )?\w+|\b(?:we|i)(?: will not| won't| shall not"
        r"|'re not going to|'m not going to| are not going to| aren't going to| am not going to)"
        rf" (?:be )?(?:ever )?(?:{DO_FOR_GOOD}|us(?:e|ing)|support(?:ing)?|renew(?:ing)?|eat|drink|tak(?:e"
        r"|ing)"
        r"|accept(?:ing)?|work(?:ing)? (?:with|on)|do(?:ing)?)\b",
        r"^[\w .+#-]{2,30} it is(?: then)?[.!]*$|\b(?:is|are) off the table\b"
        r"|\bthe (?:final )?plan is (?:to|that)\b|\bmy (?:final )?(?:choice|pick) is\b"
        r"|\bour (?:final )?choice is\b",
        rf"{START}as (?:agreed|decided|discussed and agreed)\b|\b(?:we|i)(?:'re| are|'m| am) (?:not"
        r"|done) (?:doing|using|buying|offering|supporting|with|going (?:with|for)|renewing)\b"
        r"|\bagreed on (?:that|this)[.!]*$",
        r"\b(?:budget|plan|proposal|design|offer|deal|contract|scope|roadmap)s? (?:is |was |are |has been "
        r"|have been )?(?:now |finally )?(?:approved|accepted|rejected|signed|cancel+ed|final|fixed"
        r"|settled)\b",
        r"\bwe have a decision\b|\bthat's (?:settled|decided|final)\b.{4}|\b(?:we|i) (?:hereby )?(?:choose"
        r"|opt for|pick|select|adopt|veto|approve)\b (?!you\b|it\b|this\b|that\b)",
        r"\bi am going with|\bi'm going (?:with|for)\b",
        DECISION_FORMS,
    ),
    weak_decision=any_of(
        r"^(?:at work,? |in our (?:repo|team|house),? |on (?:my|our) team,? )?we(?: only| always"
        r"| all)? (?:use|write|follow|deploy|release|ship"
        r"|track|store|name|speak) (?!this\b|that\b|it\b|them\b|the same\b|\w+ to\b)\w",
        rf"\blet's (?:just |all |please |definitely |really |officially )*(?:{DO_FOR_GOOD}|settle on|have"
        r"|make|call"
        rf"|set|agree|do|put|not {DO_FOR_GOOD}|limit|plan)\b"
        r"(?! (?:going|moving|it a day|talking|trying|working|looking|it simple|on\b|this|that|it\b"
        r"|the (?:debugger|other|next|second|first|last)|a (?:look|break|walk|coffee)|lunch|dinner|drinks"
        r"|some|look|fun|to the next))",
        r"\b(?:we|the team|everyone)(?:'ll| will| shall|'re going to| are going to)(?: now| only| always"
        rf"| all| both| just| from)* {DO_FOR_GOOD}\b",
        r"\bi(?:'ll| will)(?: now| only| always| just)* (?:go with|stick (?:with|to)|be using|be switching"
        r"|be moving|take (?:option|plan|the (?:blue|red|green|black|white|smaller|larger|cheaper|monthly"
        r"|annual|yearly|second|first)))\b",
        rf"{START}(?:going|go|gone) (?:with|for) (?!the flow|lunch|dinner|a (?:walk|run|coffee)|it\b"
        r"|this\b|that\b)\S",
        rf"{START}(?:switching|moving|migrating) (?:to|from|over to|away from)\b",
    ),
    preference=any_of(
        rf"{WE_OR_I}(?:'d| would)?{HOW} prefer(?! not to (?:say|answer))\b|{WE_OR_I}{HOW} favou?r\b|\bi(?:'d"
        r"| would)(?: much)? rather\b",
        rf"\bi{HOW} (?:like|love|enjoy|hate|dislike|loathe|detest|adore|despise|appreciate|avoid"
        rf"|favor) {NOT_THIS}(?!to (?:bother|say|ask|admit|think|see)\b)\w",
        rf"\bwe{HOW} (?:like|hate|dislike|avoid|always|usually|never) {NOT_THIS}{NOT_PAST}\w",
        r"\bi (?:like|love|prefer|hate|appreciate) it when (?:you|people|my|the (?:code|answer|summary"
        r"|reply))\b",
        r"\bi (?:don't|do not|never|cannot|can't|won't|no longer)(?: (?:really|usually|ever|particularly"
        r"|generally|normally))*"
        r" (?:like|love|enjoy|eat|drink|use|do|work|read|answer|care for|stand|tolerate|take|accept|watch"
        r"|buy|drive|wear|fly|schedule|check|celebrate|trust|smoke|handle|digest|need|attend"
        rf"|book) {NOT_THIS}(?!to (?:bother|say|see|think)\b)\w",
        r"\bi (?:don't|do not|never) want (?:you to|any|to (?:be|see|get|receive|hear|have|use)"
        r"|\w+s\b)(?! this)",
        rf"{WE_OR_I} (?:don't|do not|won't)(?: (?:really|usually|ever|generally|normally))* (?!know\b|think\b"
        r"|understand|remember|recall|see\b|have (?:time|any|the|a|access|permission|enough|much)\b|need\b"
        r"|want\b|mind\b|care\b|believe"
        r"|get\b|feel\b|agree|expect|mean\b|like\b|love\b|hear\b|seem|recogni|find\b|be\b|let\b|give up"
        rf"|it\b|yet\b|even\b|suppose|doubt|owe|regret|blame|always\b)\w+ {NOT_THIS}\w",
        r"\b(?:is|are) (?:a must|a no-go|mandatory|forbidden|not allowed|banned|off.limits|non.negotiable"
        r"|compulsory|strictly \w+)\b|\bfor (?:any|every|all|anything|everything)\b.{3,60}\b(?:must|should"
        r"|need|have to|has to|use|ask|get|please|want|prefer)\b|\byou (?:must|need to|have to"
        r"|should) (?:first |also )?(?:ask|check|confirm|get|tell|use|call|warn|clear)\b.{0,60}\b(?:first"
        r"|before|when|whenever|for (?:any|every|all))\b",
        r"\bi(?:'m| am)? (?!\w+ed\b|was\b|had\b|got\b|went\b|did\b|saw\b|need\b"
        r"|have to\b)(?:\w+ ){1,8}?(?:every|each) (?:single |other )?(?:day|morning|evening|night|afternoon"
        r"|week|weekend|month|year|\w+day)s?\b|^i (?!\w+ed\b|was\b|had\b|got\b|went\b|did\b|saw\b|need\b"
        r"|have to\b)(?:\w+ ){1,8}?on (?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays"
        r"|weekends|weekdays)\b",
        rf"{START}only (?:use|send|book|call|deploy|buy|order|show|reply|answer|schedule|write|run|merge"
        rf"|ask|accept|contact|notify)\b (?!this|that|it\b)|{START}leave .{{2,40}} out of\b|{START}(?:put"
        r"|place|start with|lead with|begin with|end with|list) the (?:\w+ )?(?:conclusion|summary|answer"
        r"|result|recommendation|tl;?dr|bottom line|main point)s?\b",
        rf"\bi never {NOT_PAST}\w|\bi (?:always|usually|normally|typically|generally|mostly|mainly"
        r"|exclusively"
        rf"|tend to|habitually|almost always|almost never|rarely|seldom|hardly ever) {NOT_PAST}\w",
        r"\bi only (?:use|eat|drink|work|read|write|buy|accept|take|drive|fly|wear|listen|watch|run|answer"
        r"|check|trust|speak|shop|meet)\b",
        r"\b(?:my|our) (?:\w+ ){0,2}(?:favou?rites?|favou?rite \w+(?: \w+){0,2}|fave"
        r"|preferred \w+(?: \w+){0,3}|go-to(?: \w+){0,3}|usual \w+|default \w+(?: \w+)?|pet peeve"
        r"|preference|choice of \w+|editor of choice|(?:\w+ )?of choice|style|dietary \w+)s?"
        r"(?: (?:for|of|when|in) [\w' -]{2,40})? (?:is|are|would be|has always been|will always be)\b"
        r"|\bis my (?:absolute |all-time )?(?:favou?rite|preference|preferred|go-to|default)\b",
        r"\bi(?:'m| am)(?: (?:a|an|not|really|very|quite|more of a|more of an|definitely|strictly|mostly"
        r"|much|both|also|such|generally|no|totally|big|huge|the|severely|mildly|deathly))* "
        r"(?:(?:big |huge |great )?fan of|vegetarian|vegan|pescatarian|teetotal(?:er)?|lactose|gluten"
        r"|coeliac|celiac|allergic|morning person|night owl|early bird|\w+ person\b|fond of|keen on"
        r"|partial to"
        r"|comfortable with|picky|left-handed|colou?r-?blind|diabetic|into \w+ing|intolerant|happiest"
        r"|most productive)",
        r"\bi (?:work|sleep|focus|concentrate|learn|think|write|code) (?:best|better|worst)\b|\b(?:works?"
        r"|work) (?:best|better|well|great) for me\b|\b(?:suits|bothers|annoys|irritates|distracts"
        r"|bores) me\b|\b(?:isn't|not|is) (?:really |exactly )?my (?:thing|style|cup of tea|jam)\b"
        r"|\b(?:doesn't|don't|do not|does not) (?:work|do it) for me\b|\bdrives? me (?:crazy|nuts|mad)\b",
        rf"{START}stick (?:to|with) (?!this\b|that\b|it\b|the plan)\w|\bi(?:'d| would) (?:love|appreciate"
        r"|like|prefer|be (?:happier|glad|happy|grateful)) (?:it )?if (?:you|my|the|every|all|answers"
        r"|replies)\b|\bkeeps me (?:awake|up|sane|going)\b|\b(?:makes?|gives?) me (?:sick|sleepy|nervous"
        r"|anxious|dizzy|a headache|headaches|happy|cranky)\b|\bi can(?:not|'t) (?:concentrate|sleep|work"
        r"|focus|think|read|digest|tolerate|bear|do) (?:well )?(?:with|without|when|if|in|after|on"
        r"|before)\b",
        r"\bi(?:'d like| would like| want| expect| prefer)(?: the| my| our| all| every)? (?!you\b|it\b"
        r"|this\b|that\b)(?:[\w'-]+ ){1,5}to (?:stay|remain|be (?!done|ready|finished|fixed|sent)|always"
        r"|never|use|have|come|start|end|go)\b",
        r"\bi find (?!this|that|it\b|the bug).{3,60}\b(?:annoying|distracting|easier|hard(?:er)? to|tiring"
        r"|better|more \w+|clearer|noisy|ugly|nicer|soothing|stressful|confusing|unreadable|helpful)\b",
        r"\bi swear by\b|\bcan't (?:live|work|start (?:my|the) day|function) without\b"
        r"|\bi(?: always)? stick to\b|\bover .{2,20} any (?:day|time)\b|\bi(?:'ve)? (?:quit|gave up"
        r"|given up|stopped) (?:drinking|eating|smoking|using|working|buying|alcohol|coffee|sugar|meat"
        r"|gluten|dairy|caffeine)\b",
        rf"\b(?:my|our) {HOUSEHOLD}(?: (?:really|always|usually|much|strongly|all|also))* (?:prefers?|likes?"
        r"|loves?|hates?|dislikes?|can't (?:stand|eat)|doesn't (?:like|eat|drink)|don't (?:like|eat|drink)"
        r"|won't eat|only eats|always|never|is (?:allergic|vegan|vegetarian)|are (?:allergic|vegan"
        r"|vegetarian))\b",
        rf"{START}(?:do(?:n't| not)|never|no need to|avoid)(?: ever)? {AN_ACT}(?:ing)? (?!it\b|this\b"
        r"|that\b|these\b|those\b|yet\b|now\b).*\b(?:ever|unless|without|before|after|when|while|until"
        r"|in (?:commit|code|my|our|replies|answers|your|any|e-?mails|chat|public|front)|on (?:\w+days?"
        r"|weekends?|holidays)|to (?:main|master|prod|production|me|staging|users|customers)|at (?:night"
        r"|all|the (?:end|start|beginning)|\d)|me|emojis?|bullet points?|tables|markdown|semicolons|tabs"
        r"|jargon|passive voice|exclamation|abbreviations|globals?|\w+ing|for (?:every|my|our|any|small"
        r"|simple)|with(?:in)?|more than|as)\b",
        rf"{START}(?:do(?:n't| not)|never|avoid|skip|no)(?: ever)? (?:(?:use|using|add|adding|put|include"
        r"|including|write|writing|send|sending|schedule|book|give|giving) )?(?:me |any |so many "
        rf"|too many )?(?:long |unnecessary |any |lengthy )?{NO_NOUNS}\b(?! (?:found|left|yet|today|so far"
        r"|now|came|were|was|is|in the log))",
        rf"{START}(?:stop|quit|avoid|refrain from) (?:using|adding|saying|apologi[sz]ing|calling me"
        r"|asking me (?:to|for|whether|if)|putting|suggesting|including|prefixing|repeating|sending me"
        r"|telling me|opening|summari[sz]ing|starting|ending|writing|scheduling|explaining|thanking"
        r"|praising|greeting|abbreviating|waking|recommending|ordering)\b(?! (?:this|that|it)\b)",
        rf"{START}(?:keep|make|format|write|phrase|structure|sign|name|give|show|display|order|sort|indent"
        r"|round|quote|list) (?:your |the |all |my |our |every |any "
        rf"|me )*(?:\w+ ){{0,2}}?{WRITINGS}(?: \w+){{0,3}}? (?:with |as |{MANNER})",
        rf"{START}(?:reply|answer|respond|speak|talk|write|communicate|chat)(?: to me| with me| back"
        rf"| to all my \w+| my questions)?(?: only| always)? in (?:\w+ )?{TONGUE}\b|{START}(?:be"
        r"|stay) (?:more |less |very )?(?:concise|brief|terse|direct|blunt|formal|informal|polite|honest"
        r"|critical|specific|casual)(?: (?:in|with|when|and)\b|[.!]*$)",
        r"\b(?:call|address|refer to) me (?:as )?(?!later|when|back|tomorrow|at\b|if\b|on\b|after|before"
        r"|again|today|tonight|now|asap|in\b|about|once|by (?:phone|noon|tomorrow))['\"]?[a-z]",
        rf"{START}(?:please )?(?:use|prefer|choose|pick|favou?r|stick (?:to|with)|default to"
        r"|go with) (?!this\b|that\b|the (?:first|second|last|other|file|one|tool|script|data|same"
        r"|following|attached|existing)\b|it\b|these\b|those\b|a \w+ to\b)"
        r".{1,60}?\b(?:instead of|rather than|over|everywhere|throughout|by default|when(?:ever)?|in all"
        r"|in every|in my|in our|for (?:all|every|my|our|any|code|dates|indentation|commits|commit|python"
        r"|new|everything|measurements|times|temperatures|money|prices|names|variable|tests|lists|numbers"
        r"|replies|answers|logging|internal|short)|units?|spelling|time format|notation|style|commits?"
        r"|quotes|indentation|clock|(?:24|12)[- ]?hours?|, not|not)\b",
        r"(?:^|, )(?:all|every|each|any)(?: of (?:my|our|the))?(?: new| my"
        rf"| our)?(?: [\w-]+){{1,4}} (?:must|should|has to|have to|needs? to|goes?|gets?|requires?|is to be"
        rf"|are to be|shall)\b|^(?:\w+ ){{0,2}}{WRITINGS} (?:must|should|have to|need to|are to) (?:always "
        r"|never |not |only )?(?:be(?! \w+ing\b)|have|use|go|start|end|follow|include|contain|stay|come"
        r"|say)\b"
        r"|\bmust (?:always|never)\b",
        r"\bi(?: want|'d like| would like| expect| ask|'d love| need|'d prefer)(?: to (?:have|get|see"
        r"|receive|read))? (?:all|every|each|any)(?: of)?\b|\bi (?:want|expect|'d like"
        r"|would like)(?: to (?:have|get|see|receive))? (?:my |our "
        rf"|your )?(?:(?!the\b)\w+ )?{WRITINGS} (?:in|as|with"
        r"|without|before|at|to|on|by|written|formatted|delivered|sent|every)\b",
        r"\bi(?:'d like| would like|'d want| want| expect| need|'d appreciate) (?:you|it if you"
        r"|if you) (?:to )?(?:could |would )?(?:always|never|be (?:more|less|direct|concise|brief|honest"
        r"|critical|blunt)|(?:use|speak|reply|answer|respond|write|call me|address me|explain"
        r"|ask (?:me )?before|confirm|check with me)\b(?! this| it| that))",
        r"\bwhen(?:ever)? (?:you|we|i|writing|replying|answering|coding|generating|summari[sz]ing"
        rf"|explaining|booking|ordering|reviewing|scheduling|formatting)\b[^,]{{2,60}}, (?:please "
        rf"|you (?:should|can|must) |i (?:want|expect|prefer|like)|{AN_ACT}\b|always|never|use|keep|make"
        r"|do(?:n't| not)|put|add|include|prefer|skip|avoid|just|only|stick|sort|list|leave|round|group"
        r"|start|default)",
        rf"{START}(?:please )?(?:ask|check with|consult|tell|notify|warn|ping"
        r"|confirm with) me (?:first )?(?:before|whenever|when|every time|each time)\b"
        r"|\bask (?:me )?(?:first|before)\b",
        rf"{START}(?:please )?(?:schedule|book|plan|put|set|hold|send|order|get|buy|deliver|run"
        r"|do) (?!(?:me )?an?\b|one\b|two\b"
        rf"|three\b|four\b|five\b|six\b|\d)(?:my "
        rf"|our |all |the |me )*(?:\w+ ){{0,2}}?(?:meetings|calls|flights|appointments|workouts|reports"
        r"|updates|newsletters|hotels|seats?|trains|tickets|groceries|backups|deploys|releases"
        r"|stand-?ups) (?:only |always |never )?(?:in|on|before|after|at|by|with|for|to|near|from)\b",
        r"\bi(?:'m| am) (?:never|not) (?:available|reachable|free|online|working|in (?:the )?office"
        r"|to be (?:called|disturbed))\b.*\b(?:before|after|on|during|between|in the|at)\b|\bi(?:'m"
        r"| am) always (?:off|out|away|asleep|busy|in bed|at the gym)\b",
        r"\bmake sure (?:to |you |that |all |every )+(?:always "
        rf"|never )?(?:\w+ )?{WRITINGS}?.{{0,40}}\b(?:always|never|every|each|all)\b",
        PREFERENCE_FORMS,
    ),
    fact=any_of(
        r"\bmy (?:full |first |last |middle )?name is\b|\bi (?:live|work|study|was born|grew up|moved"
        r"|teach) (?:in|at|as|on|for|to|near)\b|\bmy (?:birthday|address|phone|job|age|timezone|time zone"
        r"|car|house|flat|bike|laptop|height|shoe size|blood type|commute|server|router|doctor"
        r"|employer)\b.{0,30}\b(?:is|are|runs)\b",
        r"\bi(?:'m| am) (?:\d+|from|based in|an? \w+ (?:at|in|by))\b|\bour \w+(?: \w+){0,3} (?:is|are"
        r"|runs on|lives|costs)\b|\bi (?:have|own|drive|speak) (?:an? |two |three |four |\d+ )?\w+",
    ),
    entity=any_of(
        rf"\b(?:my|our) {HOUSEHOLD}(?:'s name)? (?:is|are)(?: called| named)?\b|\bis my {HOUSEHOLD}\b"
        r"|\bis our \w+\b"
        r"|\b\w+'s (?:e-?mail|number|birthday|phone) is\b"
    ),
    question=any_of(
        r"\?[\s\"')\]!?]*$",
        rf"{START}(?:(?:do|does|did|is|are|was|were|am|can|could|would|will|should|shall|has|have|had|may"
        r"|might|isn't|aren't|don't you|doesn't|didn't|won't|wouldn't|shouldn't|can't) (?:i|we|you|he|she"
        r"|it|they|this|that|the|there|my|our|your|these|those|anyone|someone|somebody)\b(?! know))",
        rf"{START}(?:what|which|who|whom|whose|where|when did|when do|when does|when is|when are|when was"
        r"|when will|why|how)(?:'s|'re)?\b(?! (?:i (?:like|prefer|want|need|love|hate)|matters))",
        r"\b(?:any idea|do you know|can you tell me|tell me (?:what|which|whether|if|why|how)|i wonder"
        r"|remind me (?:what|which|why|who|whether)|not sure (?:what|which|whether|if))\b",
        r", (?:right|correct|isn't it|aren't we|don't we|didn't we|is that right)[.!]*$",
    ),
    hypothetical=any_of(
        rf"{START}(?:if|suppose|supposing|imagine|assuming|assume|let's say|let's assume|let's pretend"
        r"|say (?:we|i|you|that)|hypothetically|in case|unless|pretend|were (?:i|we)|had (?:i|we)"
        r"|in theory|for example|e\.g\.|for instance|as an example)\b",
        r"\b(?:maybe|perhaps|might|possibly|probably|presumably|not sure|unsure|wondering|i wonder"
        r"|thinking (?:about|of)|thinking we|considering|leaning (?:towards?|to)|tempted|i guess|i suppose"
        r"|undecided|haven't decided|hasn't decided|hasn't been decided|haven't been decided|(?:have"
        r"|has) not (?:yet )?(?:been )?decided|not (?:yet )?decided|didn't decide|yet to decide"
        r"|still deciding|can't decide|cannot decide|torn between|propose|proposing|proposal|(?:i|i\'d|we"
        r"|i\'m|i am|would) suggest(?:ing)?|tbd|not final|not settled|(?:before|until|once|when|after"
        r"|unless) (?:we|i)(?:'ve| have| had)? (?:\w+ )?(?:decided?|chosen|choose|agree|agreed|settled?"
        r"|switched|adopted)|(?:need|needs|have|has|want|wants|going|got) to (?:decide|choose|agree|pick"
        r"|discuss)|to be decided|how about|what about|what if|we could|i could|could (?:be|work|use)"
        r"|would be (?:nice|good|great|cool|better)|hypothetical\w*|in theory|theoretically|i'd consider"
        r"|we'd consider|(?<!as )if (?:we|i) (?:decide|chose|were|could|had|used|switched|went|ever)"
        r"|supposed to|if (?:\w+ ){1,3}(?:were|had|could)|i hope|i wish|up to you|you decide|open to)\b",
        r"\b(?:i think |i feel |i believe )?(?:we|i) (?:should|ought to)(?! (?:always|never)\b)",
        r"(?<!i'm )(?<!i am )(?<!not )\bused to (?:prefer|like|love|hate|use|enjoy|always|be|drink|eat|have"
        r"|do|work|think|avoid|write|run|live)\b",
        r"\b(?:would|'d) (?:have|be) (?:prefer|lik|lov|decid)\w+|\bwould have\b",
        r"\bi (?:don't|do not) (?:know|care|mind|remember|recall)\b|\bi(?:'m| am) not (?:sure|certain)\b"
        r"|\bi (?:think|guess) i(?:'d)? (?:might|may|could)\b",
    ),
    reported=any_of(
        r"\b(?!(?:i|we|you|just|also|already|really|never|always|once|have|had|as|i've|not|ever"
        r"|to)\b)[a-z][\w'-]* (?:once |always |just |also |recently |clearly )?(?:says|said|told (?:me|us"
        r"|him|her|them)|claims|claimed|wrote|writes|mentions|mentioned|insists|insisted|argues|argued"
        r"|thinks|believes|reckons|quoted|commented|replied|answered|suggests|suggested|recommends"
        r"|recommended|announced|asked (?:me|us|if|whether)|stated|states)\b",
        r"\b(?:according to|unquote|the (?:article|book|docs?|documentation|readme|manual|movie|song"
        r"|lyrics|blog|post|paper|author|tutorial) (?:says?|says that|recommends?|suggests?|prefers?"
        r"|states?)|(?:people|users|developers|they|others|some|many|most people) (?:say|think|believe"
        r"|prefer|like|claim|usually|always|decided|agreed|chose)|(?:he|she|they|it(?! has been|'s| is"
        r"| was)|(?!my |our )the (?:user|client|customer|vendor|author|government|court|model|agent"
        r"|assistant))(?: has| have|'s|'ve| had)? (?:prefers?|likes?|decided|agreed|chose|loves?|hates?"
        r"|always|never|wants?))\b",
        r"\bsubject: |\bdear (?:mr|ms|sir|all|team|\w+,)|\bin the (?:movie|book|song|story|game|novel)\b",
    ),
    reaction=any_of(
        r"^\W*(?:i (?:really |just |absolutely )?(?:love|like|hate|prefer) (?:it|this|that|them|these|those"
        r"|you|how|what|your|the way)\b(?! when you)|(?:love|like) (?:it|this|that)\b)",
        r"^(?!(?:please )?(?:tell|warn|alert|notify|ping|let|ask|call|text|e-?mail|message|keep|restart"
        r"|stop)\b).*\b(?:every time|each time|always|whenever"
        r"|keeps?)\b.*\b(?:fail(?:s|ed|ing)?|crash(?:es|ed|ing)?|errors?|broke|breaks|hangs|freez\w+"
        r"|doesn't work|not working|won't start|times out|slow|late)\b(?: (?:with|on|at|again|in"
        r"|after)\b.*)?[.!]*$"
        r"|\bsorry[.!]*$|\bi (?:always|never|keep) (?:mess|screw|mix|break|get (?:this|it|that)|struggle"
        r"|confus)"
        r"|\bi (?:always|never) (?:thought|wondered|knew|wanted|said|forget|lose|fail)\b|\bi hate to (?:say"
        r"|bother|ask)\b|\bi(?:'d| would) (?:love|like|prefer) to (?:know|see|hear|understand|learn|ask|get"
        r"|have a look|try|check|talk|chat|meet|thank|discuss|go|sleep|eat|order|buy|book|start|finish"
        r"|continue)\b",
        r"\bi(?:'d| would) like (?:a|an|the|some|you to (?:check|look|fix|run|write|send|make|find|see"
        r"|review|open|create|update|try|test|explain (?:this|the)))\b(?!.*\b(?:always|every|from now"
        r"|in future)\b)",
    ),
    transient=any_of(
        r"\b(?:right now|for now|at the moment|today|tonight|this (?:time|morning|afternoon|evening|once"
        r"|instant)|just this once|just once|for this (?:one|task|session|moment|demo|test|chat|run|time"
        r"|bug|reply|answer|question|ticket)|for the (?:moment|time being|demo)|temporarily|in a (?:minute"
        r"|moment|sec|second|bit)|asap|right away|immediately|once more|one more time|currently|any minute"
        r"|still running|as we speak|later today|(?<!from )here|(?:page|line|row|slide|option|step|figure"
        r"|question|item) \d+|the (?:first|second|third|last|next|other) (?:one|page|line|row|slide|option"
        r"|step|test|file|part|paragraph|image|picture|draft))\b",
        r"\bnow[.!]*$|\b(?:please )?(?:do it|fix it|try it|run it|check it|send it) now\b|\bthis (?:one"
        r"|file|function|bug|error|line|question|e-?mail|pr|branch|document|text|sentence|paragraph|page"
        r"|image|picture|table|list|code|answer|reply|script|test|part|section|ticket|issue|commit|article"
        r"|message|button|version|draft)\b",
    ),
    tag_question=any_of(
        r"[,.;!]? *(?:,|-|\b(?:ok|okay)) ?(?:ok|okay|alright|got it|deal|please|thanks|thank you"
        r"|what about you|how about you|and you|what do you think|if you don't mind|cool|fair"
        r"|understood)\?+\s*$",
        r", (?:ok|okay|please|alright|deal|got it|and you|what about you|how about you)\?+\s*$",
    ),
)
