"""What is said of belts on pulleys: reports, pictures, theory to compare with; no forces."""
