/* SPDX-License-Identifier: MIT */
/* Finds mistakes in chains, and probable ones. */
#pragma once

#include "options.h"

/* For check() of <collector/plugin.h>. */
void check_chains(struct mc_ctx *, const struct chain_options *);
