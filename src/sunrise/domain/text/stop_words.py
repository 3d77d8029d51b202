"""The English words that say nothing about what a text is about."""

from __future__ import annotations

# Left out on purpose, because they carry meaning in an agent's memory: down, up, off, never, always, must.
_WORDS = """
    a an the
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    this that these those there here
    who whom whose which what when where why how
    am is are was were be been being
    do does did doing have has had having
    can could will would shall should may might
    and or but nor not no if then than because as so too very just also only
    of at by for with about into onto to from in out on over under between through during before after
    again further once while until
    all any both each few more most other some such own same
    i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll
    we're we've we'd we'll they're they've they'd they'll that's there's here's who's what's where's when's
    why's how's let's isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't
    can't cannot couldn't won't wouldn't shan't shouldn't
    """

STOP_WORDS = frozenset(_WORDS.split())
