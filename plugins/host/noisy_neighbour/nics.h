/* SPDX-License-Identifier: MIT */
/* Network interfaces of guests: the tap and macvtap devices that their QEMUs have open (proc(5);
 * Documentation/networking/tuntap.rst), and the bytes that each moved between two reads. */
#pragma once

#include <collector/plugin.h>

#include "guests.h"
#include "traffic.h"

#define NICS_MAX 16384 /* Of all guests; more are not looked at. */

struct nic {
	char name[TRAFFIC_NAME_SIZE]; /* Of the device of this host. */
	bool is_tap;                  /* The host receives from it what the guest sends. */
	size_t guest;                 /* Number of its guest. */
	size_t link;                  /* Number of the link that it uses; NICS_NO_LINK. */
	struct traffic traffic;       /* From its guest's point of view. */
};
#define NICS_NO_LINK ((size_t)-1)

struct nics {
	struct nic *items; /* By name. */
	size_t len, room;
};

/* Lists the interfaces of all guests anew; one of the same name keeps what it has counted.
 * 'system' is the root folder or that of a test, 'net' has /sys/class/net as its folder. */
void nics_list(struct nics *, struct guests *guests, struct mc_kept_files *net, int system);

/* Reads what each has moved. */
void nics_read(struct nics *, struct mc_kept_files *net);

/* The next list is the first again. */
void nics_forget(struct nics *, struct mc_kept_files *net);
