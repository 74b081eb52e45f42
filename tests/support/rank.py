"""One process of a program under mpiexec, which a starter of `support.processes` runs.

usage: rank.py SOCKETS WORDS

The process chooses a starter by its rank, from one socket for each starter. The process waits for the end of the copy
of the starter that runs the program, and ends with the exit code of this copy. The process runs without site packages,
because loading them would take time.
"""

import json
import os
import signal
import socket
import sys

places, words = sys.argv[1].split(os.pathsep), sys.argv[2:]
rank = int(os.environ.get("OMPI_COMM_WORLD_RANK", "0"))
request = json.dumps({"words": words, "folder": os.getcwd(), "environment": dict(os.environ)}).encode()
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(places[rank % len(places)])
    socket.send_fds(connection, [len(request).to_bytes(8, "little")], [0, 1, 2])
    connection.sendall(request)
    code = int(connection.recv(16))
if code < 0:
    if -code != signal.SIGKILL:
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
sys.exit(code)
