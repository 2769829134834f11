/* SPDX-License-Identifier: MIT */
/* Answers of a guest's agent, as series and labels. */
#pragma once

#include <collector/plugin.h>

struct agent_facts;
struct guest;

/* Puts file systems, users and load, charged to a quota of the guest's own. */
void agent_put_facts(struct mc_ctx *, struct mc_batch *out, struct guest *guest,
		     const struct agent_facts *facts);

/* Keeps system, host name and addresses; they become labels with the next description of the
 * guest. */
void agent_put_labels(struct guest *guest, const struct agent_facts *facts);
