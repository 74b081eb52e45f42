"""The methods of the explicit solver."""
