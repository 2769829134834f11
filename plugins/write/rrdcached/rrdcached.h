/* SPDX-License-Identifier: MIT */
/* The state of an instance, with its options. */
#pragma once

#include <collector/journal.h>
#include <collector/kit/once.h>

#include "daemon.h"
#include "formats/rrd/rrd.h"
#include "joined.h"
#include "kit/series/rrd_files.h"
#include "shard.h"

struct rrdcached {
	struct mc_strings addresses;
	const char *data_dir;
	bool create_files, create_async, statistics;
	double create_rate;
	struct mc_rrd_options options;
	int64_t buffer_limit, replay_limit; /* MiB, KiB */
	mc_time timeout;

	char *directory;                /* DataDir without slashes at its end, or NULL. */
	struct mc_path_missing missing; /* By the lock. */
	struct mc_rrd_choice choice;
	struct mc_rrd_layout *layouts; /* By the lock. */
	struct joined joined;          /* By the lock. */
	/* By the lock: a label that is not in the file of its service, and why; "": none. */
	char refused[MC_PATH_TEMPLATE_SIZE + MC_PNP_SINGLE_WHY + 64];
	struct mc_once refused_once;
	struct daemon_shared shared;
	struct daemon *daemons;
	size_t daemons_len;
	struct shard shard;
	struct mc_loop loop;
	struct mc_loop_timer step; /* When daemon_step() is due without an event. */
	/* Only in run(). */
	mc_time safe_at;
	struct mc_offset safe;        /* The last acknowledgement to the journal; */
	char failure[LOSS_TEXT_SIZE]; /* what the core was. */
};
