/* SPDX-License-Identifier: MIT */
/* Packets that no thread holds: sent, and not yet received. */
#pragma once

#include <stdbool.h>

/* Whether one is: of the sockets of this process, or of any in the queues of the processors. */
bool in_flight(void);
