"""The nonlinear equations of a step, Newton's method, and reuse of tangents."""
