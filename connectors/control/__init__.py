"""Forces and first-order states that depend on measured quantities: controllers, brakes, hydraulics."""
