"""Translations of Exudyn's items; each function translates one type of item."""
