"""Checks of user input: values, arguments of public functions, user functions."""
