#!/bin/sh
# A machine for a class in the browser within this one, whose accounts stay as they are: `unshare --mount --propagation
# private --pid --fork --kill-child --mount-proc sh browser_class.sh COMMAND…`. It has the accounts ada and bob.
set -e
mount -t tmpfs none /mnt
mkdir /mnt/up /mnt/work /mnt/home
mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/up,workdir=/mnt/work /etc
mount --bind /mnt/home /home
for name in ada bob; do
    useradd -m -k /dev/null -s /bin/sh $name
    chmod 700 /home/$name
done
exec "$@"
