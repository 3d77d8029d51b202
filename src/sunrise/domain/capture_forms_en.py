"""The forms that a lasting wish or a decision has in English, whatever it is about, as parts of patterns."""

from __future__ import annotations

from typing import Final

from sunrise.domain.capture_phrases import either
from sunrise.domain.capture_words_en import AN_ACT, NO_NOUNS, START, WE_OR_I, WRITINGS

_THIS = (
    r"(?:it|this|that|these|those|them|him|her|yet|now|today|tonight|again|anything|the|a|an|my|worry|bother"
    r"|panic|rush|hurry|mind|forget|care|know|think|stop|give up|be|get me wrong|ask me (?:why|how)|look"
    r"|wait)\b"
)
_NOTHING_OF_NOTE = (
    r"(?:errors?|issues?|problems?|luck|ideas?|changes?|news|one|way|worries|rush|need|doubt|reason|thanks"
    r"|response|answer|output|sign|chance|wonder|time|clue|internet|connection|signal|such|progress|results?"
    r"|difference|warnings?|failures?|bugs?|events|pressure|hurry|offense|point|questions|crashes|money|room"
    r"|space|memory|left|more|longer|data|power|than|matches|logs?|updates|clients?|users|jobs?)\b"
)
_WITH_ME = (
    r"(?:(?:check|confirm|clear (?:it|that|them|everything)|consult|agree (?:it|that)) with|ask|warn|tell"
    r"|ping"
    r"|consult|run (?:it|them|that|things|everything) (?:by|past)|show|notify|alert) (?:me|us)"
)
_ALLERGIC = (
    r"(?:allergic to|(?:lactose|gluten|fructose)[- ]intolerant|intolerant|vegan|vegetarian|pescatarian|celiac"
    r"|coeliac|diabetic|left-handed|colou?r-?blind|dyslexic|(?:dairy|gluten|nut|sugar|meat)[- ]free)\b"
)

STANDING_FORMS: Final = either(
    # What has an exception is a rule.
    r"\bunless (?:i|we)(?:'ve| have)? (?:say|said|ask|asked|tell|told|specify|specified|explicitly"
    r"|specifically|request|approve|agree|confirm|okay)\b"
    r"|\bunless (?:told|asked|stated|specified|agreed|noted|instructed)\b|\bunless otherwise\b",
    r"\b(?:don't|do not|never|nothing|nobody|no \w+|not to|must not|mustn't|can't|cannot|shouldn't)\b.{0,60}"
    r"\bwithout (?:asking|checking|telling|consulting|warning|confirming|my|our|approval|permission|a review"
    r"|an ok|a heads.up)\b",
    r",? (?:and )?never (?!mind|again|ever|seen|heard|had|been|saw|got|was|thought|mine|works?|fails?|did|i\b"
    r"|the|a\b|an\b|that|this|it\b|even|really|\w+ed\b)\w+(?: \w+){0,6}[.!]*$(?<!again)(?<!before)",
    r"\bever again\b|\b(?:make|get) (?:it )?(?:a|in(?:to)? the) (?:habit|rule|point)\b"
    r"|\bevery single time\b(?! i\b)",
    rf"{START}(?:\w+ ){{1,6}}(?:by default|as (?:the|a|your) default)[.!]*$",
    rf"{START}{_WITH_ME}\b.{{0,30}}\b(?:before|whenever|every time|each time|prior to)\b"
    rf"|\bbefore (?:you|any|touching|deleting|changing|sending|running|making|merging|buying|booking|posting"
    rf"|installing|pushing|spending|committing|removing)\b.{{2,60}}?,? (?:always |please |first |you |must )*"
    rf"{_WITH_ME}\b|\bfor anything\b.{{2,60}}{_WITH_ME}\b",
    rf"{START}(?:on|at|in|for|with|during|before|after) (?:\w+ )?(?:\w+days|weekends|weekdays|weeknights"
    r"|mornings|evenings|school nights|holidays|vacations?|dinner|breakfast|lunch)\b.{0,20}, (?:please "
    rf"|only |just )*(?:{AN_ACT}|don't|do not|keep|no|make|leave|stick|mute)\b",
    r"\bwhenever\b(?!.*\b(?:crash\w*|fail\w*|error|hangs|freezes|breaks|happens|you're ready|you can"
    r"|you get)\b)",
    r"^(?:so |and |also |please )*(?:whatever|whichever|whoever|wherever|anything|everything|any [\w-]+"
    r"|all [\w-]+"
    rf"|every [\w-]+)(?: that)? (?:you|i|we|goes|for|about|over|under|with|from|to)\b.{{2,60}}(?:, "
    r"| )(?:please |must |should |needs? "
    rf"|has to |goes? |gets? |stays? |keep |make |{AN_ACT} |is (?:too|off|out)\b|are (?:too|off|out)\b)",
    r"\bthat(?:'s| is) (?:the|my|our|a) (?:house |family |team |general |golden )?(?:rule|deal|way|policy"
    r"|style|preference|limit"
    r"|standard|convention|arrangement|law|max|maximum)\b|\bthat(?:'s| is) (?:just )?how (?:i"
    r"|we)(?: always)? (?:like|do|want|roll|prefer"
    r"|work)\b|\bkeep (?:it|things) that way\b|\bhouse rules?\b|\b(?:as|like) always[.!]*$",
    r"\b(?:i|we)(?:'ve| have)?(?: already| just| clearly)? (?:said|told you|asked you|asked for"
    r"|mentioned)(?: (?:before|already|many times"
    r"|twice|again|you|that|a (?:million|hundred|thousand) times|so many times))* ?,?(?:no|not to|don't"
    r"|to (?:always|never|use|stop|keep"
    r"|call|avoid)|i (?:prefer|want|don't|like|hate|use|need)|never|only)\b",
    rf"{START}(?!(?:run|delete|check|remove|find|fix|review|count|replace|rename|change|update|move|convert"
    r"|search|look|go|list|read"
    rf"|test|i|we|it|he|she|they|you|this|that|the|there|my)\b)\w+ .{{2,50}}\b(?:everywhere|every time"
    r"|each time|every single \w+"
    r"|(?:for|in|with|across|on|to) (?:every|each|any|all(?! (?:of )?(?:these|those|this"
    r"|that))) (?!the\b)\w+)\b",
    r"\b(?:i|we) (?:need|want|expect|like|prefer)\b.{2,60}\b(?:every|each) (?:single )?time\b",
    r"\b(?:stick (?:to|with)|follow|respect|honou?r|go by|observe|use) (?:it|that|them|those"
    r"|these) (?:in all|in every|for all|for every"
    r"|everywhere|always|from (?:now|here)|throughout|across)\b",
    r"\beverywhere[.!]*$(?!.*\b(?:is|are|was|were)\b)",
    r"\b(?:when|if|where|wherever|unless) (?:in doubt|unsure|possible|relevant|applicable|appropriate"
    r"|needed|necessary|ambiguous"
    r"|unclear|something is (?:unclear|ambiguous)|you(?:'re| are) (?:unsure|not sure|in doubt|stuck"
    r"|uncertain)|you (?:don't know"
    r"|aren't sure))\b",
    r"^(?!the |this |that |it |they |we |i |he |she |what |let |don't )[\w' -]{3,30} (?:belongs?|go(?:es)?"
    r"|lives?) (?:in|into|on|under|with"
    r"|next to|to)\b(?!.*\b(?:wrong|bed|sleep|school|berlin|today|tonight|tomorrow)\b)",
    r"\bthe default\b.{2,40}\b(?:should|must|has to)\b",
    r"\b(?:i|we)(?:'ve| have)?(?: already)? (?:told|said|asked)(?: you)?(?: (?:before|already|again|twice"
    r"|this))*[,:] \w",
    r"\b(?:no matter (?:what|who|how|when)(?! (?:i|we) (?:try|do)\b)|whatever happens|come what may"
    r"|for the future)\b",
)

PREFERENCE_FORMS: Final = either(
    rf"{START}(?:(?:strictly|absolutely|definitely) )?no more (?!{_NOTHING_OF_NOTE})\w",
    rf"{START}(?:strictly |absolutely |definitely )?no (?!{_NOTHING_OF_NOTE})(?:[\w-]+ ){{1,4}}(?:in|on"
    r"|before|after|for|during|when|unless|please|allowed|ever|past|at (?:all|night|home|work|dinner|the))\b",
    rf"{START}(?:do(?:n't| not)) (?!{_THIS})(?:[\w-]+ )+?(?!.*\b(?:this|that|these|those|yet|it|them"
    r"|again|worry)\b)\w",
    rf"{START}(?:stop|quit|avoid|refrain from|no|cut out|lay off) (?:with )?(?:the |all the |all that "
    r"|your )*"
    r"(?!nothing|anything|something|everything|morning|evening|meeting|thing|building|warning|string|bring"
    r"|spring|king|ring|sing)\w+ing\b(?! (?:this|that|it|the|them|now|yet|anything|here)\b)(?!\W*$)",
    rf"{START}(?:enough (?:with|of)|cut(?: out| down on)?|spare me|lay off|(?:go )?easy on|ease up on"
    r"|tone down|dial (?:back|down)|lose|ditch|drop|skip|leave out|omit|less|fewer|hold|kill|more) (?:the "
    rf"|all the |all |your |all that |all those |with the )*(?:[\w-]+ ){{0,2}}?(?:{NO_NOUNS}|{WRITINGS}"
    r"|intros?|introductions?|fluff|fancy \w+|big words|sugar.?coating|hedging|caveats|small print|recaps?"
    r"|hashtags|puns|jokes|headings|bold|italics|formality|praise|corporate speak|buzzwords|theory)\b",
    r"\b(?:there's |there is )?no need (?:to|for) (?!it\b|that\b|this\b|hurry|rush|worry|panic|stress|be\b"
    r"|thank)\w+ (?!it\b|that\b|this\b|now\b)\w",
    r"\byou (?:don't|do not) (?:ever )?(?:have|need) to (?!worry|hurry|do (?:it|that|this)|be\b|know|wait)\w+"
    r" (?!it\b|that\b|this\b|these\b|now\b)\w",
    r"\byou(?:'re| are) (?:not |never )?(?:allowed|permitted|free) to\b|\byou(?:'re| are) (?:not|never) to\b",
    r"\byou (?:keep|constantly|always(?! (?:trust|rely|expect|assume|tell|count|get))|tend to"
    r"|have a habit of|(?:'re|are) (?:always|constantly)"
    r"|(?:'ve|have) been) (?!up\b|going\b|making my day|help|know|right|amaz|the best|there|crash|say the"
    r"|very|so\b|great|doing (?:great|well))\w+",
    rf"\byour {WRITINGS}(?: [\w-]+){{0,2}} (?:are|get|feel|read|sound|look|should|need|tend|could)(?:n't"
    r"| not)? (?:\w+ )?(?:too|way|far|overly|much too|be|to|shorter|longer|like)\b",
    rf"{START}try (?:not )?to (?:keep|use|avoid|be|write|answer|stick|limit|include|explain|reply|sound"
    r"|speak|phrase|give) (?!this\b|that\b|it\b|the (?:other|file|same|first|second)\b)\w",
    rf"{START}(?:name|format|prefix|indent|sign|label|tag|title|cite|spell|round|wrap|sort|group|phrase|store"
    r"|back up|default|quote|address|number|date|write out|abbreviate|capitali[sz]e|organi[sz]e|order|list"
    r"|file|archive|keep|put) (?!this\b|that\b|it\b|the\b|these\b|those\b|an?\b|going\b|up\b|me\b|him\b|in"
    r" mind|trying)(?:(?:all|my|our|your|new|every|each|any) )*(?:[\w-]+ ){0,2}?[\w-]+(?:s|ing|data|code) "
    r"(?:with|as|in|to|by|like|after|under|at|before|on|alphabetically|chronologically|lower|using|from|off"
    r"|out of|away from|separate|short|simple)\b",
    rf"{START}(?:(?:use|speak|write|give me|send me|show me|want|i want|i need|keep to) )?(?!read|for |if "
    r"|only "
    r"|not |the only )(?:[\w'-]+ ){2,5}only(?:,? please)?[.!]*$",
    r"(?:^|, )(?:all|every|each|any)(?: of (?:my|our|the))?(?: new| my| our)?(?: [\w-]+){1,4} (?:go(?:es)?"
    r"|lives?|stays?|belongs?|start|starts with|ends? (?:in|with)|follows?|uses?|includes?|runs? (?:in|on|as"
    r"|through)|is in|are in|is written|are written|comes? (?:with|before|after|first))\b",
    r"^(?!the |this |that |it |there |what |when |if |we |they )[\w .,/#+-]{2,50} (?:must|has to|have to"
    r"|should(?! (?:work|fix|help|do it|be (?:fine|ok|done|ready|good|enough)))|shall) (?:always |never |not "
    r"|only |all )?(?:be(?! \w+ing\b)|use|have(?! been)|go|come|start|end|stay|include|follow|get|run|live"
    r"|match|pass)\b",
    rf"^{WRITINGS}(?: [\w-]+){{0,3}} (?:in|under|at most|max(?:imum)?|no (?:more|longer) than|below|within|up"
    r" to|without) (?:\d+|one|two|three|four|five|english|\w+ (?:words|lines|sentences|please))\b",
    rf"{WE_OR_I}(?:'m| am|'re| are)(?: (?:really|very|so|quite|pretty|generally|usually|just|kind of|a bit"
    r"|totally|honestly|super|all))* (?:(?:not )?(?:big on|into (?!\w+ a\b)|(?:a )?(?:\w+ )?fans? of|crazy"
    r" about|keen on|wild about)|sensitive to|a sucker for|picky about|particular about|particular when|used"
    rf" to \w+ing|sick of (?!this|that|it\b)|fed up with|tired of your|{_ALLERGIC}"
    r"|an? (?:all )?\w+[- ](?:free"
    r"|user|guy|girl|gal|drinker|eater|lover|sleeper|learner|household|family|shop|house|first team)\b)",
    rf"\b(?:is|are|'s) (?:\w+ly |also |both )?{_ALLERGIC}",
    r"\b(?:can't|cannot|won't|doesn't|don't|never) (?:have|eat|drink|tolerate|touch|do) (?:any )?(?:dairy"
    r"|gluten|nuts|peanuts|eggs?|milk|meat|fish|pork|beef|shellfish|seafood|sugar|alcohol|caffeine|wheat|soy"
    r"|lactose|spicy|caffeine|coffee|mushrooms|onions?|garlic|cilantro)\b",
    rf"{WE_OR_I} (?:keep (?:kosher|halal)|go by\b|identify as\b|swear by|live (?:by|on)|default to"
    r"|gravitate towards?|lean (?:on|heavily)|do (?:all|most) (?:of )?(?:my|our)|use \w.*\bfor (?:everything"
    r"|all|most|every)\b|could(?:n't| not) care less|can(?:not|'t) (?:deal|do|be doing) with|can do without"
    r"|have (?:no patience|zero tolerance|a thing|a soft spot|a strong preference|a preference))\b"
    r"|\bmy pronouns are\b|\bname(?:'s| is) (?:spelled|spelt|pronounced|written)\b",
    r"\b(?:i'd|i would|we'd) (?:much |far |always )?(?:take|choose|pick|go for|go with)\b.{2,30}\b(?:over"
    r"|any day|any time|instead)\b|\bnothing beats\b|\bover .{2,30}, (?:please|always|every time)\b"
    r"|^[\w '-]{2,25} over [\w '-]{2,25}[.!]*$",
    r"\b(?:is|are|isn't|aren't|'s)(?: not)? (?:for me|my (?:thing|jam|cup of tea|favou?rite|style|kind of))\b"
    r"|\b(?:gets on|get on|grates? on) my nerves\b|\b(?:turn|turns|creep|creeps|puts|put) me off\b"
    r"|\b(?:a )?(?:pet peeve|dealbreaker|deal-breaker|hard no|no-no|must-have)\b"
    r"|\bit (?:bugs|annoys|irritates|bothers|helps) me (?:when|if)\b",
    rf"\bi (?:want|need|like|expect|prefer)(?: (?:to see|to have|to get))? (?:my |your |our )?{WRITINGS} "
    r"(?!of\b|for (?:this|that)\b|from (?:last|today|yester)|\w+ (?:now|today))\w+"
    r"|\bi (?:just |only )?want (?:prose|plain \w+|code only|full sentences|bullet points|numbers|sources"
    r"|links|facts|the (?:facts|numbers|code|conclusion|answer|short version|bottom line|gist))\b",
    rf"\bwhen (?:i|we)\b(?! (?:was|were|had|did|tried|got|woke|\w+ed)\b).{{3,60}}, (?:please |just |only |i "
    rf"(?:want|mean|only|need|expect|like)|it means|you (?:should|can|must)|{AN_ACT}|don't|do not|keep|assume"
    r"|make|skip|go)\b|\bif (?:i|we) (?:say|ask|write|type|don't (?:answer|reply|respond)|mention|seem|sound"
    rf"|use|call|send)\b.{{2,60}}, (?:please |just |only |i mean|it means|that means|you (?:should|can"
    rf"|must)|{AN_ACT}|don't|do not|keep|assume|make|skip|go|take)\b",
    rf"{START}(?:(?:really|still|just|absolutely|truly) )*(?:hate|love|prefer|dislike|loathe|adore"
    r"|can't stand|cannot stand|don't"
    r" like|do not like|don't eat|don't drink|not (?:really )?(?:a |an )?(?:big |huge )?(?:fan of|into)"
    r"|never liked|not keen on"
    r"|allergic to|big fan of|(?:i'd|would|'d) rather) (?!it\b|this\b|that\b|these\b|those\b|you\b|your?\b"
    r"|how\b|what\b|the (?:way|idea"
    r"|look|new|sound|first|second)\b|to (?:know|see|hear|say|ask)\b)\w",
    r"\byou (?:can|may|could)(?: always| just| also| safely)* (?:skip|omit|drop|leave (?:out|off)|assume"
    r"|ignore|do without|be (?:blunt"
    r"|direct|honest|informal|casual|brief|frank|rude)|swear|curse|joke|use (?:slang|jargon|abbreviations"
    r"|first names)|call me|speak"
    r" freely|talk to me)\b(?! (?:this|that|it|the (?:first|second|last|rest))\b)",
    r"\b(?:i|we)(?:'m| am|'re| are)? (?!(?:late|hungry|tired|busy|stuck|bored|sick|in a|going|working on"
    r"|trying|running|about)\b)[^,;]"
    rf"{{2,50}}[,;]? so (?:please |just |always |only |do )*(?:{AN_ACT}|keep|make|no|skip|avoid|stick"
    r"|assume|leave|plan|don't)\b(?! (?:it"
    r"|this|that)\b)",
    rf"{START}(?:don't |do not |never |only |please |no )*(?:{AN_ACT}|keep|make|avoid|skip|leave"
    rf"|\w+)\b(?! (?:it|this|that)\b).{{2,50}}"
    r"(?:,| -)? (?:because|since|cause|cuz|as) (?:i|we)(?:'m| am|'re)? (?:prefer|don't|can't|never|always"
    r"|hate|like|only|allergic|read"
    r"|speak|vegan|colou?r.?blind|vegetarian)\b(?! (?:know|see|understand|get|find|have (?:time|it)))",
    r"^(?!we\b|i\b|let)[\w -]{2,30} first, (?:then|and then|not) (?!we\b|i\b)[\w ]{2,30}",
    r"\b(?:is|are|'s) (?:a )?(?:hard |big |definite |strict )?(?:no|must|turn-?off|yes)(?: for (?:me|us)"
    r"| from me)?[.!]*$"
    r"|\btoo \w+(?: \w+){0,2} for (?:me|my taste|us)\b(?! to\b)",
    rf"{START}(?:keep|leave|block|hold) (?:my |our |the )?[\w' -]{{2,40}} (?:free|alone|untouched|clear"
    r"|as (?:it )?is|private|separate)\b"
    r"|\bhands off\b",
    rf"{START}use (?!this\b|that\b|the\b|it\b|an?\b|these\b|those\b|my (?:new"
    rf"|other)\b)[\w'/.+#-]+(?: [\w'/.+#-]+){{0,3}} for (?!this\b"
    r"|that\b|it\b|now\b|the\b|these\b)\w",
    r"^(?:[\w-]+ ){0,2}(?:metric|celsius|prose|tabs|spaces|english|indent(?:ation)?|(?:24|12).?hours?"
    r"|dark mode|bullet points|plain text"
    r"|short|brief|full sentences|british spelling|kilomet(?:er|re)s|code only|window seat"
    r"|aisle seat),?(?: please| pls| always| only"
    r"|, thanks)(?:,? \w+)?[.!]*$",
    r"^(?!.*\b(?:i meant?|because|this|that|it|he|she|yet|sure|was|were|did)\b)(?!(?:please )?(?:fix|change"
    r"|move|delete|open|show|check|run"
    r"|add|remove|rename|print|edit|take|click|look|try|send)\b)[\w' .$/:-]{6,60}, not (?!yet|really|now"
    r"|today|bad|sure|working|too|that|good"
    r"|even|so)(?:[\w'.$-]+ ?){1,4}[.!]*$",
    r"\b(?:we|our \w+|the (?:shop|store|office|clinic|studio|team|kids|stand-?up|retro|meeting"
    r"|release)s?)\b.{0,40}\b(?:on (?:mondays"
    r"|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays)|every (?:\w+day|first"
    r"|second|other)\b|at the (?:start"
    r"|end) of (?:each|every) )",
    rf"{START}(?:treat|assume|consider|regard|think of) (?:me|i|we|us|that (?:i|we))\b|\bi(?:'m| am) (?:the"
    r"|a) (?:kind|type|sort) of\b",
    r"\b(?:my|our|i|we|i'm|we're)\b(?! (?:am |was |were )?(?:late|hungry|tired|busy|stuck|bored|sick|in a"
    r"|going|working on|trying|running"
    r"|waiting|about|had|got|lost|forgot))[^,?]{3,60}, so (?:please )?(?!i\b|i'|we\b|we'|he\b|she\b|it\b"
    r"|they\b|that|this\b|far\b|what|the\b"
    r"|my\b|our\b|there|you\b|no\b|maybe|not\b|probably|much|many|now\b|all\b|yeah|yes|here|on\b|to\b|can\b"
    r"|could\b|how\b|let me)\w+ \w",
    r", (?:so )?(?:please )?(?:plan|work|schedule|adjust|build|arrange|account|act"
    r"|organi[sz]e) (?:everything )?(?:around|with|for|to|accordingly)"
    r"\b",
    rf"{START}(?:use|keep|avoid|prefer|word|phrase|treat|assume|spell|respect|favou?r|limit|refer to|round"
    r"|cite|capitali[sz]e|mind) (?!it\b"
    r"|this\b|that\b|the\b|an?\b|these\b|those\b|them\b|going|trying|looking|me\b|in mind|up\b|calm|on\b"
    r"|my (?:new|other|old|credit|card)"
    r"|your (?:eyes|fingers)|him|her\b|you\b|what|whatever|moving|working|reading|talking|walking|posted"
    r"|option|step|line|page)\w",
    r"\b(?:my|our) (?:rule|policy|motto|principle|limit|standard|habit|routine|ritual) (?:is"
    r"|has always been|stays)\b"
    r"|^(?!read|for |if |it |works? )[\w' -]{2,30} only (?:in|for|on|at|after|before|with|when) \w",
    rf", (?:so )?no (?!{_NOTHING_OF_NOTE})\w+ (?:then|during|before|after|at|on|in|please|until)\b",
    r"^for (?!this\b|the\b|that\b|now\b|example|instance|some\b|once\b|what|a\b|sure"
    r"|real)[\w -]{3,30}, (?!i\b|i'|we\b|it\b|it'|he\b|she\b|they\b|there\b|you can\b)\w+",
    r"\bi (?:want|need|expect) (?:the (?:agent|assistant|bot)|you) to\b.{2,60}\b(?:every|each|all)\b",
    r"\bit's (?:mrs|mr|ms|dr|prof|professor|doctor|miss|spelled|spelt|called|pronounced"
    r"|written)\b.{1,40}, not\b",
)

DECISION_FORMS: Final = either(
    r"\b(?:that|it|this)(?:'s| is) (?:final|settled|decided|a done deal|set in stone|not up for debate"
    r"|non-negotiable|locked in|official)\b|\bend of (?:story|discussion|debate)\b|\bcase closed\b"
    r"|\bdecision(?:'s| is| was|:)? (?:made|final|taken)\b|\bdone deal\b|\bfinal (?:answer|call"
    r"|decision)\b[,:.]",
    rf"{WE_OR_I}(?:'re| are|'m| am|'ve been)(?: (?:now|officially|definitely|finally|permanently|all))*"
    r" (?:settling on|picking|scrapping|killing|axing|ripping out|rolling out|committing to|betting on"
    r"|doing away with|getting rid of|bringing in|upgrading to|consolidating|accepting|declining|turning down"
    r"|enrolling in|majoring in|signing up (?:for|with)|parting ways with|saying (?:yes|no) to|moving off"
    r"|pulling out of|calling off|leaving \w+ for|saying goodbye to|locking in)\b",
    rf"{WE_OR_I}(?: have|'ve|'s| has)?(?: (?:just|now|finally|all|both|eventually|also|already))* (?:ended up"
    r"|wound up|narrowed (?:it|things) down to|came down (?:on|in favou?r)|pulled the (?:trigger|plug)"
    r"|put our foot down|sided with|nailed down|shook (?:hands )?on|drawn? the line|drew the line|ruled out"
    r"|turned down|said (?:yes|no) to|ditched|axed|abandoned|ripped out|binned|moved (?:off|away from"
    r"|over to)"
    r"|passed on|killed|dropped (?!by|off|the (?:kids|ball))|booked us|fixed the date|set the date"
    r"|signed the|hired|come to a decision|came to (?:a|the) (?:decision|conclusion)|gone for|went for"
    r"|switched from|stuck with)\b(?! (?:a walk|a run|lunch|dinner|coffee|a ride|drinks))",
    r"\b(?:after|in the end|finally|eventually|ultimately|at last|having)\b.{0,70}\b(?:won|wins|chose|picked"
    r"|went with|settled|decided|voted|opted|agreed|landed on|chosen)\b(?! (?:to (?:work|respond|start)"
    r"|working))",
    r"^(?:ok |so |and )*the (?:\w+ ){0,2}(?:name|date|deadline|launch|venue|budget|price|stack|database"
    r"|framework|topic|title|plan|owner|provider|vendor|licen[cs]e|logo|colou?r|theme|wedding|trip|release"
    r"|theme|major|language|host|domain|cap|limit|kick-?off) (?:will (?:be|use|take|happen|stay)|is going to"
    r" be|is set (?:to|for)|stays|remains|shall be)\b",
    r"\b(?:is|are) (?:officially )?(?:off the table|out of the (?:question|running|race)|the winner|our pick"
    r"|my pick|the one we|what we're going with|what we (?:chose|picked|decided)|no longer an option"
    r"|the way (?:to go|forward))\b|\b(?:it'll|it will|it's going to) be [\w .+#-]{2,30}(?:, not|, no|"
    r" then[.!]*$| instead of)\b",
    r"\b(?:is|are) out[,.;!]|,[^,]{2,25} (?:is|are) (?:out|dead|gone)[.!]*$",
    r"\b\w+'s (?:off the table|out of the (?:question|running|race)|the winner|dead to us"
    r"|no longer an option)\b",
    r"\b(?:i|we)(?:'m| am|'re| are) (?:going to|gonna) (?:use|go with|stick (?:with|to)|switch|adopt"
    r"|standardi[sz]e|build .{2,30} (?:with|in"
    r"|on))\b(?!.*\b(?:today|tonight|tomorrow|later|now|this afternoon)\b)",
    r"\blet's (?:all )?(?:standardi[sz]e|settle|agree|decide) on (?!this\b|that\b|it\b)|\bi'm (?:totally "
    r"|officially )?done with (?!this\b"
    r"|that\b|it\b|the\b|my\b|work\b|today\b)\w|\bmoving everything (?:to|over)\b",
    r"^(?:(?:ok|so|right|well|good news|update),? |the whole |all |both )?the (?:\w+ )?(?:band|choir|class"
    r"|club|crew|staff|council|partners"
    r"|household|squad|studio|couple|parents|kids|owners|lab|office|department|guild|group|team|board"
    r"|family)(?: have| has|'s|'ve)?"
    r"(?: all| finally| just| now)* (?:settled on|agreed (?:on|to|that)|voted (?:for|to)|chose|picked"
    r"|went with|decided (?:on|to|that|against))\b"
    r"(?! nothing)",
    r"\b(?:i|we)(?:'m| am|'re| are) (?:not|never) (?:ever )?(?:switching|moving|going back|changing|leaving"
    r"|giving up|buying|using|eating|paying"
    r"|upgrading|selling|renewing|replacing)\b(?!.*\b(?:today|tonight|right now|yet)\b)",
)
