"""The signs of English, each with its weight: for a wish or decision that lasts, and against it."""

from __future__ import annotations

from typing import Final

from sunrise.domain.capture_evidence import Evidence, sign
from sunrise.domain.capture_evidence_against_en import AGAINST

ENGLISH_EVIDENCE: Final = Evidence(
    enough=3,
    too_little=-2,
    none=-4,
    decided=frozenset({"decided"}),
    signs=(
        sign(
            "dislikes",
            3,
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
            4,
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
            r"(?:'s| is) off,|\bwe're (?:extending|building|buying|selling|moving|renting|hiring|painting|"
            r"opening|closing|keeping|adding|cutting) (?:the|our|a)\b|\bparted ways\b|\bcapped at\b|"
            r"\bsaid yes\b|\bnow it's\b|\bmoved to\b|\b(?:is|are|'s) (?:history|toast|dead|gone)\b(?!\?)|"
            r"\bturns out\b|\bnow called\b|\bship has sailed\b|\bplumped for\b|\bnailed down\b|"
            r"\bput to bed\b|\bsaid yes to\b|\bturned down\b|\bhanded in\b|\bgoing ahead\b|\bsettl(?:e|"
            r"ing)\b|\bwent for\b|\bopted\b|\bsigned up\b|\bcommitting\b|\bretir(?:ed|ing) the\b|"
            r"\breplac(?:ed|ing)\b|\brenamed?\b|\bbit the bullet\b|\bcashless\b|\bgone \w+less\b|"
            r"\blanded on\b|\bit is[,.]|\b(?:is|are|'s) out\b|\bafter much\b|\bshook hands\b|"
            r"\b(?:decided(?! (?:nothing|yet)|\?)|settled|agreed|sorted|final(?:ly|ised|ized)?|signed|"
            r"locked|confirmed|official(?:ly)?|chosen|chose|picked|booked|committed|voted|approved|"
            r"it's a (?:go|deal|yes|no)|deal|done with|done deal|end of (?:discussion|story)|case closed|"
            r"no (?:going|turning) back|sticking (?:with|to)|stick(?:ing)? with|going (?:with|for|ahead|"
            r"back to)|gone with|go with|going to be|moving (?:to|over|away)|switch(?:ing|ed)|migrat\w+|"
            r"ditch\w*|dropp(?:ing|ed)|scrapp?\w*|binn\w+|out the window|it is|wins?|won|winner|goes to|"
            r"it's (?:going to be|gonna be)|made up (?:my|our)|mind(?:'s| is) made|plan is|call it|"
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
            r"\byou've (?:done it|got it wrong|mixed)\b|\bmixed up\b|\bwrong again\b|\bagain, (?:mixed|got|"
            r"called|used|wrote|put)\b|\byou(?:'re| are)? (?:keep|always|constantly|never|tend|forever|"
            r"still|do that|have a habit|sound|talk|go on|keep on)\b|\byour (?:\w+ )?(?:answers?|replies|"
            r"emails?|summar\w+|messages?|tone|code|commits?|drafts?|lists?|suggestions?|style|writing|"
            r"responses?|explanations?|reports?)\b|\bwith (?:the|all the|your)\b.{0,30}(?:already|please|,|"
            r"$)",
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
            "quote",
            1,
            r'"[^"]+"',
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
        *AGAINST,
    ),
)
