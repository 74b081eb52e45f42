"""Files that are written completely or not at all: digests, journals, locks."""
