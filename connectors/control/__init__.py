"""Forces and first-order states that depend on measured quantities, for controllers, brakes and hydraulics."""
