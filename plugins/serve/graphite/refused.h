/* SPDX-License-Identifier: MIT */
/* What has come, and by reason what came to nothing.  A reason is logged when
 * it is new, and again after an hour if it is still there. */
#ifndef GRAPHITE_REFUSED_H
#define GRAPHITE_REFUSED_H

#include <stdatomic.h>
#include <sys/socket.h>

#include <collector/plugin.h>

enum refused_reason {
	REFUSED_FORM,    /* A line is none, or too long. */
	REFUSED_VALUE,   /* Its value is no number. */
	REFUSED_UNKNOWN, /* It is NaN. */
	REFUSED_TIME,    /* Its time is none. */
	REFUSED_FUTURE,  /* It is far ahead. */
	REFUSED_NAME,    /* No template makes a name of its path. */
	REFUSED_SERIES,  /* Its series may not be made. */
	REFUSED_KIND,    /* A counter that is not whole. */
	REFUSED_PICKLE,  /* A pickle is none of points. */
	REFUSED_FRAME,   /* One is too long. */
	REFUSED_MEMORY,  /* Of pickles that are not complete. */
	REFUSED_CLIENT,  /* Too many connections. */
	REFUSED_SLOW,    /* The rest of a line or pickle did not come. */
	REFUSED_CUT,     /* A datagram is too long. */
	REFUSED_DROPPED, /* Datagrams, by the kernel. */
	REFUSED_REASONS,
};

struct refused { /* Counted by one thread, reported by another. */
	_Atomic uint64_t points, octets, clients; /* Taken; connections now. */
	_Atomic uint64_t counts[REFUSED_REASONS];
	mc_time logged[REFUSED_REASONS]; /* Only by the one; 0: never. */
};

/* So many are refused of who is at that address, which may be NULL; 'text' of
 * 'size' bytes is the line, or what is wrong; NULL: neither. */
struct refused_what {
	const struct sockaddr_storage *sender;
	const char *text;
	size_t size;
	uint64_t number;
};
void refused_add(struct refused *, struct mc_ctx *, enum refused_reason,
		 const struct refused_what *);

/* The series of ReportStats. */
void refused_report(const struct refused *, struct mc_batch *);

#endif
