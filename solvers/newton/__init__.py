"""The nonlinear problem, Newton's method, and reuse of tangents."""
