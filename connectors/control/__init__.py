"""Forces and first-order states (states y with given rates y_t) that depend on measured quantities. They are used for
controllers, brakes and hydraulics. Also the measured quantities, and controllers of other programs (FMUs).
"""
