# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by scenarios behind lib.sh, in a mount name space of their own: a disk
# that can lose its power, and hang.  It is a file behind nbdkit, with a
# write-back cache that is lost with it; $disk is where it is mounted.
PATH=$PATH:/usr/sbin:/sbin
for program in nbdkit nbdfuse losetup mkfs.ext4 e2fsck; do
	command -v $program >/dev/null || skip "there is no $program"
done
[ -w /dev/fuse ] || skip 'there is no /dev/fuse'

disk=$work/disk
mkdir "$disk" "$work/nbd"
touch "$work/nbd/device"
loop='' server='' fuse=''
trap 'umount -l "$disk" "$work/nbd/device" 2>/dev/null
	[ -n "$loop" ] && losetup -d "$loop" 2>/dev/null
	kill -9 "$server" $fuse 2>/dev/null
	leave' EXIT

new_disk() # SIZE
{
	rm -f "$work/image"
	truncate -s "$1" "$work/image"
	mkfs.ext4 -q -F "$work/image"
}

power_on()
{
	rm -f "$work/nbd.socket"
	nbdkit -f -U "$work/nbd.socket" --filter=cache file "$work/image" \
		cache=writeback 2>>"$work/nbdkit.log" &
	server=$!
	wait_for 10 test -S "$work/nbd.socket" || return
	nbdfuse "$work/nbd/device" --unix "$work/nbd.socket" \
		2>>"$work/nbdkit.log" &
	fuse=$!
	wait_for 10 test -s "$work/nbd/device" || return
	loop=$(losetup -f --show "$work/nbd/device") &&
		mount "$loop" "$disk"
}

# Whatever is not on the disk at this moment is gone.
power_off()
{
	kill -9 "$server"
	kill -9 "$pid"
	wait "$server" "$pid" 2>/dev/null
	pid=
	disconnect
	e2fsck -fy "$work/image" >>"$work/e2fsck.log" 2>&1
	[ $? -le 2 ]
}

disconnect()
{
	umount -l "$disk"
	losetup -d "$loop"
	loop=
	umount -l "$work/nbd/device" 2>/dev/null
	kill "$fuse" 2>/dev/null
	wait "$fuse" 2>/dev/null
}

hang_disk()
{
	kill -STOP "$server"
}

release_disk()
{
	kill -CONT "$server"
}

stop_disk()
{
	umount "$disk"
	losetup -d "$loop"
	loop=
	umount "$work/nbd/device"
	wait "$fuse" 2>/dev/null
	kill "$server"
	wait "$server" 2>/dev/null
}
