"""The laws of dry friction: `bristle` describes sticking and slipping. `regularised` describes friction without
sticking.
"""
