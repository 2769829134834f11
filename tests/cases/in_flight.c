/* SPDX-License-Identifier: MIT */
/* A busy kernel leaves packets of the loopback to a thread of its own, and TCP holds back a small
 * segment until the one before it is acknowledged. The program sleeps meanwhile, and yet it will
 * receive something.
 * Facts: tcp(7), SIOCOUTQ; linux/sockios.h, SIOCOUTQNSD; softnet_seq_show() of the kernel, whose
 * twelfth number is the length of a processor's queue. */
#include "in_flight.h"

#include <dirent.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define QUEUE_LENGTH 12

/* A connection that was reset keeps the count of what it had sent. */
static bool is_alive(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t size = sizeof(info);

	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
	       info.tcpi_state != TCP_CLOSE;
}

/* What waits for a window is not sent. */
static bool is_unacknowledged(int fd)
{
	int queued = 0, unsent = 0;

	return is_alive(fd) && ioctl(fd, SIOCOUTQ, &queued) == 0 &&
	       ioctl(fd, SIOCOUTQNSD, &unsent) == 0 && queued > unsent;
}

static bool any_is_unacknowledged(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	bool found = false;

	while (dir != NULL && !found && (entry = readdir(dir)) != NULL)
		found = is_unacknowledged((int)strtol(entry->d_name, NULL, 10));
	if (dir != NULL)
		closedir(dir);
	return found;
}

static bool any_processor_has_packets(void)
{
	FILE *in = fopen("/proc/net/softnet_stat", "re");
	char line[256];
	bool found = false;

	while (in != NULL && !found && fgets(line, sizeof(line), in) != NULL) {
		unsigned long number = 0;
		char *at = line;

		for (int i = 0; i < QUEUE_LENGTH; i++)
			number = strtoul(at, &at, 16);
		found = number > 0;
	}
	if (in != NULL)
		fclose(in);
	return found;
}

bool in_flight(void)
{
	return any_is_unacknowledged() || any_processor_has_packets();
}
