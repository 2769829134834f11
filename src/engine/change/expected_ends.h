/* SPDX-License-Identifier: MIT */
/* Series that are about to fall silent because somebody wants it, such as those of a guest that its
 * owner shuts down: nobody is alerted.  Thread: any. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

struct expected_ends;

#define EXPECTED_ENDS_MAX 10000 /* More are not expected. */

struct expected_ends *expected_ends_new(void);
void expected_ends_free(struct expected_ends *);

/* All series of that host, plugin and plugin instance, or with the plugin "" of that host, may end
 * until then, clock_now(); 0: none may any more. */
void expected_ends_set(struct expected_ends *, const struct mc_id *, mc_time until);

/* Whether a series of that name may; whether some of that host may. */
bool expected_ends_has(struct expected_ends *, const char *name);
bool expected_ends_has_host(struct expected_ends *, const char *host);
