#!/usr/bin/env bash
# Plays the first hour on a bare machine: a minimal Debian in a folder, whose only programs are those that ./run installs.
#
#   sudo tests/install/bare_machine.sh FOLDER [COMMAND ...]
#
# FOLDER must not exist yet, and is kept. Without COMMAND, ./run --setup and ./test first-hour run in the clone.
# Registries, proxies and certificates are those that this machine is set up with.
set -euo pipefail

suite=bookworm
checkout="$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.." && pwd)"

if [[ $EUID -ne 0 || $# -lt 1 ]]; then
    echo "usage: sudo $0 FOLDER [COMMAND ...]" >&2
    exit 2
fi
if [[ -e $1 ]]; then
    echo "$1 exists already. Name a folder that does not exist." >&2
    exit 2
fi
mkdir -p -- "$1"
folder="$(readlink -f -- "$1")"
shift

debootstrap --variant=minbase --include=ca-certificates,git "$suite" "$folder" >"$folder.log"
echo "A bare Debian is in $folder; what debootstrap printed is in $folder.log."

# How this machine reaches its registries.
for each in /etc/apt/apt.conf.d /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/auth.conf.d /etc/pip.conf \
    /etc/resolv.conf /etc/hosts /etc/ssl/certs /usr/local/share/ca-certificates /root/.npmrc /root/.config/pip; do
    if [[ -e $each ]]; then
        mkdir -p -- "$folder$(dirname -- "$each")"
        cp -rL --remove-destination -- "$each" "$folder$(dirname -- "$each")/"
    fi
done
git clone --quiet -- "$checkout" "$folder/root/benchwright"

passed=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8)
while IFS= read -r -d '' variable; do
    case ${variable%%=*} in
        PIP_* | npm_config_* | NPM_CONFIG_* | *_proxy | *_PROXY | SSL_CERT_* | *_CA_CERTS | *_CA_BUNDLE) passed+=("$variable") ;;
    esac
done < <(env -0)

if [[ $# -eq 0 ]]; then
    set -- bash -c 'time ./run --setup && time ./test first-hour'
fi
# A file system, processes and mounts of its own; all of it ends with the command.
export BARE="$folder"
exec unshare --mount --pid --fork --kill-child bash -c '
    set -e
    mount --make-rprivate /
    mount --bind "$BARE" "$BARE"
    cd "$BARE"
    mount -t proc proc proc
    mount --rbind /dev dev
    mount -t tmpfs -o mode=755 tmpfs run
    mount -t tmpfs -o mode=1777 tmpfs tmp
    pivot_root . mnt
    cd /root/benchwright
    umount -l /mnt
    exec env -i "$@"
' bare "${passed[@]}" "$@"
