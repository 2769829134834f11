/* SPDX-License-Identifier: MIT */
/* collector/kit/once.h - says once why a thing fails, in libkit.
 *
 * For what is tried again and again beside a callback, such as a file that is
 * written now and then; why a callback itself fails says mc_fail().  The caller
 * locks, where several threads try the same thing.
 */
#ifndef COLLECTOR_KIT_ONCE_H
#define COLLECTOR_KIT_ONCE_H

#include <collector/plugin.h>

struct mc_once {           /* Of one thing.  All zero: it works. */
	uint64_t reason;   /* A sum of what was logged; */
	uint64_t failures; /* since the thing worked last. */
};

/* It has failed: logs why, as a warning with ": " and the text of errnum
 * appended, unless that is 0; not again until the text is another, or the thing
 * has worked in between. */
void mc_complain(struct mc_ctx *, struct mc_once *, int errnum, const char *fmt,
		 ...) MC_PRINTF(4, 5);

/* It has worked: logs that, as a note, if it had failed; " after 2 failures" is
 * appended. */
void mc_works(struct mc_ctx *, struct mc_once *, const char *fmt, ...)
	MC_PRINTF(3, 4);

#endif
