/* SPDX-License-Identifier: MIT */
/* The bit rate of a wireless link, which the kernel reports by ioctl() alone. */
#pragma once

/* In bit/s; NAN if the interface has none now, or its driver does not know it.  'fd' is any
 * socket.  Thread: any. */
double rate_of(int fd, const char *interface);
