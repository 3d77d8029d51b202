"""The signs of English, each with its weight: for a wish or decision that lasts, and against it."""

from __future__ import annotations

from typing import Final

from sunrise.domain.capture_evidence import Evidence, sign

ENGLISH_EVIDENCE: Final = Evidence(
    enough=3,
    too_little=-2,
    none=-4,
    decided=frozenset({"decided"}),
    signs=(
        sign(
            "dislikes",
            4,
            r"\bmuddles? me\b|\bconfuses? me\b|\bvertigo\b|\bphobi\w+|\basthma\w*|\bmigraines?\b|"
            r"\bno use (?:till|until|before|after)\b|\btrips me up\b|\bor she won't\b|\bor he won't\b|"
            r"\bor i (?:won't|can't|get|forget)\b|\bdon't (?:want|need) to (?:hear|see|know|read)\b|"
            r"\bnone of (?:this|that|your|the)\b|\bcould (?:do|live) without\b|\bcan (?:do|live) without\b|"
            r"\bleaves? me cold\b|\bnot my (?:bag|thing|scene)\b|\bmakes? my (?:skin|teeth|eyes|blood|"
            r"head)\b|\bdoes nothing for me\b|\brubs? me\b|\bthe ick\b|\bwon't (?:have|hear of|touch|"
            r"wear)\b|\bno (?:time|patience|stomach|love|use|truck) for\b|\blife's too short\b|"
            r"\bwouldn't touch\b|\bbarge ?pole\b|\bnot on my watch\b|\bover my dead body\b|\bbanned\b|"
            r"\bverboten\b|\bforbidden\b|\bdon't bother\b|\bdone with\b|\bis (?:a )?poison\b|"
            r"\bcan't (?:get on|get along) with\b|\bpet hate\b|\bgives me the\b|\bdrives? me (?:up|round|"
            r"mad|nuts|crazy|bonkers)\b|\bturns? my stomach\b|\bhard pass\b|\bno thanks? to\b|"
            r"\bsworn enem\w+|\bsacrosanct\b|\bhopeless\b|\bspare me\b|\bcomes? out in\b|"
            r"\bdoesn't agree with\b|\ballergic\b|\brash\b|\bwhatever you do\b|\bneedn't\b|\bdon't mix\b|"
            r"\b(?:is|are) a crime\b|\bgo easy on\b|\bnever got on with\b|\bcringe\b|\bno \w+ (?:stuff|talk|"
            r"work)\b|\bhands off\b|\bsacred\b|\bhaven't got all day\b|\bcan't be (?:doing|having|bothered)|"
            r"\b(?:hate|hates|loathe|detest|despise|abhor|can(?:'t|not) (?:stand|bear|abide|be (?:doing|"
            r"having|arsed)|deal|do|have|eat|drink|handle|tolerate|cope|read|hear|see)|allerg\w+|"
            r"intoleran\w+|c[o]?eliac|diabetic|vegan|vegetarian|not (?:a|an|much of an?|big|keen|into|"
            r"one for|really a?)\b|rubbish (?:with|at)|hopeless (?:with|at)|terrible (?:with|at)|"
            r"useless (?:with|at)|no (?:good|use) (?:with|at)|no-go|no go|off limits|out of bounds|"
            r"off the table|off the menu|dead to me|drives? me|does my head|on my nerves|makes me (?:cringe|"
            r"sick|ill|itch|anxious|wince|break)|gives? me (?:hives|a rash|the (?:creeps|ick)|"
            r"(?:a )?migraines?|(?:a )?headaches?|anxiety|heartburn)|put(?:s)? me off|bugs me|annoys me|"
            r"irritates me|sick of|tired of|fed up|pet peeve|steer clear|keep(?:s)? me up|bane of|allergies|"
            r"upsets? (?:my|his|her)|too (?:sweet|spicy|long|loud|salty|formal|bright|small) for(?! (?:me|"
            r"us) to))",
        ),
        sign(
            "likes",
            2,
            r"\bbring it on\b|\bif you please\b|\bor nothing\b|\bfine by me\b|\b(?:ok|okay|fine|good|"
            r"happy) with me\b|\bi can take it\b|\bgo nuts\b|\bknock yourself out\b|\bmore the merrier\b|"
            r"\byou know me\b|\bmy usual\b|\bi'm all for\b|\bhands down\b|\bby the book\b|\bworks? for me\b|"
            r"\bsuits me\b|\bthat's me\b|\bevery day of the week\b|\bcan't go wrong\b|\bmy kind of\b|"
            r"\bmy happy place\b|\bthe only way\b|\bsaves me\b|\balways have been\b|\bman, always\b|"
            r"\b(?:prefer\w*|love|loves|adore|favou?r\w*|fond of|partial to|fan of|go-to|swear by|"
            r"a sucker for|rather|always (?:go|take|use|order|buy)|i'm an? [\w -]{2,20}(?:person|man|woman|"
            r"guy|girl|gal|type|kind|user|drinker|bloke|lover)|works? best|suits? me|cup of tea|all about|"
            r"my thing|my jam|easier on my|any day|nothing beats|beats|big on|happiest|die[- ]?hard|hooked|"
            r"loyal to|sold on|old.school|old.fashioned|through and through|or nothing|or bust|all the way|"
            r"by far)\b",
        ),
        sign(
            "universal",
            2,
            r"\bfull stop\b|\bperiod\.?$|\bstays?\b|\bremains?\b|\beven for\b|\bno matter\b|"
            r"\bonce the kids\b|\btwelve to one\b|\bfrom \w+ (?:to|till|until) \w+\b|\b(?:always|"
            r"every(?!body said)|each|all|any|anything|everything|everyone|whenever|wherever|whatever|"
            r"whichever|by default|as a rule|for good|forever|generally|usually|normally|typically|only|"
            r"strictly|nothing but|at all times|across the board|throughout|no exceptions?|"
            r"without exception|ever|never|(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|mornings|"
            r"evenings|nights|in general|permanently|for life|religiously|year.?round|24/7|rule|policy|"
            r"standing|default|habit)\b",
        ),
        sign(
            "onward",
            4,
            r"\b(?:from (?:now|here|today|this day|monday|next|\w+day) on|from now|going forward|"
            r"moving forward|in (?:the )?future|henceforth|starting|from here on|next time|for next time|"
            r"as of|effective|hereafter|until (?:i|further)|onwards?|anymore|any more|no longer|"
            r"any longer)\b",
        ),
        sign(
            "record",
            3,
            r"\bnote to self\b|\bpin this\b|\bfile this\b|\btake note\b|\blog this\b|\bsave this\b|"
            r"\bwrite this down\b|\bin case it matters\b|\bas you know\b|\bi (?:told|keep telling) you\b|"
            r"\bhow many times\b|\bonce and for all\b|\bget it right\b|\b(?:for the record|heads up|fyi|"
            r"bear in mind|keep in mind|just so you know|note that|worth knowing|you should know|"
            r"in case (?:it|you)|so you know|remember|don't forget|make a note|jot|noted|mind you|reminder|"
            r"for future|for reference|mental note|psa|btw|keep .{2,20} in mind|let it be known)\b",
        ),
        sign(
            "prohibits",
            3,
            r"(?:^|[,.;:!-] ?|\b(?:please|so|and|but|just|pls|also|ok|then|ugh|right|yeah|honestly|mate|"
            r"seriously) )(?:do not|don'?t(?! (?:worry|know|think|mind|bother|panic|understand|have|see|"
            r"get))|never(?! (?:mind|seen|again|heard|had|been|did|got))|stop|quit|avoid|skip|drop|"
            r"leave (?:out|off)|no(?! (?:worries|problem|idea|clue|luck|need|one)\b)|no more|enough (?:with|"
            r"of)|lay off|spare|cut|lose|ditch|less|fewer|nothing|none|without|not (?!sure|yet|bad|now|"
            r"today|really|too)|forget|refrain|hold|kill)\b",
        ),
        sign(
            "instead",
            2,
            r", not \x22|\bno \x22|\bit's \w+, not\b|\bnot links?\b|\bi'd sooner\b|\bsooner .* than\b|"
            r"\b(?:instead of|instead|rather than|in place of|not the|as opposed to|over)\b|, ?not\b|"
            r"- (?:not|never)\b|\bnot \w+(?: \w+){0,3}[,.]? (?:but|use|it's|just)\b|\bit's \w+,? (?:not|"
            r"always)\b|\b(?:is|'s) spelled\b",
        ),
        sign(
            "decided",
            4,
            r"\bparted ways\b|\bcapped at\b|\bsaid yes\b|\bnow it's\b|\bmoved to\b|\b(?:is|are|"
            r"'s) (?:history|toast|dead|gone)\b(?!\?)|\bturns out\b|\bnow called\b|\bship has sailed\b|"
            r"\bplumped for\b|\bnailed down\b|\bput to bed\b|\bsaid yes to\b|\bturned down\b|\bhanded in\b|"
            r"\bgoing ahead\b|\bsettl(?:e|ing)\b|\bwent for\b|\bopted\b|\bsigned up\b|\bcommitting\b|"
            r"\bretir(?:ed|ing) the\b|\breplac(?:ed|ing)\b|\brenamed?\b|\bbit the bullet\b|\bcashless\b|"
            r"\bgone \w+less\b|\blanded on\b|\bit is[,.]|\b(?:is|are|'s) out\b|\bafter much\b|"
            r"\bshook hands\b|\b(?:decided(?! (?:nothing|yet)|\?)|settled|agreed|sorted|final(?:ly|ised|"
            r"ized)?|signed|locked|confirmed|official(?:ly)?|chosen|chose|picked|booked|committed|voted|"
            r"approved|it's a (?:go|deal|yes|no)|deal|done with|done deal|end of (?:discussion|story)|"
            r"case closed|no (?:going|turning) back|sticking (?:with|to)|stick(?:ing)? with|going (?:with|"
            r"for|ahead|back to)|gone with|go with|going to be|moving (?:to|over|away)|switch(?:ing|ed)|"
            r"migrat\w+|ditch\w*|dropp(?:ing|ed)|scrapp?\w*|binn\w+|out the window|it is|wins?|won|winner|"
            r"goes to|it's (?:going to be|gonna be)|made up (?:my|our)|mind(?:'s| is) made|plan is|call it|"
            r"ruled out|off the table|we're (?:keeping|staying|using|doing|having)|i'm (?:keeping|staying|"
            r"quitting|leaving|taking)|gave up|given up|giving up|sold|killed|pulled the plug|"
            r"shook (?:hands|on)|handshake|set (?:in stone|for|at)|cut.?off|deadline|due (?:on|by|date))\b",
        ),
        sign(
            "own_present",
            1,
            r"\b(?:i|we)(?:'m| am|'re| are)? (?:(?:only|always|never|usually|don'?t|do not|mostly|just|"
            r"still|both|all|generally|also|tend to|really) )*(?:an?|work|live|use|run|drink|eat|sleep|take|"
            r"keep|do|go|get|read|speak|write|buy|shop|teach|study|cook|own|have|code|wear|drive|cycle|swim|"
            r"need|want|like|on|in|left|from|based|paid|open|close|shut|deaf|blind|lactose|retired|self)\b|"
            r"\b(?:i've|we've|i have|we have) (?:a|an|two|three|four|no|got|only)\b",
        ),
        sign(
            "my_is",
            1,
            r"\b(?:my|our|the (?:kids|kid|baby|twins|wife|husband|dog|cat|missus|mrs|other half|shop|office|"
            r"house|nas|server|router|printer|wedding|clinic|ward|team|boss|"
            r"school)(?:'s)?)\b[\w' -]{0,30}\b(?:is|are|'s|has|have|needs?|gets?|does|do|lives?|works?|"
            r"can't|won't|doesn't|don't|goes|sits|runs|opens|closes|shuts)\b|\w+'s (?:a |an )?(?:allergic|"
            r"vegan|vegetarian|diabetic|c[o]?eliac|deaf|my|our|lactose)",
        ),
        sign(
            "you_habit",
            1,
            r"\byou(?:'re| are)? (?:keep|always|constantly|never|tend|forever|still|do that|have a habit|"
            r"sound|talk|go on|keep on)\b|\byour (?:\w+ )?(?:answers?|replies|emails?|summar\w+|messages?|"
            r"tone|code|commits?|drafts?|lists?|suggestions?|style|writing|responses?|explanations?|"
            r"reports?)\b|\bwith (?:the|all the|your)\b.{0,30}(?:already|please|,|$)",
        ),
        sign(
            "to_me",
            2,
            r"\bfor me\b|\bwith me\b|\b(?:for me|to me|with me|from me|call me|send me|give me|show me|"
            r"tell me|talk to me|write me|i ask|ask me|ping me|i say|i send|i give|i get|we say|"
            r"my (?:emails?|invoices|code|calendar|files|notes|photos|essays?|recipes?|documents?|inbox))\b",
        ),
        sign(
            "when_rule",
            2,
            r"\b(?:when(?:ever)?|if|any ?time|once|before|after|unless|until|where|as soon as) (?:you|i|we|"
            r"it's|there's|someone|anyone|a |an |in doubt|unsure|something)\b.{2,60}, ?\w|"
            r"\b\w+ .{2,50}\b(?:when(?:ever)?|before|unless|every time|each time|any ?time|if) (?:you|i|we|"
            r"it|there|someone|a|an|in doubt|needed|it's)\b|\banything (?:you|i|we|that|over|under|longer|"
            r"for|to do)\b",
        ),
        sign(
            "limit",
            2,
            r"\btops\b|\bno later\b|\bpast \w+\b|\b(?:max(?:imum)?|at most|at least|under|no (?:more|longer|"
            r"less|later|earlier) than|tops|or (?:less|fewer|shorter|under)|minimum|up to|within|before \d|"
            r"after \d|by \d|between)\b",
        ),
        sign(
            "manner",
            2,
            r"\bwarts and all\b|\bpunches\b|\bno.frills\b|\bstraight up\b|\blayman\b|\btl;?dr\b|"
            r"\bdumb (?:it|things) down\b|\blike i'm (?:five|5)\b|\bsugar-?coat\w*|\bswear\w*|\bhonest\b|"
            r"\bgreetings?\b|\bsign.?off\b|\bcaptions?\b|\bsubtitles\b|\bunits\b|\bcurrency\b|\bdates?\b|"
            r"\bfonts?\b|\bcaps\b|\bacronyms?\b|\bsources\b|\blinks?\b|\bfootnotes?\b|\bcitations?\b|"
            r"\bsnake_case\b|\bcamel ?case\b|\b(?:short|brief|concise|terse|plain|simple|blunt|direct|"
            r"straight|to the point|cut to the chase|formal|informal|casual|polite|metric|celsius|kilos?|"
            r"grams|markdown|bullet|emojis?|jargon|prose|headings|uppercase|lowercase|british|american|"
            r"24.hour|iso|utc|spelling|spaces|tabs|semicolons?|comments|types|tests|intros?|small talk|"
            r"waffle|fluff|pleasantries|exclamation|abbreviations?|lists?|tables?|large print|bigger font|"
            r"dark mode|light mode|first name|surname|nickname|pronouns?)\b",
        ),
        sign(
            "imperative",
            2,
            r"\bcall (?:the|our|my) [\w ]+ by\b|\bask me before\b|\bsend it all\b|\ball of it to\b|"
            r"\b(?:goes|go) (?:after|before|in|under|to)\b|\bplan (?:for|around) (?:that|it)\b|\b(?:text|"
            r"message|email|dm|whatsapp) me\b|\bgo easy\b|\bhands off\b|\bget that straight\b|"
            r"\bon everything\b|(?:^|[,;:-] ?(?:so |and |then |just |please )?|\b(?:please|pls|just|so|and|"
            r"always) )(?:use|keep|put|call|write|leave|make|stick|go|file|name|label|answer|reply|ask|tell|"
            r"give|send|assume|treat|think|bear|mind|speak|talk|cut|get|spell|round|quote|cite|format|sign|"
            r"start|end|begin|run|check|plan|schedule|book|order|buy|pick|include|add|note|mention|wait|let|"
            r"default|prefer|price|count|read|say|show|explain|follow|refer|address|pull|push|commit|store|"
            r"save|back|charge|bill|test)\b",
        ),
        sign(
            "this_one",
            -2,
            r"\b(?:this|that|these|those) (?:one|time|paragraph|letter|email|text|file|page|version|line|"
            r"bug|error|list|list|week|morning|afternoon|evening|month|is|was|looks?|worked|works|part|"
            r"section|draft|photo|thing|poem|sentence|recipe|message|function|test|code|table|script|image|"
            r"slide)\b|\bfor (?:this|that|now)\b|\bthis\b|\bit(?:'s)?\b$",
        ),
        sign(
            "moment",
            -3,
            r"\b(?:same as|like) last time\b|\blast time\b|\b(?:today|tonight|tomorrow|yesterday|"
            r"now(?!adays)|right now|at the moment|currently|this (?:morning|afternoon|evening|week|weekend|"
            r"month|year|time)|later|just (?:got|finished|had|did|now|been|woke|back)|an? (?:hour|minute|"
            r"while|week|day|month)s? ago|last (?:night|week|month|year|time)|earlier|soon|in a (?:bit|"
            r"minute|sec)|once|again|already|yet|so far|for now|temporarily|these days)\b",
        ),
        sign(
            "past",
            -2,
            r"\b(?:was|were|did|didn't|had|went|got|came|saw|took|made|made it|said|told|thought|felt|slept|"
            r"finished|started|failed|crashed|broke|tried|fixed|worked|ended up|forgot|lost|found|called|"
            r"emailed|walked|spent|ran|ate|woke|left|kept|turned)\b",
        ),
        sign(
            "ongoing",
            -2,
            r"\b(?:i'm|we're|i am|we are|it's|is|are|been) (?:\w+ly |still |just |so )?(?:thinking|trying|"
            r"looking|working on|waiting|running|getting|having|considering|wondering|off to|about to|"
            r"knackered|tired|exhausted|hungry|bored|stuck|sick|freezing|late|on my way|happy|sad|excited|"
            r"nervous|feeling|hoping|debating|torn|leaning|planning|stressed|sorry|back|here|fine|down|up|"
            r"done|ready|broken|slow|busy)\b",
        ),
        sign(
            "asks",
            -4,
            r"\?|^(?:so |and |but |ok |hey |well )*(?:what(?!ever)|how(?!ever)|why|who(?!ever)|where(?!ver)|"
            r"which(?!ever)|when (?:is|does|do|did|will|should)|is|are|does|did|do (?:you|i|we|they)|can|"
            r"could|should|would|will|shall|any (?:idea|chance|news)|have you|has)\b|\b(?:wondering|"
            r"curious) (?:if|whether|how|what)\b",
        ),
        sign(
            "hedge",
            -3,
            r"\b(?:maybe|might|perhaps|dunno|not sure|no idea|i guess|suppose|wonder|probably|possibly|"
            r"thinking (?:about|of)|could (?:go|be|do)|would(?! (?:rather|prefer|you mind))|wouldn't|"
            r"if (?:i|we) (?:were|had|moved|could|won|lived|ever|just)|what if|let's say|imagine|suppose|"
            r"pretend|in theory|hypothetically|sleep on|undecided|haven't|hasn't|not decided|didn't|hmm+|"
            r"either way|toying|tempted|considering|one day|someday|wish|hope|hoping|seems?|apparently|"
            r"leaning|torn)\b",
        ),
        sign(
            "reported",
            -2,
            r"\b(?:he|she|they|his|her|their|him|says|said(?<!i said)|tells|reckons|claims|wrote|goes|"
            r"insists|according|apparently|mentioned|asked me|everyone (?:says|keeps)|people|article|manual|"
            r"readme)\b(?!/)",
        ),
        sign(
            "quote",
            1,
            r'"[^"]+"',
        ),
        sign(
            "kin_says",
            -2,
            r"(?<!with )(?<!to )(?<!for )(?<!of )(?<!at )\bmy (?:mum|mom|dad|nan|gran\w*|grandma|boss|"
            r"manager|friend|mate|colleague|neighbou?r|brother|sister|doctor|teacher|professor|coworker|"
            r"roommate|landlord|cousin|uncle|aunt|flatmate|tutor|supervisor|client)s?\b",
        ),
        sign(
            "one_off",
            -5,
            r"^(?:ok |so )?let's (?:grab|see|go|get|try|start|look|take a)\b|\bi (?:want|need) to (?:see|"
            r"know|hear|check|find)\b|\bonly have \w+ (?:minutes|hours)\b|^(?:ok |now |and |then |please |"
            r"pls |can you |could you |just |hey |also |right |so )*(?:write (?:me )?(?:an?|the|two|three|"
            r"some|unit|tests|code|up|down|out)|give me (?!.*\b(?:first|only|straight|plain|every|always|"
            r"any day)\b)|gimme|translate|make (?:it|this|that|the|me)|fix|find|check (?:the|if|my|whether)|"
            r"show me (?:the|how)|restart|list (?:the|all|my|three|five)|draft|upload|stop the|show me|"
            r"remind|send (?:the|it|him|her|them|that|this)|summari[sz]e|help|explain (?:the|how|why|what|"
            r"this)|compare|rewrite|shorten|suggest|look|convert|open|turn|set|play|pick|create|generate|"
            r"delete|rename|move|run (?:the|it|that)|proofread|tell me|let me|let's see|add (?:the|a|an|"
            r"this|milk|eggs|\w+ (?:support|hints|to)|\w+_\w+)|order|calculate|come up|book (?:me )?(?:a|"
            r"the)|put the|try|search|schedule (?:a|the)|call (?:the|a))\b",
        ),
        sign(
            "chat",
            -1,
            r"\b(?:lol|haha+|hah|thanks|thank you|cheers|ta|no worries|wow|omg|meh|phew|yay|congrats|"
            r"good (?:morning|night|job)|nice|cool|great|sorry|bye|hello|hiya|love it|nah|oops|whoops|"
            r"believe it|funny|weird|brilliant)\b",
        ),
        sign(
            "feeling",
            -1,
            r"\b(?:i feel|i'm feeling|headache|knackered|exhausted|tired|hungry|starving|bored|stressed|"
            r"cried|i could (?:murder|do with|use)|i'd (?:kill|love|like)|craving|fancy a|need a (?:break|"
            r"drink|nap|coffee|holiday)|raining|rainy|weather|traffic|slept|long day|rough|miss (?:my|the|"
            r"you))\b",
        ),
        sign(
            "code",
            -3,
            r"[{}<>=;|]|\b(?:null|true|false|const|error|warn|info|debug|failed|exit code|exception|"
            r"[a-z]+_[a-z]+|https?)\b.{0,3}[:=]",
        ),
        sign(
            "third",
            -3,
            r"^(?:it|that|this|there|those|these|he|she|they|someone|some|the [\w ]{2,25} (?:is|was|are|"
            r"were|has|had|broke|failed|came|looks?|keeps?))\b",
        ),
        sign(
            "pronoun",
            -1,
            r"\b(?:it|them|him|her|that|this|these|those|one)\b(?:[,.!]| (?:again|back|now|up|out|please|"
            r"and|to|for|in|on|before|when|once|all)\b|$)",
        ),
        sign(
            "pain",
            -5,
            r"\b(?:back|head|feet|knees?|hip|legs?|neck|tooth|stomach|eyes?|shoulders?|throat)(?:'s|'re| is|"
            r" are)? (?:\w+ )?(?:killing|aching|hurts?|gone|sore|throbbing|still)|only (?:mon|tues|wednes|"
            r"thurs|fri)day\b|stand up straight",
        ),
        sign(
            "others",
            -5,
            r"\b(?:my|our|the|her|his|their) (?:flat ?mates?|room ?mates?|neighbou?rs?|boss(?:es)?|manager|"
            r"landlord|colleagues?|friends?|mates?|cousins?|teacher|professor|chef|driver|bus|train|printer|"
            r"app|api|server|internet|wifi|dog next door|bloke|guy|lady|woman|"
            r"man)(?:'s)? (?!name)(?:\w+ )?(?:is|are|was|never|always|only|just|wants?|keeps?|hates?|likes?|"
            r"loves?|doesn't|won't|says?|still|refuses?|insists?|thinks?|returns?|crash\w*|vegan)|\b(?:she|"
            r"he|they|people|cats|dogs|kids these days|everyone|everybody|nobody) (?:'s |"
            r"'ll )?(?:\w+ )?(?:hates?|loves?|knows?|always|never|chose|decided|wants?|says?|prefers?)|"
            r"\beveryone knows|the api\b|next door",
        ),
        sign(
            "undecided",
            -6,
            r"\b(?:no ?body|nothing|no one|neither|no)(?:'s|'ve| has| have)? (?:been |really |"
            r"actually )?(?:agreed|decided|settled|deal|decision|agreement)|\b(?:hasn't|haven't|isn't|"
            r"wasn't|not) (?:been |yet |actually |really )?(?:agreed|decided|settled|sorted|final|signed|"
            r"booked)|\bstill (?:up in the air|open|deciding|undecided|torn)|not a chance|so far\b",
        ),
        sign(
            "childhood",
            -5,
            r"\bwhen i was (?:small|young|little|a kid|\w+teen|at)|\bback (?:in the day|then|when)|"
            r"\bused to\b|\bas a (?:kid|child)|\bin those days",
        ),
        sign(
            "errand",
            -4,
            r"\bi'm \w+ing[.!]*$|\bpicked up\b|\bgone\.?$|\blol\b|\b(?:i'm|we're) (?:going|off|heading|"
            r"popping|nipping) (?:to (?:the|get|see|my|bed|work|town)|out|round|down|for a|home|with (?:mum|"
            r"mom|dad|the (?:kids|lads|girls)|him|her|them))|\bback (?:at|by|in) (?:\d|\w+)|\bi'll (?:do|"
            r"sort|handle|fix|check|be|get|try|take|just)|\bmyself\b|\brebooting|restarting|\bdone for\b|"
            r"\bup to me\b",
        ),
        sign(
            "own_noun",
            1,
            r"\bmum's on\b|\bour\b|^(?:no |nah |right |yeah )?(?:me|us|my lot|the (?:twins|kids|cat|dog|"
            r"wife|missus|old man|grandkids)|mum's|mum|dad's|dad|sundays|mondays|saturdays|weekends|"
            r"my (?!manager|boss|friend|mate|colleague|neighbour|neighbor|landlord|teacher|flatmate|"
            r"roommate|sister|brother|cousin)\w+)\b|\bfor me\b|\bas far as i'm concerned|in (?:this|"
            r"our) (?:house|family|shop|team)|\bhouse(?:hold)?\b",
        ),
        sign(
            "counterfactual",
            -6,
            r"\bif (?:it|i|we) (?:were|was|had|could|ran|won)\b|\bup to me\b|\bi'd never\b|"
            r"\bin an ideal world\b|\bi wish\b",
        ),
        sign(
            "in_this",
            -4,
            r"\b(?:in|to|on|from|of|into) (?:this|that|these|those) (?!house|family|household|home|team|"
            r"shop|office|company|project|repo|kitchen|order)\w+|\bthis one\b|\bthat one\b",
        ),
        sign(
            "none_left",
            -2,
            r"\bno \w+ (?:left|yet|today|again|available|here)\b|\bsold out\b|\brun out\b|, that (?:lad|one|"
            r"man|girl|woman)\b|\bbless (?:her|him|them)\b|fingers crossed|touch wood|\bmight not\b",
        ),
        sign(
            "elliptic",
            1,
            r"^[\w' ]{2,24}: (?!\d)[\w' -]+ only\b|^(?:no|never|nothing|zero|minimal|more|"
            r"less) [\w' -]{2,30}$|^[\w' -]{2,30},? please[.!]*$|^[\w' -]{2,30} over [\w' -]{2,30}|"
            r"\bor it (?:doesn't|didn't)\b|\bfor the (?:likes of )?(?:little one|kids|missus|boss)\b|"
            r'\bgets? (?:the )?"',
        ),
        sign(
            "then_ask",
            2,
            r"(?:\bi\b|\bi'm\b|\bmy\b|\bwe\b|\bwe're\b|\bour\b|\bkids?\b|\bmum\b|\bmom\b|\bdad\b|\bwife\b|"
            r"\bhusband\b|\btwins?\b|\bhousehold\b|\bclients?\b).{3,60}(?:, so|,| so| -|;|\.) (?:so |and |"
            r"then |just |please |always |only )*(?:don't|do not|never|no|keep|skip|steer|go|use|talk|write|"
            r"give|make|leave|avoid|plan|put|book|drop|call|send|text|stick|spare|filter|pencil|let|treat|"
            r"assume|show|speak)\b",
        ),
    ),
)
