/* SPDX-License-Identifier: MIT */
/* collector/quota.h - the share of one client or one source in limited resources: series, new
 * series, and metadata.
 *
 * A client sends to this collector; a source is read by a plugin: a node, a page, a device, a
 * program.  A plugin makes a quota for each of them, and charges a batch to it before it puts in
 * values from there:
 *
 *   start()   page->quota = mc_quota_new(ctx, MC_QUOTA_SOURCE, page->url,
 *                                        &page->limits);
 *   read()    mc_charge(batch, page->quota);
 *   stop()    mc_quota_free(page->quota);
 *
 * Besides, a client or source may have two thirds of what all others leave of SeriesLimit, a crowd
 * seven eighths; a part of it is kept for this host, and another one for sources.
 *
 * The core refuses and counts what exceeds it, logs it with the name of the client or source, and
 * shows it in the status.
 */
#pragma once

#include <collector/plugin.h>

#pragma GCC visibility push(default)

enum mc_quota_kind {
	MC_QUOTA_CLIENT,
	MC_QUOTA_SOURCE,
	MC_QUOTA_CROWD,  /* All senders of datagrams, whose addresses may be forged. */
	MC_QUOTA_TENANT, /* Clients that have one together: options end with PerTenant. */
};

struct mc_quota_limits {
	int64_t series; /* Living at a time; 0: no limit. */
	/* New series of a client per second, of a source per hour, after a burst of as many as may
	 * live; another burst, at most once an hour, when all have ended. */
	int64_t new_series;
};

/* The options for them, in a struct that has a struct mc_quota_limits 'field': of each client, and
 * of each source, which is a "node", a "device".  The defaults are texts, above the needs of any
 * regular client. */
#define MC_QUOTA_CLIENT_OPTIONS(self, field, default_series, default_new)                          \
	{ "MaxSeriesPerClient",                                                                    \
	  MC_OPT_INT(self, field.series),                                                          \
	  .default_value = (default_series),                                                       \
	  .help = "Largest number of series of one client; further ones are "                      \
		  "refused.  0: no limit.",                                                        \
	  .min = 0,                                                                                \
	  .max = 1e9 },                                                                            \
	{                                                                                          \
		"MaxNewSeriesPerClient", MC_OPT_INT(self, field.new_series),                       \
			.default_value = (default_new),                                            \
			.help = "Number of new series per second that are "                        \
				"accepted from one client, after a burst of "                      \
				"up to MaxSeriesPerClient.",                                       \
			.min = 1, .max = 1e9                                                       \
	}
#define MC_QUOTA_SOURCE_OPTIONS(self, field, source, default_series, default_new)                  \
	{ "MaxSeries",                                                                             \
	  MC_OPT_INT(self, field.series),                                                          \
	  .default_value = (default_series),                                                       \
	  .help = "Largest number of series of one " source "; further ones "                      \
		  "are refused.  0: no limit.",                                                    \
	  .min = 0,                                                                                \
	  .max = 1e9 },                                                                            \
	{                                                                                          \
		"MaxNewSeries", MC_OPT_INT(self, field.new_series),                                \
			.default_value = (default_new),                                            \
			.help = "Number of new series per hour that are "                          \
				"accepted from one " source ", after a burst "                     \
				"of up to MaxSeries.",                                             \
			.min = 1, .max = 1e9                                                       \
	}

/* Never NULL; 'name' is copied.  While a quota of that name, kind and instance is there, or one
 * whose series still live, it is the same, with the limits that were given last.  Thread: any. */
struct mc_quota;
struct mc_quota *mc_quota_new(struct mc_ctx *ctx, enum mc_quota_kind kind, const char *name,
			      const struct mc_quota_limits *limits);

/* After the batches that are charged to it; its series live on.  NULL is fine.  Thread: any. */
void mc_quota_free(struct mc_quota *quota);

/* Number of times that a series was refused.  Thread: any. */
uint64_t mc_quota_refused(const struct mc_quota *quota);

/* Charges to 'quota' the series made for 'batch' from now on; NULL: to no quota.  Beyond its
 * limits mc_series() returns NULL, and mc_set_metadata() keeps limits alone.  Thread: the one that
 * fills 'batch'. */
void mc_charge(struct mc_batch *batch, struct mc_quota *quota);

#pragma GCC visibility pop
