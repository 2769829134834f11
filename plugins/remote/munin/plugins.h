/* SPDX-License-Identifier: MIT */
/* The plugins that a node has listed, and the values that they have answered. */
#pragma once

#include "node.h"

/* Takes the answer to "list", which it changes. */
void plugins_take_list(struct node *, char *line);

/* Makes the requests of a pass: plugins that were late come last. */
void plugins_make_requests(struct node *, mc_time now);
void plugins_add_request(struct node *, struct node_plugin *, bool is_config);

/* Hands over the values of an answer, but for those of services that another
 * plugin of the node has.  NULL, or the name of such a service. */
const char *plugins_put(struct node *, struct node_plugin *);

struct plugins_stamp {
	mc_time time;     /* 0: now. */
	mc_time interval; /* 0: that of the node. */
	bool aligned;     /* The time is to be a multiple of the interval. */
};

/* Adds a value of 'answers' to a batch; false: it cannot be one of its type, or
 * is more than a day ahead, and would hide what comes until then. */
bool plugins_put_value(struct node *, struct mc_batch *, struct mc_munin_answers *,
		       const struct mc_munin_value *, struct plugins_stamp);

/* Labels the host with its group; see PathTemplate of rrdtool. */
void plugins_label_host(const struct node *);

void plugins_free(struct node *);
