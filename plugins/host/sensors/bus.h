/* SPDX-License-Identifier: MIT */
/* Where a chip is: the name that lm-sensors has for it, such as "coretemp-isa-0000". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Makes the full name of a chip 'prefix' whose device is called 'device' and is
 * on the bus 'subsystem', as in "0000:00:18.3" and "pci".  False: it is on none
 * that has names.  Pure function. */
bool bus_name(const char *prefix, const char *subsystem, const char *device, char *out,
	      size_t size);

/* The name of a chip that is not a device, or not on such a bus. */
void bus_virtual_name(const char *prefix, char *out, size_t size);
