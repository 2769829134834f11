/* SPDX-License-Identifier: MIT */
/* From a line of a spool to samples.  For the thread of run(). */
#pragma once

#include <collector/serve.h>

#include "count.h"
#include "service.h"

struct ingest_options { /* Of a Spool block. */
	const char *plugin;
	mc_time interval; /* 0: learned. */
	mc_time max_age;  /* 0: no limit. */
	bool raw;
	bool notify;
	struct mc_select *hosts, *services, *labels, *commands; /* To ignore. */
};

struct ingest {
	struct mc_ctx *ctx;
	const struct ingest_options *options;
	const char *path; /* Of the spool, for the log. */
	struct services services;
	struct count *count;
	struct mc_batch *batch; /* Where samples go. */
};

/* Takes a line of 'size' bytes, which ends with '\0' in the place of its newline and is changed;
 * 'now' is mc_wall().  Returns the time of its event, or 0. */
mc_time ingest_line(struct ingest *, char *line, size_t size, mc_time now);
