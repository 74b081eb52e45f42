"""What exists before anything is local: schema, tables, laws, the world, global numbers."""
