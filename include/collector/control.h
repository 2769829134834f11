/* SPDX-License-Identifier: MIT */
/* collector/control.h - for plugins that answer for the whole collector: the
 * unix socket, a web page, a scrape endpoint.
 *
 * All functions may be called from any thread of the instance.  Visitors are
 * called without a lock held; what they are shown is theirs for that call.
 */
#pragma once

#include <collector/judge.h>
#include <collector/quota.h>

#pragma GCC visibility push(default)

/* --- Series and their last values --------------------------------------- */

struct mc_latest {           /* A copy of the state of a series at one moment. */
	mc_time time;        /* Time of the sample; 0: no sample yet. */
	mc_time interval;    /* At which the series is measured. */
	bool missing;        /* Silent for longer than Timeout intervals. */
	enum mc_state state; /* Set by a judge. */
	unsigned values_len;
	union mc_value values[MC_SOURCES_MAX];
	double rates[MC_SOURCES_MAX];
	const char *made_by; /* Instance that committed the last sample. */
};

/* A series that is found or shown between these two calls is not freed before the second one,
 * and neither is any that ends meanwhile: so read for one answer, no longer.  No lock is held: the
 * values go on changing.  Calls may be nested.  Never NULL.  Thread: any. */
struct mc_reading;
struct mc_reading *mc_read_begin(struct mc_ctx *ctx);
void mc_read_end(struct mc_reading *reading);

/* Looks a series up by its whole name, "host/plugin-instance/type-instance", also if it has ended:
 * then it has no values, and is missing.  NULL if there is no such series. */
struct mc_series *mc_find(struct mc_reading *reading, const char *name, size_t size);

/* Copies the last sample and state of 'series'. */
void mc_latest(struct mc_reading *reading, struct mc_series *series, struct mc_latest *latest);

/* Shows every series that has a value and whose name matches the glob (fnmatch
 * without FNM_PATHNAME; NULL: all), in the order of their names.  Ends early
 * when 'show' returns false.  Returns how many match. */
size_t mc_each_series(struct mc_ctx *, const char *glob,
		      bool (*show)(void *argument, struct mc_series *, const struct mc_latest *),
		      void *argument);

/* The same, in any order: sorting takes most of the time when there are many. */
void mc_scan_series(struct mc_ctx *, const char *glob,
		    bool (*show)(void *argument, struct mc_series *, const struct mc_latest *),
		    void *argument);

struct mc_series_page {
	const char *glob;
	size_t offset, limit; /* Rows among the matching series, by name. */
	mc_time ended_since;  /* Also those that have ended since then; 0: none. */
	const char *label; /* Only those whose metric matches, as mc_metric_matches(); NULL: all. */
};

/* The same for one page of them.  Returns how many match. */
size_t mc_page_series(struct mc_ctx *, const struct mc_series_page *,
		      bool (*show)(void *argument, struct mc_series *, const struct mc_latest *),
		      void *argument);

/* --- Requests ------------------------------------------------------------ */

/* Has all writers flush, or only the instance 'writer'; see struct mc_writer.  Returns 0 when the
 * request is queued, or -ENOENT. */
int mc_flush(struct mc_ctx *, const char *writer, mc_time age, const char *name);

/* From now on write() and notify() of this instance are called (or no more):
 * see on_request in struct mc_writer. */
void mc_subscribe(struct mc_ctx *, bool on);

/* Has this writer, which has on_request, get only what judges let writers of its name have, as
 * other writers do: it sends values away.  Without it gets all.  Thread: start()'s. */
void mc_obey_routes(struct mc_ctx *);

#pragma GCC visibility pop
