/* SPDX-License-Identifier: MIT */
/* What is wrong with options. */
#ifndef RRDCACHED_OPTIONS_H
#define RRDCACHED_OPTIONS_H

#include <collector/plugin.h>

/* Whether one of the texts before it is the same. */
bool options_is_again(const struct mc_strings *texts, size_t index);

/* In the check() of the plugin. */
void options_check(struct mc_ctx *, const struct mc_strings *addresses,
		   const struct mc_strings *timespans, const int64_t *heartbeat,
		   int64_t step);

#endif
