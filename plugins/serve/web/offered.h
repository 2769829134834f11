/* SPDX-License-Identifier: MIT */
/* Pages that other plugins offer at this port, such as /metrics of write_prometheus. */
#pragma once

#include <collector/kit/http_server.h>

/* A route that may block. */
void offered_answer(struct mc_httpd_request *);
