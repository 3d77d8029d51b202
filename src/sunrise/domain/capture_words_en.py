"""Lists of English words that the wordings of English are put together from, as parts of patterns."""

from __future__ import annotations

START = (
    r"^(?:(?:ok|okay|so|well|btw|by the way|also|and|but|hey|hi|hello|please|pls|plz|actually|oh|yes|yeah"
    r"|yep|no"
    r"|right|alright|great|thanks|thank you|sure|now|then|anyway|just|one more thing|ps|p\.s\.|fyi|first"
    r"|second"
    r"|next|quick note|heads up|important|update|for the record|for future reference|to be clear|honestly"
    r"|personally|as i said|like i said|like i told you|again|in general|generally|overall|new|small|general"
    r"|another thing|last thing|final(?:ly)?|lastly|and please|also please)\b[,.:;!-]* *)*"
)
WE_OR_I = r"\b(?:i|we)"
HOW = (
    r"(?: (?:really|much|still|strongly|generally|usually|personally|always|definitely|both|all|also|just"
    r"|simply"
    r"|absolutely|actually|kind of|very much|truly|tend to|would|do|normally|typically|mostly|mainly|often"
    r"|rather"
    r"|greatly|particularly|especially|now|only|finally|unanimously|already|officially|jointly|collectively"
    r"|recently|together|today|yesterday|eventually|ultimately))*"
)
NOT_PAST = (
    r"(?!\w+ed\b|said\b|got\b|saw\b|heard\b|thought\b|knew\b|did\b|had\b|went\b|was\b|were\b|made\b|came\b"
    r"|told\b"
    r"|found\b|understood\b|wrote\b|took\b|been\b|know\b|see\b|hear\b|reali[sz]e\b|forget\b|wonder\b"
    r"|end up\b|feel\b"
    r"|seen\b|get (?:confused|lost|stuck)\b|lose\b|fail\b|remember\b|struggle\b|mix\b)"
)
NOT_THIS = (
    r"(?!(?:it|this|that|these|those|them|him|her|you|your|how|what|the (?:way|idea|look|sound|new"
    r"|result|first|second|last|other))\b(?! when you))"
)
CHOOSE = (
    r"(?:decided(?! (?:yet|nothing))|agreed (?:to|on|that|upon|with the team|with [\w ]{2,20} (?:to|on"
    r"|that))|chosen|chose|settled (?:on"
    r"|for|that)"
    r"|opted (?:for|to|against|out)|resolved to|picked(?! up\b)|voted|committed to|concluded|signed off on"
    r"|ruled out|made (?:a|the|our|my) (?:final )?decision|made up (?:my|our) minds?|selected|finali[sz]ed"
    r"|approved|scrapped|adopted|postponed|standardi[sz]ed on|switched (?:over )?to|cancel+ed|landed on"
    r"|locked in"
    r"|dropped support|gone with|went with(?! (?:the (?:kids|family|guys|others)|my|our|him|her|them"
    r"|friends)\b)|given up on|rejected|shelved|greenlit|green-lit|made the call to"
    r"|accepted (?:the|an|their) offer|called off|signed (?:with|up with)|gone ahead with|went ahead with"
    r"|set(?:tled)? the \w+ (?:to|at|for)|capped|moved the (?:launch|release|meeting|deadline|date|start"
    r"|wedding|trip|date)|pushed (?:back )?the (?:launch|release|meeting|deadline|date))\b"
)
DO_FOR_GOOD = (
    r"(?:use|go with|go for|stick (?:with|to)|switch|adopt|keep|drop|ship|release|launch|deploy|support"
    r"|host|migrate"
    r"|replace|standardi[sz]e|store|write|build|name|bill|charge|pay|meet|hold|postpone|skip|move|hire|retire"
    r"|remove|publish|require|target|run|start|stop|cut|cap|limit|follow|buy|rent|sell|offer|be using"
    r"|be going with"
    r"|be moving|be switching|be dropping|merge|split|rename|freeze|rotate|invest|cancel|do without"
    r"|stay (?:with|on))"
)
DOING_FOR_GOOD = (
    r"(?:switching|moving(?! on\b)|migrating|going with|going for|dropping|sticking (?:with|to)"
    r"|standardi[sz]ing"
    r"|retiring|replacing|phasing out|sunsetting|cancel+ing|postponing|adopting|ditching|abandoning"
    r"|deprecating"
    r"|staying (?:with|on)|keeping|opting for|choosing|shelving|freezing|settling on|closing|ending|hiring"
    r"|launching|opening|outsourcing|selling|renting|quitting|giving up|discontinuing|pausing|delaying"
    r"|moving forward with|going ahead with|taking the (?:job|offer|second|first|train))\b"
)
WRITINGS = (
    r"(?:answers?|repl(?:y|ies)|responses?|messages|summar(?:y|ies)|e-?mails|commits?(?: messages?)?"
    r"|explanations?"
    r"|functions|prs|pull requests|reports?|comments|code|names|notes|docs|tests|meetings?|dates|times|output"
    r"|sentences|paragraphs|lists|headings|titles|variables?|branches|invoices|prices|numbers|units|files"
    r"|logs"
    r"|notifications|updates|slides|diagrams|tone|language|greetings|suggestions|recipes|reminders"
    r"|temperatures)"
)
MANNER = (
    r"(?:short|brief|concise|terse|simple|formal|informal|casual|polite|under|below|to the point|in|minimal"
    r"|small"
    r"|friendly|direct|professional|plain|neutral|clean|readable|within|at most|short(?:er)?|brief(?:er)?)"
)
NO_NOUNS = (
    r"(?:emojis?|emoticons|smileys|bullet ?points?|bullets|tables|markdown|jargon|small ?talk|meetings?"
    r"|(?:phone |video )?calls?"
    r"|spoilers|exclamation (?:marks|points)|abbreviations|semicolons|tabs|comments|voice (?:messages|notes)"
    r"|notifications|newsletters|flattery|filler|pleasantries|disclaimers|preambles?|e-?mails|deploys?"
    r"|deployments"
    r"|deploying|releases|merges|force.push\w*|apologies|slang|acronyms|passive voice|oxford comma|sugar"
    r"|meat|alcohol|coffee)"
)
TONGUE = (
    r"(?:english|chinese|mandarin|cantonese|japanese|korean|czech|german|french|spanish|italian|polish"
    r"|slovak|dutch"
    r"|portuguese|russian|ukrainian|vietnamese|thai|hindi|arabic|turkish|swedish|traditional|simplified"
    r"|british"
    r"|american|plain|full sentences|bullet points|markdown|metric|celsius|euros|dollars|utc|iso|lower ?case"
    r"|first person|short sentences|one sentence)"
)
HOUSEHOLD = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|kids?|children|family|team|company"
    r"|office|cat|dog|household)"
)
AN_ACT = (
    r"(?:use|put|add|write|call|include|send|ask|suggest|schedule|book|push|commit|deploy|merge|touch"
    r"|mention|share"
    r"|apologi[sz]e|sign|start|end|begin|format|reply|answer|respond|explain|address|wake|disturb|interrupt"
    r"|order"
    r"|buy|recommend|contact|email|e-mail|message|ping|text|phone|delete|assume|guess|invent|translate"
    r"|shorten"
    r"|abbreviate|repeat|show|tell|speak|talk|round|auto-?\w+|force-?push|cc|reschedule|run|install|change"
    r"|give)"
)
