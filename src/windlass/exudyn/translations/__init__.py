"""Translations of items of Exudyn, one function for each type."""
