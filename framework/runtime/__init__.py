"""How a run starts and ends; knows no model."""
