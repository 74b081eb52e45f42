"""Laws with Lagrange multipliers: joints, supports, and constraints on coordinates. This package also contains
links that break: joints, supports, springs and ropes.
"""
