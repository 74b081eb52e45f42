"""Reports, pictures and theory of belts on pulleys, without forces."""
