/* SPDX-License-Identifier: MIT */
/* The cost of a read: of the collector, of libvirt's daemon, and of the QEMUs of the guests on this
 * machine; series of it with ReportStats, and the option Budget. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

#include "budget.h"

/* Guests of whose QEMU it is measured; the others cost as much. */
#define COST_GUESTS_MAX 64

struct cost {                             /* Of the reader. */
	mc_time begun;                    /* When guests were asked, */
	mc_time collector, daemon;        /* CPU time before. */
	unsigned pid;                     /* Of the daemon; 0: not known. */
	uint64_t guests[COST_GUESTS_MAX]; /* CPU time (ns) of QEMUs' main threads. */
	size_t guests_len;
};

/* At the begin of a read; before guests are asked; after most have answered; and at the end, which
 * may change self->budget. */
void cost_begin(struct mc_ctx *ctx);
void cost_ask(struct mc_ctx *ctx);
void cost_answered(struct mc_ctx *ctx, struct mc_batch *out);
void cost_end(struct mc_ctx *ctx, struct mc_batch *out);
