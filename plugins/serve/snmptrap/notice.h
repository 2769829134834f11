/* SPDX-License-Identifier: MIT */
/* The notification that a trap becomes.  One thread. */
#ifndef SNMPTRAP_NOTICE_H
#define SNMPTRAP_NOTICE_H

#include <collector/kit/lru.h>
#include <collector/plugin.h>

#include "rules.h"
#include "trap.h"

#define NOTICE_NAMES_MAX 8192 /* Of object identifiers that are kept. */

struct notice {              /* All zero: ready. */
	struct mc_lru names; /* struct name: texts of object identifiers. */
};

/* Tells of a trap of that host; 'rule' may be NULL: it is a warning under the
 * trap's own name. */
void notice_tell(struct notice *, struct mc_ctx *, const struct trap *,
		 const struct rule *rule, const char *host);
void notice_done(struct notice *);

#endif
