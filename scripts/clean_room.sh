#!/usr/bin/env bash
# This script creates an empty Debian system, clones the last commit of this checkout into the system, and runs the two
# commands of the README in the system.
# usage: scripts/clean_room.sh 12|13 [FOLDER]      FOLDER: folder of the system, default /var/tmp/windlass-room-12|13
# The script requires root, debootstrap (apt-get install debootstrap) and about 6 GB. ROOM_COMMANDS replaces the
# commands "make belt" and "make test"; several commands are separated by ";". The certificates of this machine, and its
# settings of pip and of proxies, are copied to the system. The folder remains after the script. Another call of the
# script renews only the clone; if the folder was removed, the script creates an empty system again.
set -euo pipefail

fail() {
  printf 'clean room: %s\n' "$*" >&2
  exit 1
}

case ${1:-} in
  12) suite=bookworm ;;
  13) suite=trixie ;;
  *) fail "'${1:-}': must be 12 or 13, the Debian that is wanted; usage: scripts/clean_room.sh 12|13 [FOLDER]" ;;
esac
room=${2:-/var/tmp/windlass-room-$1}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[[ $(id -u) -eq 0 ]] || fail "must be called as root, for debootstrap and chroot"
[[ $room == /* && $room != / ]] || fail "FOLDER = $room: must be an absolute path"
command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"

if [[ ! -e $room/etc/debian_version ]]; then
  if [[ -e $room ]] && [[ -n $(ls -A "$room") ]]; then fail "$room exists, and is not such a system"; fi
  printf 'clean room: making Debian %s in %s\n' "$1" "$room"
  debootstrap --variant=minbase "$suite" "$room" >"$room.log" 2>&1 || fail "debootstrap failed, see $room.log"
fi

leave() {
  local place
  for place in dev/shm dev/pts dev sys proc; do
    if mountpoint -q "$room/$place"; then umount "$room/$place"; fi
  done
}
trap leave EXIT
mount -t proc proc "$room/proc"
mount --bind /sys "$room/sys"
mount --bind /dev "$room/dev"
mount --bind /dev/pts "$room/dev/pts"
mount -t tmpfs tmpfs "$room/dev/shm"

# the system gets the name servers and certificates of this machine, so that it reaches the network in the same way
cp -L /etc/resolv.conf "$room/etc/resolv.conf"
if [[ -e /etc/ssl/certs/ca-certificates.crt ]]; then
  mkdir -p "$room/etc/windlass-room"
  cp -L /etc/ssl/certs/ca-certificates.crt "$room/etc/windlass-room/certificates.pem"
fi
rm -rf "$room/root/windlass"
git -C "$source" bundle create "$room/root/checkout.bundle" HEAD >/dev/null 2>&1

settings=(HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  SSL_CERT_FILE=/etc/windlass-room/certificates.pem PIP_CERT=/etc/windlass-room/certificates.pem)
for name in http_proxy https_proxy no_proxy PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_DEFAULT_TIMEOUT JOBS; do
  if [[ -n ${!name:-} ]]; then settings+=("$name=${!name}"); fi
done
inside() { chroot "$room" env -i "${settings[@]}" bash -c "$1" </dev/null; }

inside 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y make git >/dev/null' ||
  fail "apt-get could not install make and git"
inside 'cd /root && git -c advice.detachedHead=false clone -q checkout.bundle windlass && rm checkout.bundle'

IFS=';' read -r -a commands <<<"${ROOM_COMMANDS:-make belt;make test}"
for command in "${commands[@]}"; do
  start=$SECONDS status=passed
  printf '\n=== Debian %s: %s\n' "$1" "$command"
  inside "cd /root/windlass && $command" || status=FAILED
  printf '=== Debian %s: %s: %s in %d s\n' "$1" "$command" "$status" $((SECONDS - start))
  [[ $status == passed ]] || failed=1
done
[[ -z ${failed:-} ]] || fail "a command failed on Debian $1"
