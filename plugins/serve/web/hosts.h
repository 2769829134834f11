/* SPDX-License-Identifier: MIT */
/* /api/1/hosts: the hosts that series are of, and whether they have values. */
#pragma once

#include <collector/kit/http_server.h>

#include "silent.h"

/* ?match=GLOB&limit=N&offset=N */
void hosts_answer(struct mc_httpd_request *);

/* Has those forgotten that have values, and then the oldest if there are still
 * too many: after silent_add(), in its thread. */
void hosts_trim_silent(struct mc_ctx *, struct silent *);
