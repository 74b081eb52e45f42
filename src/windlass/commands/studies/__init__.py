"""Studies, which run a model many times in separate processes: sweeps, searches, fits, uncertainties, and the
comparison of solver settings. This folder also contains the code for the tables and pictures of `windlass post`.
"""
