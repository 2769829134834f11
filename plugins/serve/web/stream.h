/* SPDX-License-Identifier: MIT */
/* /api/1/stream and /api/1/notifications: what happens, as it happens and until now. */
#pragma once

#include <collector/kit/http_server.h>

/* ?match=GLOB&match=GLOB...: Server-Sent Events. */
void stream_answer(struct mc_httpd_request *);
void stream_done(struct mc_httpd_request *); /* Done with that. */

/* ?after=NUMBER&limit=N: the last ones. */
void stream_notifications(struct mc_httpd_request *);
