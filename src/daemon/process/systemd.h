/* SPDX-License-Identifier: MIT */
/* Talks to the service manager: one datagram per message, see sd_notify(3).
 * Without a manager everything here does nothing. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

struct systemd {
	int fd;           /* -1: nobody listens. */
	mc_time watchdog; /* A sign of life is due this often; 0: never. */
};

/* Reads the environment (NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID) and takes
 * those names out of it, so that no child answers for us. */
void systemd_open(struct systemd *);
void systemd_close(struct systemd *);

/* Sends a message, such as "READY=1"; never blocks. */
void systemd_say(struct systemd *, const char *fmt, ...) MC_PRINTF(2, 3);
