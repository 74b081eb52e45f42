"""The nonlinear problem, Newton, lagged tangents."""
