/* SPDX-License-Identifier: MIT */
/* The notification that a trap becomes.  One thread. */
#pragma once

#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "formats/snmp/trap.h"
#include "formats/snmp/variable.h"
#include "rules.h"

#define NOTICE_NAMES_MAX 8192 /* Of object identifiers that are kept. */
#define NOTICE_MESSAGE_SIZE 512

struct notice {              /* All zero: ready. */
	struct mc_lru names; /* struct name: texts of object identifiers. */

	/* The texts of the latest notification. */
	struct notice_fields {
		struct mc_field items[MC_FIELDS_MAX];
		char values[MC_FIELDS_MAX][MC_SNMP_TEXT_SIZE];
		unsigned len;
	} fields;
	char instance[MC_SNMP_TEXT_SIZE];
	char message[NOTICE_MESSAGE_SIZE];
};

/* Makes the notification of a trap of that host; 'rule' may be NULL: it is a warning under the
 * trap's own name.  False: such traps are ignored.  Its texts live until the next one is made. */
bool notice_make(struct notice *, const struct trap *, const struct rule *rule, const char *host,
		 struct mc_notification *out);
void notice_done(struct notice *);
