/* SPDX-License-Identifier: MIT */
/* What is wrong with chains, or probably not meant. */
#pragma once

#include "options.h"

/* For check() of <collector/plugin.h>. */
void check_chains(struct mc_ctx *, const struct chain_options *);
