"""The state of a model, and evaluations of models at a state: outputs, vectors and matrices, checks of tangents. Also
the base class of hooks.
"""
