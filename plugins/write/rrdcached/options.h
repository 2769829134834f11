/* SPDX-License-Identifier: MIT */
/* The options of the plugin, and what is wrong with them. */
#pragma once

#include <collector/plugin.h>

struct rrdcached;

extern const struct mc_option options_table[];

/* Whether one of the texts before it is the same. */
bool options_is_again(const struct mc_strings *texts, size_t index);

/* In the check() of the plugin. */
void options_check(struct mc_ctx *, const struct rrdcached *);
