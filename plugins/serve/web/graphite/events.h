/* SPDX-License-Identifier: MIT */
/* /events/get_data of Graphite's API: the last notifications, for annotations of Grafana. */
#pragma once

#include <collector/kit/http_server.h>

/* ?from=T&until=T&tags=A B: those that have all of these tags, or with set=union any; tags are the
 * severity and the parts of the name. */
void events_answer(struct mc_httpd_request *);
