"""Which rows enter the ledger as observations of their own, and which are counted on a row that is kept."""
