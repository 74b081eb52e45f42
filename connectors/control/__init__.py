"""Forces and first-order states (states y with given rates y_t) that depend on measured quantities. They are used for
controllers, brakes and hydraulics. This package also contains the measured quantities, and controllers that other
programs have exported (FMUs).
"""
