/* SPDX-License-Identifier: MIT */
/* Finds mistakes in the options of the network plugin. */
#pragma once

#include "network.h"

/* In the check() of the plugin. */
void check_options(struct mc_ctx *, const struct network_options *);
