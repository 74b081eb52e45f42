"""The law of contact at points of cables that all geometries use: forces, decisions, updates, powers, tangents and
searches.
"""
