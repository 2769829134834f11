/* SPDX-License-Identifier: MIT */
/* Received and rejected items, by reason. */
#pragma once

#include <collector/kit/refusals.h>

enum refused_reason {
	REFUSED_NOTHING,
	REFUSED_FORM,    /* A line is invalid, or too long. */
	REFUSED_VALUE,   /* Its value is not a number. */
	REFUSED_UNKNOWN, /* It is NaN. */
	REFUSED_TIME,    /* Its time is invalid. */
	REFUSED_FUTURE,  /* It is far ahead. */
	REFUSED_NAME,    /* No template makes a name of its path. */
	REFUSED_SERIES,  /* Its series may not be made. */
	REFUSED_KIND,    /* A counter that is not whole. */
	REFUSED_PICKLE,  /* A pickle is not one of points. */
	REFUSED_FRAME,   /* One is too long. */
	REFUSED_MEMORY,  /* Of pickles that are not complete. */
	REFUSED_CLIENT,  /* Too many connections. */
	REFUSED_TLS,     /* A handshake failed. */
	REFUSED_SLOW,    /* The rest of a line or pickle did not come. */
	REFUSED_CUT,     /* A datagram is too long. */
	REFUSED_DROPPED, /* Datagrams, by the kernel. */
	REFUSED_REASONS,
};

struct refused {                         /* Counted by one thread, reported by another. */
	_Atomic uint64_t points, octets; /* Accepted; octets of datagrams. */
	struct mc_refusals refusals;
};

/* For one that is all zero. */
void refused_init(struct refused *);

struct mc_stream_server;

/* The series of ReportStats. */
void refused_report(const struct refused *, const struct mc_stream_server *, struct mc_batch *);
