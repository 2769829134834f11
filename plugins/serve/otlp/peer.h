/* SPDX-License-Identifier: MIT */
/* What a sender is called, and its streams. */
#pragma once

#include <stddef.h>

#include <collector/kit/http_server.h>

/* Makes the stream "SENDER/RUN" that of this peer alone, if it has a
 * certificate: what others call SENDER is another one then.  A run that would
 * not fit into 'size' bytes, at least 64, gets a short name that is its own. */
void peer_own(const struct mc_httpd_peer *, char *stream, size_t size);

/* What the sender of a request is called: as the header X-Sender says, if the
 * certificate, where one is asked for, is for that host; else as the
 * certificate says, else by its address.  Writes MC_HTTPD_NAME_SIZE bytes. */
void peer_sender(const struct mc_httpd_request *, char *out);
