/* SPDX-License-Identifier: MIT */
/* collector/kit/refusals.h - what a server refuses, by reason: counted, and said in the log when a
 * reason is new, and again after an hour if it is still there. In libkit.
 *
 * Thread: any. */
#pragma once

#include <stdatomic.h>
#include <sys/socket.h>

#include <collector/plugin.h>

#define MC_REFUSALS_MAX 32

struct mc_refusal {       /* A reason. */
	const char *name; /* Type instance of its series; NULL: no reason. */
	const char *text; /* A sentence for the log: "its value is not a number". */
};

struct mc_refusals {                      /* All zero but 'reasons'. */
	const struct mc_refusal *reasons; /* At most MC_REFUSALS_MAX. */
	unsigned len;
	_Atomic uint64_t counts[MC_REFUSALS_MAX];
	_Atomic mc_time logged[MC_REFUSALS_MAX]; /* 0: never. */
};

struct mc_refused {       /* Kind of the refused items. */
	const char *what; /* "a line". */
	const char *text; /* Of it, any bytes, 'size' of them; or NULL. */
	size_t size;
	const struct sockaddr_storage *sender; /* NULL: not known. */
};
void mc_refuse(struct mc_refusals *, struct mc_ctx *, unsigned reason, const struct mc_refused *);

/* Number of datagrams that the kernel has dropped, for that reason. */
void mc_refuse_dropped(struct mc_refusals *, struct mc_ctx *, unsigned reason, uint64_t number);

/* The series errors-NAME of all reasons. */
void mc_refusals_report(const struct mc_refusals *, struct mc_batch *);
