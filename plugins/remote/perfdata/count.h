/* SPDX-License-Identifier: MIT */
/* Items read from a spool, and rejected items, by reason.  A reason is logged when it is new, and
 * again after an hour if it is still there. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include <collector/plugin.h>

enum count_reason {
	/* Lines. */
	COUNT_FORM,
	COUNT_TIME,
	COUNT_NAME,
	COUNT_CUT,
	COUNT_LONG,
	/* Events. */
	COUNT_FUTURE,
	COUNT_OLD,
	/* Items. */
	COUNT_NO_LABEL,
	COUNT_NO_VALUE,
	COUNT_NO_NUMBER,
	COUNT_FIELDS,
	COUNT_RANGE,
	COUNT_REPEATED,
	COUNT_LABELS,
	COUNT_SERIES,
	/* Files. */
	COUNT_UNREADABLE,
	COUNT_LIMIT,
	COUNT_REASONS,
};

struct count { /* Counted by one thread, reported by another. */
	_Atomic uint64_t files, bytes, events, items, unknown, tolerated;
	_Atomic uint64_t ignored; /* Items that are not wanted. */
	_Atomic uint64_t refused[COUNT_REASONS];
	mc_time logged[COUNT_REASONS]; /* Only by the one; 0: never. */

	/* Waiting files. */
	_Atomic uint64_t files_waiting, files_unreadable, bytes_waiting;
	_Atomic int64_t oldest; /* Time of the oldest event; 0: none waits. */
};

/* One is refused; 'text' is the line, the item or the file, 'spool' its path. */
void count_refuse(struct count *, struct mc_ctx *, enum count_reason, const char *spool,
		  const char *text);

static inline void count_add(_Atomic uint64_t *counter, uint64_t more)
{
	atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

/* The series of a spool, whose type instances begin with 'name'. */
void count_report(const struct count *, struct mc_batch *, const char *name, mc_time now);
