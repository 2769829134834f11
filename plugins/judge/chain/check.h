/* SPDX-License-Identifier: MIT */
/* What is wrong with chains, or probably not meant. */
#ifndef CHAIN_CHECK_H
#define CHAIN_CHECK_H

#include "options.h"

/* For check() of <collector/plugin.h>. */
void check_chains(struct mc_ctx *, const struct chain_options *);

#endif
