"""Studies, which run a model many times in separate processes: sweeps, searches, fits, uncertainties, and the
comparison of solver settings. Also the tables and pictures of `windlass post`.
"""
