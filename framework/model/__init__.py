"""What exists before anything is local: schema, tables, laws, world, global numbers."""
