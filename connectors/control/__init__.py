"""Forces and first-order states that follow what sensors measure: controllers, brakes, hydraulics."""
