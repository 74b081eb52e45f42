#!/usr/bin/env bash
# Makes an empty Debian, clones this checkout's last commit into it, and runs the two commands of the README there.
# usage: scripts/clean_room.sh 12|13 [FOLDER]      FOLDER: where the system lies, default /var/tmp/windlass-room-12|13
# Needs root and debootstrap (apt-get install debootstrap) and about 6 GB.  ROOM_COMMANDS replaces "make belt" and
# "make test", separated by ";".  Certificates of this machine and its settings of pip and of proxies are taken along.
# The folder is kept: remove it for an empty system, or call the script again to renew the clone alone.
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

# what reaches the network from here reaches it from there
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
