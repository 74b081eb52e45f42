"""Where coordinates live."""
