"""Files that are whole or not there: digests, journals, locks."""
