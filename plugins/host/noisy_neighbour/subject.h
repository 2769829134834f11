/* SPDX-License-Identifier: MIT */
/* The name of what is reported of a guest: as one of a host with its name, or of this host. */
#pragma once

#include <collector/plugin.h>

static inline struct mc_id subject_of(const char *guest, bool guests_are_hosts, const char *type)
{
	return (struct mc_id){
		.host = guests_are_hosts ? guest : NULL,
		.plugin_instance = guests_are_hosts ? NULL : guest,
		.type = type,
	};
}
