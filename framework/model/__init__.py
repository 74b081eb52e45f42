"""The global model before its distribution over processes: schema, tables, laws, world, and global numbers of
coordinates.
"""
