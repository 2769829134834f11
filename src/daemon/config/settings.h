/* SPDX-License-Identifier: MIT */
/* The global options: what stands in the file outside of all blocks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <collector/plugin.h>

#include "base/problem.h"
#include "conf/option.h"
#include "conf/parse.h"

enum settings_journal {
	SETTINGS_JOURNAL_AUTO, /* If a durable writer is configured. */
	SETTINGS_JOURNAL_ON,
	SETTINGS_JOURNAL_OFF,
};

struct settings {
	const char *hostname; /* "": that of the system. */
	bool fqdn_lookup;
	const char *base_dir, *pid_file;
	struct mc_strings plugin_dirs; /* Besides our own. */
	struct mc_strings types_db;
	struct mc_strings rules_dirs; /* None: the usual ones. */
	bool auto_load_plugin, collect_internal_stats;
	mc_time interval, max_read_interval;
	double timeout; /* In intervals. */
	int64_t read_threads, series_limit, catalogue_limit, history_bytes, write_queue_bytes;
	int journal;      /* enum settings_journal */
	int journal_sync; /* enum journal_sync */
	int64_t journal_bytes, journal_min_free;
	const char *journal_dir;

	/* Accepted for the sake of files that have them; see their help. */
	int64_t write_threads, write_queue_limit_high, write_queue_limit_low;
};

/* The table they are read by, for manuals too; ends with {0}. */
extern const struct mc_option settings_options[];

/* Reads the statements at the top of a file, apart from LoadPlugin and blocks.  A mistake is a
 * problem with its position; that setting then has its preset.  Strings live as long as 'keep'. */
void settings_read(const struct conf_node *root, struct settings *, struct conf_keep *,
		   struct problems *);

/* Where that option, with that value if it is not NULL, first stands; nowhere if it does not. */
struct place settings_place(const struct conf_node *root, const char *option, const char *value);

/* Takes on from 'next' what may change while the collector runs.  Shows the
 * options that differ and may not, by their names: those keep their values. */
void settings_change(struct settings *now, const struct settings *next,
		     void (*visit)(void *argument, const char *option), void *argument);
