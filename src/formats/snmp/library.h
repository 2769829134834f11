/* SPDX-License-Identifier: MIT */
/* Use of net-snmp by several plugins: its state is the process's. */
#pragma once

/* Silences the library, which writes to stderr what it thinks of messages that
 * anybody may send.  For start(), of which there is one at a time. */
void mc_snmp_library_silence(void);
