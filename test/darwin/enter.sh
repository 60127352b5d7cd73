# Run by sh in its own mount namespace: hides what macOS does not have, and then executes the program.
#   enter.sh <mac> <program> <arguments…>      where <mac> is the folder that mac.ts made
set -eu
mac=$1
shift
mount --bind /usr/bin "$mac/hidden/bin"
mount --bind /proc "$mac/hidden/proc"
mount --bind "$mac/sbin" /usr/sbin
mount --bind "$mac/local" /usr/local/bin
[ ! -d /sys/fs/cgroup ] || mount -t tmpfs none /sys/fs/cgroup
mount -t tmpfs none /proc
# Must be the last mount, because it hides mount itself.
"$mac/hidden/bin/mount" -n --bind "$mac/bin" /usr/bin
exec "$@"
