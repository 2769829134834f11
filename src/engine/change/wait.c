/* SPDX-License-Identifier: MIT */
/* Waits of plugins; the stop of an instance is one more descriptor. */
#include <collector/kit/wait.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <collector/serve.h>

#include "base/alloc.h"
#include "base/clock.h"

#define FEW 16 /* Descriptors that need no allocation. */

int mc_poll(struct pollfd *fds, size_t len, mc_time until)
{
	return clock_poll(fds, len, until);
}

int mc_epoll(int epoll, struct epoll_event *events, int len, mc_time until)
{
	return clock_epoll(epoll, events, len, until);
}

int mc_wait(struct mc_ctx *ctx, struct pollfd *fds, size_t len, mc_time until)
{
	struct pollfd few[FEW + 1], *all = few;
	int ready;

	if (len > FEW)
		all = alloc_array(len + 1, sizeof(*all));
	if (len > 0)
		memcpy(all, fds, len * sizeof(*all));
	all[len] = (struct pollfd){ .fd = mc_stop_fd(ctx), .events = POLLIN };
	ready = clock_poll(all, len + 1, until);
	if (len > 0)
		memcpy(fds, all, len * sizeof(*all));
	if (ready > 0 && all[len].revents != 0)
		ready = -ECANCELED;
	if (all != few)
		free(all);
	return ready;
}
