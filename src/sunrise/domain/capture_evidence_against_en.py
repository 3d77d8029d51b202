"""The signs of English that speak against a wish or decision that lasts, each with its weight."""

from __future__ import annotations

from typing import Final

from sunrise.domain.capture_evidence import Sign, sign

AGAINST: Final[tuple[Sign, ...]] = (
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
        -1,
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
        -4,
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
        "kin_says",
        -2,
        r"(?<!with )(?<!to )(?<!for )(?<!of )(?<!at )\bmy (?:mum|mom|dad|nan|gran\w*|grandma|boss|"
        r"manager|friend|mate|colleague|neighbou?r|brother|sister|doctor|teacher|professor|coworker|"
        r"roommate|landlord|cousin|uncle|aunt|flatmate|tutor|supervisor|client)s?\b",
    ),
    sign(
        "one_off",
        -5,
        r"^(?:please |ok |now )*(?:count|measure|sort|print|scan|zoom|pause|paste|crop|resize|wish|"
        r"hold) |^(?:ok |so )?let's (?:grab|see|go|get|try|start|look|take a)\b|\bi (?:want|"
        r"need) to (?:see|know|hear|check|find)\b|\bonly have \w+ (?:minutes|hours)\b|^(?:ok |now |and |"
        r"then |please |pls |can you |could you |just |hey |also |right |so )*(?:write (?:me )?(?:an?|"
        r"the|two|three|some|unit|tests|code|up|down|out)|give me (?!.*\b(?:first|only|straight|plain|"
        r"every|always|any day)\b)|gimme|translate|make (?:it|this|that|the|me)|fix|find|check (?:the|"
        r"if|my|whether)|show me (?:the|how)|restart|list (?:the|all|my|three|five)|draft|upload|"
        r"stop the|show me|remind|send (?:the|it|him|her|them|that|this)|summari[sz]e|help|"
        r"explain (?:the|how|why|what|this)|compare|rewrite|shorten|suggest|look|convert|open|turn|set|"
        r"play|pick|create|generate|delete|rename|move|run (?:the|it|that)|proofread|tell me|let me|"
        r"let's see|add (?:the|a|an|this|milk|eggs|\w+ (?:support|hints|to)|\w+_\w+)|order|calculate|"
        r"come up|book (?:me )?(?:a|the)|put the|try|search|schedule (?:a|the)|call (?:the|a))\b",
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
        "pain",
        -5,
        r"\b(?:back|head|feet|knees?|hip|legs?|neck|tooth|stomach|eyes?|shoulders?|throat)(?:'s|'re| is|"
        r" are)? (?:\w+ )?(?:killing|aching|hurts?|gone|sore|throbbing|still)|only (?:mon|tues|wednes|"
        r"thurs|fri)day\b|stand up straight",
    ),
    sign(
        "others",
        -5,
        r"\bmy (?:sisters?|brothers?|aunt(?:ie)?|uncle|cousins?|in-laws|nephew|niece|ex|gran|nan|"
        r"grandad) (?:always|never|usually|only|loves?|hates?|prefers?|swears|books?|says?|keeps?|"
        r"refuses)\b|\b(?:my|our|the|her|his|their) (?:flat ?mates?|room ?mates?|neighbou?rs?|"
        r"boss(?:es)?|manager|landlord|colleagues?|friends?|mates?|cousins?|teacher|professor|chef|"
        r"driver|bus|train|printer|app|api|server|internet|wifi|dog next door|bloke|guy|lady|woman|"
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
        "weather",
        -5,
        r"\b(?:forecast|rain(?:s|ing|y)?|snow(?:s|ing)?|sunny|drizzle|storm)\b(?!.*\b(?:prefer|always|"
        r"whenever|never)\b)",
    ),
    sign(
        "bare_request",
        -2,
        r"^(?:ok |now |then |please |just |hey |also )*(?!remember|keep|never|always|don't|do not|no\b|"
        r"call me|stick|treat|assume|default|leave)[a-z]+ (?:me )?(?:the|my|our|a|an|this|that|it|these|"
        r"all the)\b(?!.*\b(?:always|every|each|never|only|when(?:ever)?|from|before|after|unless|"
        r"default|instead|not|no|don't|without|in (?:english|metric|lower|upper)|under|by|first|any|"
        r"for me|stays?|because|since|so|if)\b)",
    ),
)
