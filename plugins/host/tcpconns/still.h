/* SPDX-License-Identifier: MIT */
/* Whether TCP has stood still.
 *
 * Each change of a connection's state needs a segment in or out, is a timer's, or changes the
 * number of sockets.  The kernel counts segments, sockets and TIME_WAIT for each network name
 * space, so a few lines of text say that its table, which is one for the machine and takes a
 * million bytes to walk, need not be asked. */
#pragma once

#include <stdint.h>

/* A hash of these counts, for comparison; never 0.  'snmp', 'sockstat' and 'sockstat6' are the
 * texts of /proc/net/ (the last is "" without IPv6).  0 if they are not understood.  Pure. */
uint64_t still_sum(const char *snmp, const char *sockstat, const char *sockstat6);
