"""The global model, before distribution over processes: schema, tables, laws, the world, global numbers."""
