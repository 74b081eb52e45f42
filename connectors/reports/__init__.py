"""Reports, pictures and theory of belts on pulleys; this folder contains no forces."""
