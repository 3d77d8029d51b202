"""What the fields and codes of a receipt mean, in words; the receipt page fails when one is missing here."""

from __future__ import annotations

FIELDS = {
    "run_id": "start in UTC, flow, and six random digits: also the name of the file and of the page",
    "flow": "name of the flow",
    "status": "how the run ended, see below",
    "started_ms": "epoch milliseconds, UTC",
    "finished_ms": "epoch milliseconds, UTC; null while it runs",
    "dry_run": "nothing was written but this receipt and its page",
    "parent_run_id": "the run of the whole day that this one was part of",
    "reason": "a code, when the run was skipped, busy or failed",
    "counts": "whole numbers, most of them rows",
    "groups": "counts by a key: by label, by reason, by tier",
    "figures": "measured numbers: rates, shares, milliseconds",
    "facts": "short texts: a tag, a model id, a path",
    "refs": "record refs or names by kind",
    "steps": "name and wall milliseconds of each step, in order",
    "balances": "sums that hold between counts; a run whose receipt does not add up has failed",
    "anomalies": "what an operator must hear of",
    "schema": "name and version of this form",
}

STATUSES = {
    "running": "still at work, or killed and not yet noticed",
    "ok": "done; nothing to look at",
    "anomaly": "done; something needs a look",
    "failed": "the work failed; what was committed before stays",
    "busy": "another run of this flow held the lease; no work was done",
    "skipped": "there was nothing to work on; no work was done",
    "crashed": "the process vanished; a later run of any flow closed the receipt",
}

REASONS = {
    "stale": "Prefect started the run more than one period after its time; the next run catches up",
    "lease_taken": "another run of the flow is alive; `facts.held_by` names it",
    "no_memories_table": "the agent has not made its table yet",
    "no_golden_set": "no golden set is there to measure on",
    "contract_broken": "a column is missing, unknown or of another type: a mistake of the code, not of a row",
    "configuration": "the setup is wrong; the anomaly's message says what to change",
    "store": "a store could not be read or written, or the lease was lost; run it again",
    "receipt_does_not_add_up": "the counts contradict each other: a mistake of the code",
    "unexpected_error": "an error that nobody foresaw; the anomaly names it",
    "a_flow_failed": "a flow of the day failed; its own receipt says why",
    "a_flow_was_busy": "a flow of the day was being run elsewhere",
    "process_gone": "the process of the run no longer exists",
}

ANOMALIES = {
    "source_missing": "harvest: a source of the settings stands for nothing that is there",
    "source_unreadable": "harvest: a source cannot be read",
    "mostly_refused": "harvest: more lines were refused than `harvest.max_rejected_share` allows",
    "spool_not_scrubbed": "harvest: a file of the spool still shows a secret, because it cannot be written",
    "scorer_errors": "grade: the scorer failed on some rows; they are tried again",
    "missing_ids": "writeback: observations name memories that the table lacks; told once for each",
    "poisoned_memories": "writeback: memories of another writer look like orders to the model",
    "secrets_in_memories": "writeback: memories of another writer hold secrets; run `sunrise sweep`",
    "index_does_not_answer": "index: a probe did not find a row that is there",
    "drift": "drift: a statistic moved beyond `drift.alarm`",
    "queries_lost": "evaluate: queries that were answered last time are not now",
    "hit_rate_low": "evaluate: fewer queries were answered than `evaluate.min_hit` asks for",
    "golden_set_damaged": "evaluate: lines of a golden set were refused",
    "receipts_unreadable": "report: receipt files cannot be read",
    "secrets_remain": "sweep: files that are not backups still hold a secret; they are named",
    "file_not_scrubbed": "sweep: a file cannot be written",
    "backup_unreadable": "sweep: a backup cannot be opened, so nobody knows what it holds",
    "ledger_is_being_read": "sweep: a reader kept the file from being packed; the next sweep does it",
    "flow_busy": "sunrise: a flow of the day was being run elsewhere",
    "no_receipt": "sunrise: a flow ended without a receipt",
    "receipt_does_not_add_up": "any flow: the counts contradict each other",
    "unexpected_error": "any flow: an error that nobody foresaw",
}

REFUSALS = {
    "malformed_json": "the line is not JSON",
    "not_an_object": "the line is JSON, but no object",
    "invalid_utf8": "the line is not UTF-8; the sample is its first bytes in hexadecimal",
    "missing_text": "there is no summary and no text",
    "line_too_long": "the line is longer than 16 MiB",
    "nesting_too_deep": "the record nests deeper than 200 levels",
    "wrong_type": "a text field holds something else",
    "malformed_golden.*": "a line of a golden set cannot be read; the name of the error follows",
}

TABLES = {
    "observations": "one row for each thing that the agent did or said; governance fields are columns",
    "episodes": "what was said and done, word for word, append-only; observations refer to it",
    "observations_fts": "full-text index over the analysed text; triggers keep it",
    "changes": "audit trail, append-only: every governance field that a flow changed",
    "sightings": "rows that were counted on a row that is kept: by which rule, from where, and what differs",
    "entries": "how many rows of a day were admitted, collapsed, quarantined, refused and redacted, and why",
    "redactions": "what a sweep took out and where, never what it was",
    "outbox": "changes that the memories table has yet to take",
    "usage": "when a record was last retrieved, included and used",
    "runs": "one row for each run, with its receipt",
    "leases": "which run of which process is at work on a flow",
    "offsets": "how far each source was read",
    "watermarks": "how far a flow got",
    "notes": "small named texts: the drift baseline, the answered queries, what a sweep has to finish",
    "quarantine": "lines and rows that were refused, redacted",
    "pack_log": "receipts of context packs; nothing writes it yet",
    "migrations": "which migrations were applied, and when",
}
