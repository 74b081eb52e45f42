"""The laws of dry friction: `bristle` with sticking and slipping, `regularised` with slipping only."""
