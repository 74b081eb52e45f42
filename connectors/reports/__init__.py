"""Reports, pictures and theory of belts on pulleys and of ropes on surfaces. The modules of this folder add no forces
to a model.
"""
