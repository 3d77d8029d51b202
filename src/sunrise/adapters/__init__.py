"""What touches the world: SQLite, LanceDB, embedding models, files, the clock."""
