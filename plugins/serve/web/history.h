/* SPDX-License-Identifier: MIT */
/* /api/1/history: what series were. */
#pragma once

#include <collector/kit/http_server.h>

#define HISTORY_TIME (10 * MC_SECOND) /* Then what has come is answered. */

/* ?match=GLOB      series
 * &from=S&to=S     seconds since 1970, or before now if not above 0
 * &points=N        about as many
 * &group=PARTS     "host,type_instance": series that have these parts in common
 *                  become one
 * &function=F      by their sum, average, minimum or maximum
 * &format=csv      in place of JSON */
void history_answer(struct mc_httpd_request *);
