/* SPDX-License-Identifier: MIT */
/* What is wrong with the options of a Listen block. */
#ifndef OTLP_CHECK_H
#define OTLP_CHECK_H

#include "listen.h"

/* In the check() of the plugin. */
void check_listen(struct mc_ctx *, const struct listen_options *);

#endif
