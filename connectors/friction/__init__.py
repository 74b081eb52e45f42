"""The laws of dry friction, each once: `bristle` with sticking and slipping, `regularised` with slipping only."""
