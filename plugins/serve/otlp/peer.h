/* SPDX-License-Identifier: MIT */
/* The name of a sender, and its streams. */
#pragma once

#include <stddef.h>

#include <collector/kit/http_server.h>

/* Makes the stream "SENDER/RUN" that of this peer alone, if it has a
 * certificate: what others call SENDER is another one then.  A run that would
 * not fit into 'size' bytes, at least 64, gets a short name that is its own. */
void peer_own(const struct mc_httpd_peer *, char *stream, size_t size);

/* The name of the sender of a request: from the header X-Sender, if the certificate, where one is
 * required, is for that host; else from the certificate, else its address.  Writes
 * MC_HTTPD_NAME_SIZE bytes. */
void peer_sender(const struct mc_httpd_request *, char *out);
