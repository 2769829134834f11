/* SPDX-License-Identifier: MIT */
/* The order of the series in a dump: as it may be cut, those come first that its cause is about.
 * Pure. */
#pragma once

#include <collector/plugin.h>
#include <collector/serve.h>

#define ORDER_SUBJECTS_MAX 16

struct order_subject {                 /* Of a cause. */
	char host[128], instance[128]; /* The latter of the plugin; "": any. */
};

struct order_subjects {
	struct order_subject items[ORDER_SUBJECTS_MAX];
	unsigned len;
};

/* Adds that of a notification; further ones than there is room for are left out. */
void order_add_subject(struct order_subjects *, const struct mc_notification *);

/* First those of a subject, as a guest; then the others of its host. */
enum order_turn { ORDER_SUBJECT, ORDER_ITS_HOST, ORDER_THIS_HOST, ORDER_OTHERS };

/* The turn of a series; NULL: there are no subjects. */
enum order_turn order_turn_of(const struct order_subjects *, const char *this_host,
			      const struct mc_name_parts *);
