/* SPDX-License-Identifier: MIT */
/* The links by which guests reach the world: network cards, bonds, and what else an option gives a
 * speed, with what they move.  A bridge leads to the one link that is among its ports, or below a
 * VLAN that is; a bridge with several is left out, as the kernel does not show by which of them a
 * guest sends.  The ports of all bridges of Open vSwitch are in one device, "ovs-system"
 * (Documentation/ABI/testing/sysfs-class-net). */
#pragma once

#include <collector/kit/map.h>

#include "nics.h"

#define UPLINKS_MBIT 125000.0    /* Bytes. */
#define UPLINKS_MAX 256          /* More are not looked at. */
#define UPLINKS_DEVICES_MAX 2048 /* Other network devices than taps; more are not looked at. */

struct uplink_option { /* As configured. */
	const char *name;
	double speed; /* Mbit/s. */
};

struct uplink {
	char name[TRAFFIC_NAME_SIZE];
	double speed; /* Bytes a second. */
	struct traffic traffic;
	bool is_there; /* At this scan. */
};

struct uplinks {
	const struct uplink_option *options;
	size_t options_len;
	struct mc_kept_files net; /* Its folder is /sys/class/net, during a read. */
	struct uplink *items;
	size_t len, room;
	struct uplink_device *devices; /* All but taps, by name. */
	size_t devices_len, devices_room;
	struct mc_map taps; /* Names of devices that lead nowhere. */
	unsigned scans;
};

/* Finds links that have come, and forgets those that have gone. */
void uplinks_scan(struct uplinks *);
void uplinks_done(struct uplinks *);

/* Reads what each has moved. */
void uplinks_read(struct uplinks *);

/* The number of the link that a guest's device leads to, or NICS_NO_LINK. */
size_t uplinks_of(struct uplinks *, const char *device);
