"""Laws with Lagrange multipliers: joints, supports, and constraints on coordinates. Also the breaking of joints,
springs and ropes.
"""
