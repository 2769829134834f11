# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by the scenarios perfdata_pnp*: events, and the RRD files below $tree that
# PNP4Nagios has made of them.  $PNP is a program that has its process_perfdata.pl
# read a file into the folder "tree" beside it; without it, files are made as that
# does.
[ -e "$build/.libs/perfdata.so" ] || skip 'perfdata is not built'
command -v rrdtool >/dev/null || skip 'no rrdtool'
base=$(($(date +%s) / 60 * 60 - 3600))
tree=$work/tree
spool=$work/spool
mkdir -p "$tree" "$spool"

event() # TIME DATA: of a service whose name PNP has to change.
{
	printf 'DATATYPE::SERVICEPERFDATA\tTIMET::%s\tHOSTNAME::web\tSERVICEDESC::Disk C: & D\tSERVICEPERFDATA::%s\tSERVICECHECKCOMMAND::check_disk!x\tSERVICESTATE::OK\tSERVICESTATETYPE::HARD\n' "$@"
	printf 'DATATYPE::HOSTPERFDATA\tTIMET::%s\tHOSTNAME::web\tHOSTPERFDATA::rta=%sms\tHOSTCHECKCOMMAND::ping\n' \
		"$1" $(($1 % 1000))
}

give() # TIME DATA
{
	event "$@" >"$work/event"
	mv "$work/event" "$spool/perfdata.$1"
}

layout_of()
{
	rrdtool info "$1" |
		grep -vE '^filename|last_update|last_ds|\.value|unknown_sec|cur_row|unknown_datapoints'
}

# How PNP makes a file: FILE SOURCE...
create()
{
	local file=$1 one sources=()
	shift
	for one in "$@"; do
		sources+=("DS:$one")
	done
	rrdtool create "$tree/web/$file.rrd" -s 60 -b $((base - 60)) "${sources[@]}" \
		RRA:{AVERAGE,MAX,MIN}:0.5:{1:2880,5:2880,30:4320,360:5840}
}
