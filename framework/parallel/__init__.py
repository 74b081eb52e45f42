"""Communication between MPI processes: collective operations, exchange of ghosts, and maps from world numbers to
values.
"""
