"""Laws f(u, u_t, t) between two markers."""
