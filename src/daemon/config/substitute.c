/* SPDX-License-Identifier: MIT */
/* The plugins of collectd are those of collectd.conf(5) and of collectd's
 * distributions.  A plugin that exists here has no row. */
#include "daemon/config/substitute.h"

#include <stddef.h>
#include <string.h>

#define PROGRAM                                                                                    \
	"exec runs programs that print such values, and check plugins of "                         \
	"Nagios"
#define SCRIPT "exec runs scripts that print PUTVAL lines"
#define HANDLER "exec runs a program for each notification (NotificationExec)"

static const struct substitute {
	const char *plugin, *clause;
} substitutes[] = {
	{ "apcups", PROGRAM },
	{ "ipstatistics", "protocols has the kernel's counters of IP" },
	{ "ipstats", "protocols has the kernel's counters of IP" },
	{ "java", SCRIPT },
	{ "libvirt", "its name is virt now" },
	{ "lua", SCRIPT },
	{ "notify_desktop", HANDLER },
	{ "openldap", PROGRAM },
	{ "openvpn", PROGRAM },
	{ "tail_csv", "tail takes numbers out of lines by regular expressions" },
	{ "varnish", PROGRAM },
};

const char *substitute_for(const char *plugin)
{
	for (size_t i = 0; i < sizeof(substitutes) / sizeof(*substitutes); i++)
		if (strcmp(plugin, substitutes[i].plugin) == 0)
			return substitutes[i].clause;
	return NULL;
}
