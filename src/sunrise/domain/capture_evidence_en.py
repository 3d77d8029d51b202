"""The signs of English, each with its weight: what speaks for a wish or decision that lasts, and against."""

from __future__ import annotations

from typing import Final

from sunrise.domain.capture_evidence import Evidence, Sign
from sunrise.domain.capture_phrases import any_of

ENGLISH_EVIDENCE: Final = Evidence(
    enough=3,
    too_little=-6,
    decided=frozenset({"decided"}),
    signs=(
        Sign(
            "dislikes",
            3,
            any_of(
                r"\b(?:hate|hates|loathe|detest|despise|abhor|can(?:'t|not) (?:stand|bear|abide|"
                r"be (?:doing|having|arsed)|deal|do|have|eat|drink|handle|tolerate|cope|read|hear|see)|"
                r"allerg\w+|intoleran\w+|c[o]?eliac|diabetic|vegan|vegetarian|not (?:a|an|much of an?|big|"
                r"keen|into|one for|really a?)\b|rubbish (?:with|at)|hopeless (?:with|at)|"
                r"terrible (?:with|at)|useless (?:with|at)|no (?:good|use) (?:with|at)|no-go|no go|"
                r"off limits|out of bounds|off the table|off the menu|dead to me|drives? me|does my head|"
                r"on my nerves|makes me (?:cringe|sick|ill|itch|anxious|wince|break)|gives? me (?:hives|"
                r"a rash|the (?:creeps|ick)|(?:a )?migraines?|(?:a )?headaches?|anxiety|heartburn)|"
                r"put(?:s)? me off|bugs me|annoys me|irritates me|sick of|tired of|fed up|pet peeve|"
                r"steer clear|keep(?:s)? me up|bane of|allergies|upsets? (?:my|his|her)|too (?:sweet|"
                r"spicy|long|loud|salty|formal|bright|small) for(?! (?:me|us) to))"
            ),
        ),
        Sign(
            "likes",
            1,
            any_of(
                r"\b(?:prefer\w*|love|loves|adore|favou?r\w*|fond of|partial to|fan of|go-to|swear by|"
                r"a sucker for|rather|always (?:go|take|use|order|buy)|i'm an? [\w -]{2,20}(?:person|man|"
                r"woman|guy|girl|gal|type|kind|user|drinker|bloke|lover)|works? best|suits? me|cup of tea|"
                r"all about|my thing|my jam|easier on my|any day|nothing beats|beats|big on|happiest|"
                r"die[- ]?hard|hooked|loyal to|sold on|old.school|old.fashioned|through and through|"
                r"or nothing|or bust|all the way|by far)\b"
            ),
        ),
        Sign(
            "universal",
            2,
            any_of(
                r"\b(?:always|every(?!body said)|each|all|any|anything|everything|everyone|whenever|"
                r"wherever|whatever|whichever|by default|as a rule|for good|forever|generally|usually|"
                r"normally|typically|only|strictly|nothing but|at all times|across the board|throughout|"
                r"no exceptions?|without exception|ever|never|(?:mon|tues|wednes|thurs|fri|satur|sun)days|"
                r"weekends|mornings|evenings|nights|in general|permanently|for life|religiously|"
                r"year.?round|24/7|rule|policy|standing|default|habit)\b"
            ),
        ),
        Sign(
            "onward",
            4,
            any_of(
                r"\b(?:from (?:now|here|today|this day|monday|next|\w+day) on|from now|going forward|"
                r"moving forward|in (?:the )?future|henceforth|starting|from here on|next time|"
                r"for next time|as of|effective|hereafter|until (?:i|further)|onwards?|anymore|any more|"
                r"no longer|any longer)\b"
            ),
        ),
        Sign(
            "record",
            2,
            any_of(
                r"\b(?:for the record|heads up|fyi|bear in mind|keep in mind|just so you know|note that|"
                r"worth knowing|you should know|in case (?:it|you)|so you know|remember|don't forget|"
                r"make a note|jot|noted|mind you|reminder|for future|for reference|mental note|psa|btw|"
                r"keep .{2,20} in mind|let it be known)\b"
            ),
        ),
        Sign(
            "prohibits",
            4,
            any_of(
                r"(?:^|[,.;:!-] ?|\b(?:please|so|and|but|just|pls|also|ok|then|ugh|right|yeah|honestly|"
                r"mate|seriously) )(?:do not|don'?t(?! (?:worry|know|think|mind|bother|panic|understand|"
                r"have|see|get))|never(?! (?:mind|seen|again|heard|had|been|did|got))|stop|quit|avoid|"
                r"skip|drop|leave (?:out|off)|no(?! (?:worries|problem|idea|clue|luck|need|one)\b)|"
                r"no more|enough (?:with|of)|lay off|spare|cut|lose|ditch|less|fewer|nothing|none|without|"
                r"not (?!sure|yet|bad|now|today|really|too)|forget|refrain|hold|kill)\b"
            ),
        ),
        Sign(
            "instead",
            1,
            any_of(
                r"\b(?:instead of|instead|rather than|in place of|not the|as opposed to|over)\b|, ?not\b|"
                r"- (?:not|never)\b|\bnot \w+(?: \w+){0,3}[,.]? (?:but|use|it's|just)\b|"
                r"\bit's \w+,? (?:not|always)\b|\b(?:is|'s) spelled\b"
            ),
        ),
        Sign(
            "decided",
            4,
            any_of(
                r"\b(?:decided(?! (?:nothing|yet)|\?)|settled|agreed|sorted|final(?:ly|ised|ized)?|signed|"
                r"locked|confirmed|official(?:ly)?|chosen|chose|picked|booked|committed|voted|approved|"
                r"it's a (?:go|deal|yes|no)|deal|done with|done deal|end of (?:discussion|story)|"
                r"case closed|no (?:going|turning) back|sticking (?:with|to)|stick(?:ing)? with|"
                r"going (?:with|for|ahead|back to)|gone with|go with|going to be|moving (?:to|over|away)|"
                r"switch(?:ing|ed)|migrat\w+|ditch\w*|dropp(?:ing|ed)|scrapp?\w*|binn\w+|out the window|"
                r"it is|wins?|won|winner|goes to|it's (?:going to be|gonna be)|made up (?:my|our)|"
                r"mind(?:'s| is) made|plan is|call it|ruled out|off the table|we're (?:keeping|staying|"
                r"using|doing|having)|i'm (?:keeping|staying|quitting|leaving|taking)|gave up|given up|"
                r"giving up|sold|killed|pulled the plug|shook (?:hands|on)|handshake|set (?:in stone|for|"
                r"at)|cut.?off|deadline|due (?:on|by|date))\b"
            ),
        ),
        Sign(
            "my_is",
            2,
            any_of(
                r"\b(?:my|our|the (?:kids|kid|baby|twins|wife|husband|dog|cat|missus|mrs|other half|shop|"
                r"office|house|nas|server|router|printer|wedding|clinic|ward|team|boss|"
                r"school)(?:'s)?)\b[\w' -]{0,30}\b(?:is|are|'s|has|have|needs?|gets?|does|do|lives?|"
                r"works?|can't|won't|doesn't|don't|goes|sits|runs|opens|closes|shuts)\b|\w+'s (?:a |"
                r"an )?(?:allergic|vegan|vegetarian|diabetic|c[o]?eliac|deaf|my|our|lactose)"
            ),
        ),
        Sign(
            "you_habit",
            1,
            any_of(
                r"\byou(?:'re| are)? (?:keep|always|constantly|never|tend|forever|still|do that|"
                r"have a habit|sound|talk|go on|keep on)\b|\byour (?:\w+ )?(?:answers?|replies|emails?|"
                r"summar\w+|messages?|tone|code|commits?|drafts?|lists?|suggestions?|style|writing|"
                r"responses?|explanations?|reports?)\b|\bwith (?:the|all the|your)\b.{0,30}(?:already|"
                r"please|,|$)"
            ),
        ),
        Sign(
            "to_me",
            3,
            any_of(
                r"\b(?:for me|to me|with me|from me|call me|send me|give me|show me|tell me|talk to me|"
                r"write me|i ask|ask me|ping me|i say|i send|i give|i get|we say|my (?:emails?|invoices|"
                r"code|calendar|files|notes|photos|essays?|recipes?|documents?|inbox))\b"
            ),
        ),
        Sign(
            "when_rule",
            2,
            any_of(
                r"\b(?:when(?:ever)?|if|any ?time|once|before|after|unless|until|where|as soon as) (?:you|"
                r"i|we|it's|there's|someone|anyone|a |an |in doubt|unsure|something)\b.{2,60}, ?\w|"
                r"\b\w+ .{2,50}\b(?:when(?:ever)?|before|unless|every time|each time|any ?time|if) (?:you|"
                r"i|we|it|there|someone|a|an|in doubt|needed|it's)\b|\banything (?:you|i|we|that|over|"
                r"under|longer|for|to do)\b"
            ),
        ),
        Sign(
            "limit",
            2,
            any_of(
                r"\b(?:max(?:imum)?|at most|at least|under|no (?:more|longer|less|later|earlier) than|"
                r"tops|or (?:less|fewer|shorter|under)|minimum|up to|within|before \d|after \d|by \d|"
                r"between)\b"
            ),
        ),
        Sign(
            "manner",
            2,
            any_of(
                r"\b(?:short|brief|concise|terse|plain|simple|blunt|direct|straight|to the point|"
                r"cut to the chase|formal|informal|casual|polite|metric|celsius|kilos?|grams|markdown|"
                r"bullet|emojis?|jargon|prose|headings|uppercase|lowercase|british|american|24.hour|iso|"
                r"utc|spelling|spaces|tabs|semicolons?|comments|types|tests|intros?|small talk|waffle|"
                r"fluff|pleasantries|exclamation|abbreviations?|lists?|tables?|large print|bigger font|"
                r"dark mode|light mode|first name|surname|nickname|pronouns?)\b"
            ),
        ),
        Sign(
            "imperative",
            2,
            any_of(
                r"(?:^|[,;:-] ?(?:so |and |then |just |please )?|\b(?:please|pls|just|so|and|"
                r"always) )(?:use|keep|put|call|write|leave|make|stick|go|file|name|label|answer|reply|"
                r"ask|tell|give|send|assume|treat|think|bear|mind|speak|talk|cut|get|spell|round|quote|"
                r"cite|format|sign|start|end|begin|run|check|plan|schedule|book|order|buy|pick|include|"
                r"add|note|mention|wait|let|default|prefer|price|count|read|say|show|explain|follow|refer|"
                r"address|pull|push|commit|store|save|back|charge|bill|test)\b"
            ),
        ),
        Sign(
            "this_one",
            -2,
            any_of(
                r"\b(?:this|that|these|those) (?:one|time|paragraph|letter|email|text|file|page|version|"
                r"line|bug|error|list|list|week|morning|afternoon|evening|month|is|was|looks?|worked|"
                r"works|part|section|draft|photo|thing|poem|sentence|recipe|message|function|test|code|"
                r"table|script|image|slide)\b|\bfor (?:this|that|now)\b|\bthis\b|\bit(?:'s)?\b$"
            ),
        ),
        Sign(
            "moment",
            -3,
            any_of(
                r"\b(?:today|tonight|tomorrow|yesterday|now(?!adays)|right now|at the moment|currently|"
                r"this (?:morning|afternoon|evening|week|weekend|month|year|time)|later|just (?:got|"
                r"finished|had|did|now|been|woke|back)|an? (?:hour|minute|while|week|day|month)s? ago|"
                r"last (?:night|week|month|year|time)|earlier|soon|in a (?:bit|minute|sec)|once|again|"
                r"already|yet|so far|for now|temporarily|these days)\b"
            ),
        ),
        Sign(
            "past",
            -2,
            any_of(
                r"\b(?:was|were|did|didn't|had|went|got|came|saw|took|made|made it|said|told|thought|felt|"
                r"slept|finished|started|failed|crashed|broke|tried|fixed|worked|ended up|forgot|lost|"
                r"found|called|emailed|walked|spent|ran|ate|woke|left|kept|turned)\b"
            ),
        ),
        Sign(
            "ongoing",
            -2,
            any_of(
                r"\b(?:i'm|we're|i am|we are|it's|is|are|been) (?:\w+ly |still |just |so )?(?:thinking|"
                r"trying|looking|working on|waiting|running|getting|having|considering|wondering|off to|"
                r"about to|knackered|tired|exhausted|hungry|bored|stuck|sick|freezing|late|on my way|"
                r"happy|sad|excited|nervous|feeling|hoping|debating|torn|leaning|planning|stressed|sorry|"
                r"back|here|fine|down|up|done|ready|broken|slow|busy)\b"
            ),
        ),
        Sign(
            "asks",
            -4,
            any_of(
                r"\?|^(?:so |and |but |ok |hey |well )*(?:what(?!ever)|how(?!ever)|why|who(?!ever)|"
                r"where(?!ver)|which(?!ever)|when (?:is|does|do|did|will|should)|is|are|does|did|"
                r"do (?:you|i|we|they)|can|could|should|would|will|shall|any (?:idea|chance|news)|"
                r"have you|has)\b|\b(?:wondering|curious) (?:if|whether|how|what)\b"
            ),
        ),
        Sign(
            "hedge",
            -3,
            any_of(
                r"\b(?:maybe|might|perhaps|dunno|not sure|no idea|i guess|suppose|wonder|probably|"
                r"possibly|thinking (?:about|of)|could (?:go|be|do)|would(?! (?:rather|prefer|you mind))|"
                r"wouldn't|if (?:i|we) (?:were|had|moved|could|won|lived|ever|just)|what if|let's say|"
                r"imagine|suppose|pretend|in theory|hypothetically|sleep on|undecided|haven't|hasn't|"
                r"not decided|didn't|hmm+|either way|toying|tempted|considering|one day|someday|wish|hope|"
                r"hoping|seems?|apparently|leaning|torn)\b"
            ),
        ),
        Sign(
            "reported",
            -2,
            any_of(
                r"\b(?:he|she|they|his|her|their|him|says|said(?<!i said)|tells|reckons|claims|wrote|goes|"
                r"insists|according|apparently|mentioned|asked me|everyone (?:says|keeps)|people|article|"
                r"manual|readme)\b(?!/)"
            ),
        ),
        Sign(
            "kin_says",
            -2,
            any_of(
                r"(?<!with )(?<!to )(?<!for )(?<!of )(?<!at )\bmy (?:mum|mom|dad|nan|gran\w*|grandma|boss|"
                r"manager|friend|mate|colleague|neighbou?r|brother|sister|doctor|teacher|professor|"
                r"coworker|roommate|landlord|cousin|uncle|aunt|flatmate|tutor|supervisor|client)s?\b"
            ),
        ),
        Sign(
            "one_off",
            -5,
            any_of(
                r"^(?:ok |now |and |then |please |pls |can you |could you |just |hey |also |right |"
                r"so )*(?:write (?:me )?(?:an?|the|two|three|some|unit|tests|code|up|down|out)|give me|"
                r"gimme|translate|make (?:it|this|that|the|me)|fix|find|check (?:the|if|my|whether)|"
                r"show me (?:the|how)|restart|list (?:the|all|my|three|five)|draft|upload|stop the|"
                r"show me|remind|send (?:the|it|him|her|them|that|this)|summari[sz]e|help|explain (?:the|"
                r"how|why|what|this)|compare|rewrite|shorten|suggest|look|convert|open|turn|set|play|pick|"
                r"create|generate|delete|rename|move|run (?:the|it|that)|proofread|tell me|let me|"
                r"let's see|add (?:the|a|an|this|milk|eggs)|order|calculate|come up|book (?:me )?(?:a|"
                r"the)|put the|try|search|schedule (?:a|the)|call (?:the|a))\b"
            ),
        ),
        Sign(
            "chat",
            -1,
            any_of(
                r"\b(?:lol|haha+|hah|thanks|thank you|cheers|ta|no worries|wow|omg|meh|phew|yay|congrats|"
                r"good (?:morning|night|job)|nice|cool|great|sorry|bye|hello|hiya|love it|nah|oops|whoops|"
                r"believe it|funny|weird|brilliant)\b"
            ),
        ),
        Sign(
            "feeling",
            -1,
            any_of(
                r"\b(?:i feel|i'm feeling|headache|knackered|exhausted|tired|hungry|starving|bored|"
                r"stressed|cried|i could (?:murder|do with|use)|i'd (?:kill|love|like)|craving|fancy a|"
                r"need a (?:break|drink|nap|coffee|holiday)|raining|rainy|weather|traffic|slept|long day|"
                r"rough|miss (?:my|the|you))\b"
            ),
        ),
        Sign(
            "code",
            -3,
            any_of(
                r"[{}<>=;|]|\b(?:null|true|false|const|error|warn|info|debug|failed|exit code|exception|"
                r"[a-z]+_[a-z]+|https?)\b.{0,3}[:=]"
            ),
        ),
        Sign(
            "third",
            -3,
            any_of(
                r"^(?:it|that|this|there|those|these|he|she|they|someone|some|the [\w ]{2,25} (?:is|was|"
                r"are|were|has|had|broke|failed|came|looks?|keeps?))\b"
            ),
        ),
        Sign(
            "pronoun",
            -1,
            any_of(
                r"\b(?:it|them|him|her|that|this|these|those|one)\b(?:[,.!]| (?:again|back|now|up|out|"
                r"please|and|to|for|in|on|before|when|once|all)\b|$)"
            ),
        ),
        Sign(
            "a_thing",
            -1,
            any_of(
                r"\b(?:an?|some|a few|ten|five|three|two|another) (?!rule|fan|big|no\b|bit|lot|matter|"
                r"habit|default)\w+"
            ),
        ),
    ),
)
