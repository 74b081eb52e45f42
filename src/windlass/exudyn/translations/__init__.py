"""Translations of Exudyn's items. Each function translates one type of item."""
