/* SPDX-License-Identifier: MIT */
/* The life of collectord, phase by phase. */
#ifndef COLLECTOR_DAEMON_DAEMON_H
#define COLLECTOR_DAEMON_DAEMON_H

#include "daemon/arguments.h"

/* Does what the arguments say; returns the exit status. */
int daemon_run(const struct arguments *);

#endif
