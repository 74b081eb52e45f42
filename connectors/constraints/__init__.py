"""Laws with multipliers, joints, supports."""
