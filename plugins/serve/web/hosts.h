/* SPDX-License-Identifier: MIT */
/* /api/1/hosts: the hosts that series are of, their states and figures. */
#pragma once

#include <collector/kit/http_server.h>

#include "silent.h"

/* ?match=GLOB&text=TEXT&label=NAME:VALUE&order=COLUMN&reverse=1&limit=N&offset=N, and
 * &columns=COLUMN,... for the map.  Thread: any that may block. */
void hosts_answer(struct mc_httpd_request *);

/* Has those forgotten that have values, and then the oldest if there are still
 * too many: after silent_add(), in its thread. */
void hosts_trim_silent(struct mc_ctx *, struct silent *);
