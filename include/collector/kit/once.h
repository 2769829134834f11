/* SPDX-License-Identifier: MIT */
/* collector/kit/once.h - says once why a thing fails, in libkit.
 *
 * For what is tried again and again beside a callback, such as a file that is written now and then.
 * Why a callback itself fails says mc_fail(); the core then goes by the same rule.  The caller
 * locks, where several threads try the same thing.
 */
#pragma once

#include <ctype.h>

#include <collector/kit/hash.h>
#include <collector/plugin.h>

struct mc_once {           /* Of one thing.  All zero: it works. */
	uint64_t reason;   /* A sum of what was logged; */
	uint64_t failures; /* since the thing worked last. */
};

/* The size of what a reason has at 'at' that is taken as it is: a name in
 * 'quotes', and digits of a word or of a code; 0: nothing. */
static inline size_t mc_once_name_size(const char *reason, const char *at)
{
	static const char digits[] = "0123456789";
	const char *end = at;

	if (at > reason && isalpha((unsigned char)at[-1]))
		return strspn(at, digits);
	if (at - reason > 7 &&
	    (strncmp(at - 7, "status ", 7) == 0 || strncmp(at - 7, "signal ", 7) == 0))
		return strspn(at, digits);
	if (*at != '\'')
		return 0;
	do {
		end = strchr(end + 1, '\'');
	} while (end != NULL && isalnum((unsigned char)end[1]));
	return end != NULL ? (size_t)(end - at) + 1 : 0;
}

/* A sum of the text of a reason, for mc_once_failed().  Amounts do not count:
 * "timed out with 840 bytes received" is the same with 8400000 of them.  Names
 * and codes do: 'sda1', sda1, status 503, signal 9. */
static inline uint64_t mc_once_sum(const char *reason)
{
	uint64_t sum = mc_hash_start();
	const char *at = reason;

	while (*at != '\0') {
		size_t size = mc_once_name_size(reason, at);

		if (size == 0 && isdigit((unsigned char)*at)) {
			sum = mc_hash_bytes(sum, "0", 1);
			at += strspn(at, "0123456789.");
		} else {
			size = size > 0 ? size : 1;
			sum = mc_hash_bytes(sum, at, size);
			at += size;
		}
	}
	return sum;
}

/* It has failed.  Whether that is to be logged: 'reason', a sum of it, is not
 * the one of before, or the thing has worked in between. */
static inline bool mc_once_failed(struct mc_once *once, uint64_t reason)
{
	bool is_new = once->failures++ == 0 || once->reason != reason;

	once->reason = reason;
	return is_new;
}

/* It has worked.  How often it had failed before; if not 0, its end is to be logged. */
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

/* It has failed: counts that with the failures of read(), and logs why, as a warning with
 * ": " and the text of errnum appended, unless that is 0; not again until the text
 * is another by mc_once_sum(), or the thing has worked in between. */
void mc_complain(struct mc_ctx *, struct mc_once *, int errnum, const char *fmt, ...)
	MC_PRINTF(4, 5);

/* It has worked: logs that, as a note, if it had failed; " after 2 failures" is appended. */
void mc_works(struct mc_ctx *, struct mc_once *, const char *fmt, ...) MC_PRINTF(3, 4);
