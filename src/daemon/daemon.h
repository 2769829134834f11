/* SPDX-License-Identifier: MIT */
/* The life of collectord, phase by phase. */
#pragma once

#include "daemon/arguments.h"

/* Does what the arguments say; returns the exit status. */
int daemon_run(const struct arguments *);
