/* SPDX-License-Identifier: MIT */
/* The first message of a client of TLS, as it lies in the socket. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether it offers to resume a session (RFC 8446, 4.2.11; RFC 5077, 3.2), as far as these bytes
 * show.  It may be wrong about what it offers. */
bool http_hello_resumes(const unsigned char *bytes, size_t size);
