"""The laws of dry friction, each once: `bristle` for what sticks and slips, `regularised` for what only slips."""
