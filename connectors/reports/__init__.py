"""Reports, pictures and theory of belts on pulleys and of ropes on surfaces. The modules of this folder exert no
forces."""
