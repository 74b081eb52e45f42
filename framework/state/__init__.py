"""The state of a model, the base class of hooks, and evaluations of models at a state: outputs, vectors and matrices,
checks of tangents.
"""
