"""Forces and first-order states (states y with given rates y_t) that depend on measured quantities, for controllers,
brakes and hydraulics.
"""
