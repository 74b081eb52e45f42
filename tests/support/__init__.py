"""Models and data that several tests share."""
