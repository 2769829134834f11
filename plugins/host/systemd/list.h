/* SPDX-License-Identifier: MIT */
/* Lists of all units, at the begin of a conversation and after systemd has read its units anew.
 * Thread: the loop's. */
#pragma once

#include "bus.h"

/* Asks for the lists; when all have come the units are as in them, and the bus is ready. */
void list_begin(struct bus *);

/* The unit is gone. */
void list_remove(struct bus *, struct unit *);
