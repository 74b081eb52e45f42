"""Files that are written completely or not at all, with digests, journals and locks."""
