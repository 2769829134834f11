/* SPDX-License-Identifier: MIT */
/* Which of several foreign senders has a name: after a restart the same sender under another
 * identifier, not a second one that is alive.  Thread: any. */
#pragma once

#include "formats/otlp/otlp.h"

#include "kept.h"

struct identities {
	struct kept kept; /* First; of struct identity. */
	size_t len_max;
	mc_time default_value; /* Interval of senders that were heard once. */
	mc_time started;       /* No sender was heard before that. */
};

void identity_init(struct identities *, size_t len_max, mc_time default_value);
void identity_done(struct identities *);

/* As claim() of struct mc_otlp_naming; the argument is a struct identities. */
enum mc_otlp_name identity_claim(void *identities, const struct mc_otlp_claim *);
