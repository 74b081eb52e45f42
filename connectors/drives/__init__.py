"""Complete belts and ropes on their pulleys. One call creates the cables on their route and the contacts with the
pulleys. The resulting object provides reports. This package also contains the steady motion of drives, machines that
drive or load pulleys, and winch ropes with reserve cables.
"""
