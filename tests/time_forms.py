"""Times in the forms that other programs write, what each means in Taipei, and what is no time."""

from __future__ import annotations

from typing import Any, Final

AT: Final = 1_752_960_000_000
"""2025-07-19 21:20 UTC, 05:20 of the next day in Taipei."""
MIDNIGHT: Final = 1_752_940_800_000
"""2025-07-20 00:00 in Taipei, 16:00 UTC of the day before."""

TIMES: Final[dict[str, tuple[Any, int]]] = {
    "seconds": (1_752_960_000, AT),
    "seconds with a fraction": (1_752_960_000.25, AT + 250),
    "milliseconds": (1_752_960_000_000, AT),
    "milliseconds as a float": (1_752_960_000_000.0, AT),
    "microseconds": (1_752_960_000_000_000, AT),
    "microseconds as a float": (1.75296e15, AT),
    "nanoseconds": (1_752_960_000_000_000_000, AT),
    "seconds in a text": ("1752960000", AT),
    "seconds with a fraction in a text": ("1752960000.25", AT + 250),
    "milliseconds in a text": ("1752960000000", AT),
    "microseconds in a text": ("1752960000000000", AT),
    "nanoseconds in a text": ("1752960000000000000", AT),
    "an exponent in a text": ("1.75296e9", AT),
    "wide digits": ("１７５２９６００００", AT),
    "spaces around": (" 1752960000 ", AT),
    "ISO, UTC": ("2025-07-19T21:20:00Z", AT),
    "ISO, in lower case": ("2025-07-19t21:20:00z", AT),
    "ISO, an offset": ("2025-07-19T14:20:00-07:00", AT),
    "ISO, an offset without a colon": ("2025-07-20T05:20:00+0800", AT),
    "ISO, an offset apart": ("2025-07-19 22:20:00 +0100", AT),
    "as we write it": ("2025-07-20 05:20 +08:00", AT),
    "ISO, a named UTC": ("2025-07-19 21:20:00 UTC", AT),
    "ISO, no zone": ("2025-07-20T05:20:00", AT),
    "ISO, no zone, a space, no seconds": ("2025-07-20 05:20", AT),
    "ISO, basic": ("20250719T212000Z", AT),
    "ISO, tenths": ("2025-07-19T21:20:00.5Z", AT + 500),
    "ISO, a comma": ("2025-07-19T21:20:00,5Z", AT + 500),
    "ISO, microseconds": ("2025-07-19 21:20:00.123456+00:00", AT + 123),
    "ISO, nanoseconds": ("2025-07-19T21:20:00.123456789Z", AT + 123),
    "a date": ("2025-07-20", MIDNIGHT),
    "a basic date": ("20250720", MIDNIGHT),
    "a date of a week": ("2025-W29-7", MIDNIGHT),
    "a mail's": ("Sat, 19 Jul 2025 21:20:00 GMT", AT),
    "a mail's with an offset": ("Sun, 20 Jul 2025 05:20:00 +0800", AT),
    "a mail's without a day of the week": ("19 Jul 2025 21:20 +0000", AT),
    "a mail's with an American zone": ("Sat, 19 Jul 2025 16:20:00 CDT", AT),
    "of the century before": ("1999-12-31T23:59:59Z", 946_684_799_000),
}

NO_TIMES: Final[dict[str, tuple[Any, str]]] = {
    "a word": ("yesterday", "not_a_time"),
    "a clock": ("05:20", "not_a_time"),
    "a month": ("2025-07", "not_a_time"),
    "a day that is not": ("2025-02-30", "not_a_time"),
    "an hour that is not": ("2025-07-20T25:00:00Z", "not_a_time"),
    "a mail's day that is not": ("Sat, 32 Jul 2025 21:20:00 GMT", "not_a_time"),
    "any character between date and time": ("2025-07-20105:20", "not_a_time"),
    "American": ("07/20/2025", "not_a_time"),
    "blank": (" ", "not_a_time"),
    "a very long number": ("9" * 5000, "not_a_time"),
    "negative": (-5, "negative"),
    "negative in a text": ("-1752960000", "negative"),
    "true": (True, "boolean"),
    "false": (False, "boolean"),
    "a list": ([1_752_960_000], "wrong_type"),
    "an object": ({"seconds": 1_752_960_000}, "wrong_type"),
    "infinite in a text": ("1e999", "not_finite"),
    "zero": (0, "too_early"),
    "a counter": (12_345, "too_early"),
    "a year": ("2025", "too_early"),
    "the zero of another calendar": ("0001-01-01T00:00:00Z", "too_early"),
    "the next century": ("2126-07-30T08:26:40Z", "too_late"),
    "the end of the calendar": ("9999-12-31T23:59:59Z", "too_late"),
    "the year 57518": ("1752960000000000000000", "too_late"),
    "beyond all units": (10**30, "too_late"),
}

FIELDS: Final = (
    "createdAt",
    "created_at",
    "created_at_ms",
    "created",
    "create_time",
    "timestamp",
    "ts",
    "date",
)
"""Names of the field of a memory's time, in the programs that they are imported from."""
