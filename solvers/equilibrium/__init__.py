"""What statics needs beside Newton: ways to an equilibrium, and whether it is stable."""
