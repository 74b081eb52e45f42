"""Functions of users (of time, of displacement): springs, loads and constraints use them."""
