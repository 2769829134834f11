/* SPDX-License-Identifier: MIT */
/* kit/base/match/match.h - numbers out of text by regular expressions, as the <Match> blocks of
 * collectd's plugins tail and curl have them, in libkit_match:
 *
 *   { .name = "Match",
 *     MC_OPT_BLOCKS(struct file, matches),
 *     .block = &mc_match_block,
 *     .help = "A value to make of the lines." },
 *
 *   mc_match_check(ctx, &file->matches);    in check()
 *   mc_match_start(ctx, &file->matches);    in start()
 *   mc_match_take(&file->matches, line, size);    for each line
 *   mc_match_put(&target, &file->matches);        at the end of an interval
 *   mc_match_stop(&file->matches);          in stop()
 *
 * One thread at a time for each list of matches. */
#pragma once

#include <collector/plugin.h>

/* Of an option whose blocks are matches. */
extern const struct mc_block mc_match_block;

/* Says what is wrong with their options. */
void mc_match_check(struct mc_ctx *, const struct mc_blocks *matches);

/* 0, or what mc_fail() returned; mc_match_stop() is due in any case. */
int mc_match_start(struct mc_ctx *, const struct mc_blocks *matches);
void mc_match_stop(const struct mc_blocks *matches);

/* Matches a text, and takes the numbers in it. */
void mc_match_take(const struct mc_blocks *matches, const char *text, size_t size);

/* Logs, once for each match, that an expression was given up or took no number;
 * 'what' and 'name' say from what: "a line of" "/var/log/syslog". */
void mc_match_tell(struct mc_ctx *, const struct mc_blocks *matches, const char *what,
		   const char *name);

struct mc_match_target { /* Where values are put. */
	struct mc_ctx *ctx;
	struct mc_batch *batch;
	const char *plugin, *plugin_instance; /* Of the series, or NULL. */
	struct mc_stamp stamp;
	mc_time elapsed; /* Since the last time; 0: none. */
};

/* Puts what has been taken since the last time, and begins anew. */
void mc_match_put(const struct mc_match_target *, const struct mc_blocks *matches);
