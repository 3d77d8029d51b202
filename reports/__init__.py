"""HTML pages for operators, made from receipts; no store, no file, no clock."""
