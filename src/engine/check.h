/* SPDX-License-Identifier: MIT */
/* Has the options of an instance judged by its plugin. */
#ifndef COLLECTOR_ENGINE_CHECK_H
#define COLLECTOR_ENGINE_CHECK_H

#include <stdbool.h>

struct instance;

struct check {
	bool host; /* Files, users and ports of this host are looked at. */

	/* Told all that is wrong; 'field' and 'text' as in
	 * <collector/check.h>. */
	void (*report)(void *argument, bool error, const void *field,
		       const char *text);
	void *argument;
};

/* Calls check(), if the plugin has one.  The instance has its options, and was
 * not started. */
void check_instance(struct instance *, const struct check *);

#endif
