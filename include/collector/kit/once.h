/* SPDX-License-Identifier: MIT */
/* collector/kit/once.h - says once why a thing fails, in libkit.
 *
 * For what is tried again and again beside a callback, such as a file that is
 * written now and then.  Why a callback itself fails says mc_fail(); the core
 * then goes by the same rule.  The caller locks, where several threads try the
 * same thing.
 */
#ifndef COLLECTOR_KIT_ONCE_H
#define COLLECTOR_KIT_ONCE_H

#include <collector/plugin.h>

struct mc_once {           /* Of one thing.  All zero: it works. */
	uint64_t reason;   /* A sum of what was logged; */
	uint64_t failures; /* since the thing worked last. */
};

/* It has failed.  Whether that is to be logged: 'reason', a sum of it, is not
 * the one of before, or the thing has worked in between. */
static inline bool mc_once_failed(struct mc_once *once, uint64_t reason)
{
	bool is_new = once->failures++ == 0 || once->reason != reason;

	once->reason = reason;
	return is_new;
}

/* It has worked.  How often it had failed before; if not 0, its end is to be
 * logged. */
static inline uint64_t mc_once_worked(struct mc_once *once)
{
	uint64_t failures = once->failures;

	*once = (struct mc_once){ 0 };
	return failures;
}

/* Whether something may be logged that is logged once in 'pause' at most; then
 * '*logged', which is 0 at first, becomes 'now'. */
static inline bool mc_once_in(mc_time *logged, mc_time now, mc_time pause)
{
	if (*logged != 0 && now - *logged < pause)
		return false;
	*logged = now;
	return true;
}

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
