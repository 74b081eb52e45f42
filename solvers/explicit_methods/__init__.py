"""What explicit.py drives."""
