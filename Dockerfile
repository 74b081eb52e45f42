# UNTESTED as an image: no container engine was at hand.
# Tried: make belt and make test in an empty Debian 13 (scripts/clean_room.sh). Not tried: building the image, running it.
#   docker build -t windlass . && docker run --rm -v "$PWD/out:/out" windlass
FROM debian:13

RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends make git ca-certificates \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/windlass
COPY . .
RUN make setup && rm -rf /var/lib/apt/lists/* /root/.cache/pip

ENV PATH=/opt/windlass/.venv/bin:$PATH \
    OMP_NUM_THREADS=1 \
    OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

WORKDIR /out
CMD ["windlass", "run", "/opt/windlass/examples/belt_drive.py", "-elements", "60", "-segments", "4"]
