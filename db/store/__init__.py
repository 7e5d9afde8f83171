"""The database itself: tables, schema, transactions, errors, and the files that SQLite keeps."""
