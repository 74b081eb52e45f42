"""Reports, pictures and theory of belts on pulleys; no forces."""
