/* SPDX-License-Identifier: MIT */
/* A request of values, sent to the receiver of its shard or to the next that answers.  The writer's
 * thread. */
#pragma once

#include "forward.h"

/* Others of its samples may be taken. */
#define SEND_REFUSED 1

/* Sends; 'last': no other request of the batch, or of its shard, follows.  0, SEND_REFUSED, or
 * -EAGAIN of mc_fail(); the answer is self->answer. */
int send_values(struct mc_ctx *, const struct mc_otlp_bytes *, bool last);

/* Keeps a request that was refused for good; returns what the log says of that. */
const char *send_keep(struct forward *, const struct stream *, const struct mc_otlp_bytes *);
