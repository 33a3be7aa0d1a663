#!/bin/sh
# The guest's only process of ours: kernel tests, then the referee's plans. Says on the second
# serial line how each ended; the third carries what the plans left, as tar.gz.
export PATH=/bin HOME=/ NW_REQUIRE_BPF=1
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /tmp
mount -t bpf bpf /sys/fs/bpf
mount -t tracefs tracefs /sys/kernel/tracing
exec </dev/null >/dev/ttyS1 2>&1
stty -F /dev/ttyS2 raw -opost
echo '+cpu +cpuset' >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p /tmp/state /tmp/plans

seconds() { cut -d. -f1 /proc/uptime; }
run() {
	name=$1 started=$(seconds)
	shift
	echo "== begin $name"
	timeout -s KILL 300 "$@"
	status=$?
	echo "== end $name $status $(($(seconds) - started))"
	return $status
}

echo "== kernel $(uname -r)"
run check /build/nwagent check --state-dir /tmp/state
for test in /nw/tests/*; do
	[ -x "$test" ] || continue
	# Where the host gave the guest no time, a second run tells; it is counted.
	run "test ${test##*/}" "$test" || run "test ${test##*/}" "$test"
done
for plan in /nw/plans/*; do
	[ -f "$plan" ] || continue
	mkdir /tmp/plans/${plan##*/}
	run "plan ${plan##*/}" /nw/nwtruth "$plan" /tmp/plans/${plan##*/}
done
tar -C /tmp/plans -cf - . | gzip -1 >/dev/ttyS2
echo "== done"
sync
sleep 1
poweroff -f
