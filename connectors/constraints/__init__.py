"""Laws with Lagrange multipliers: joints, supports, constraints on coordinates; breaking of joints, springs, ropes."""
