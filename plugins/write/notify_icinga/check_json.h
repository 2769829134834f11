/* SPDX-License-Identifier: MIT */
/* A notification as the body of a request process-check-result.  Facts: Icinga
 * 2 API, "Actions", "process-check-result".  Pure function. */
#pragma once

#include <collector/kit/json.h>
#include <collector/plugin.h>

/* "HOST!SERVICE", to be freed; 'source' is the host of a notification without one. */
char *check_json_service(const struct mc_notification *, const char *source);

/* 'source' is the host that has checked.  To be freed by mc_json_free(). */
struct mc_json *check_json_new(const struct mc_notification *, const char *source);
