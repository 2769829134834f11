/* SPDX-License-Identifier: MIT */
/* Counters of a guest over its processes: what each of them counted is added, once, in whatever
 * order its samples come and however often they come again.  Pure.
 *
 *   stored = raw + offset       of the process that counts now
 *   offset = the sum of what those before have counted, as far as their samples have come
 *   ended.at = raw of one of those, as far as the offset has it
 *
 * A late sample of an earlier process raises the offset by raw - ended.at, so the same one again
 * raises it by nothing.  Raw counters are in raws.h, from which these sums can be made again after
 * a kill: see counters_resume(). */
#pragma once

#include "moves.h"

/* Of the current process: the counters of the sample go on. */
void counters_take(struct moves *, struct moves_guest *, const struct moves_sample *);

/* Of another one that had the guest before. */
enum moves_verdict counters_take_late(struct moves *, struct moves_guest *,
				      const struct moves_sample *, struct moves_generation *);

/* Another process takes the place of that one, of which nobody knows any more. */
void counters_forget(struct moves *, struct moves_generation *);

void counters_drop(struct moves *, struct moves_guest *);

/* After a kill, when all of a file has been restored, before samples come: brings counters up to
 * what was taken last.  A series without that stays stale. */
void counters_resume(struct moves *, const struct raws_left *);

/* --- For files --------------------------------------------------------------- */

/* Of the current process; NULL: there are too many. */
struct moves_series *counters_restore(struct moves *, struct moves_guest *, const char *name,
				      unsigned len);
/* NULL: it is there already. */
struct moves_past *counters_restore_past(struct moves_series *, uint32_t serial);
