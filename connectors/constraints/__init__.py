"""Laws with multipliers: joints, supports, constraints on coordinates."""
