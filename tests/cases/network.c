/* SPDX-License-Identifier: MIT */
/* Facts: network_namespaces(7), user_namespaces(7), netdevice(7). */
#include "network.h"

#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static bool put(const char *path, const char *text)
{
	FILE *out = fopen(path, "we");

	if (out == NULL)
		return false;
	fputs(text, out);
	return fclose(out) == 0;
}

/* Others than root are root in a namespace of users, and there alone. */
static bool enter_as_user(void)
{
	char uids[64], gids[64];

	snprintf(uids, sizeof(uids), "0 %u 1\n", (unsigned)geteuid());
	snprintf(gids, sizeof(gids), "0 %u 1\n", (unsigned)getegid());
	return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 && put("/proc/self/setgroups", "deny") &&
	       put("/proc/self/uid_map", uids) && put("/proc/self/gid_map", gids);
}

static bool raise_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool raised = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;

	if (fd >= 0)
		close(fd);
	return raised;
}

bool network_enter(void)
{
	return (unshare(CLONE_NEWNET) == 0 || enter_as_user()) && raise_loopback();
}
