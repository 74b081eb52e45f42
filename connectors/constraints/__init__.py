"""Laws with Lagrange multipliers: joints, supports, constraints on coordinates."""
