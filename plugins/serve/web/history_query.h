/* SPDX-License-Identifier: MIT */
/* A question about the past: series, a span of time, and how they become a few groups; and its
 * result. */
#pragma once

#include <collector/history.h>
#include <collector/kit/http_server.h>

#include "combine.h"

struct history_query_list {
	struct mc_series **items;
	size_t len, room;
};

struct history_query {
	struct mc_httpd_request *request;
	struct mc_ctx *ctx;
	struct mc_span span; /* Its step is that of the groups, after history_query_run(). */
	struct combine combine;
	struct history_query_list list; /* The series that were read, by name. */
	size_t matched;                 /* How many there are. */
	mc_time until;                  /* Then no more are read; monotonic. */
	char why[MC_HISTORY_WHY];       /* The failure of the last one, or "". */
};

/* Reads match, from, to, points, group and function of the request; 'points' if it does not say
 * how many.  False, and refused, if one of them is invalid. */
bool history_query_init(struct history_query *, struct mc_httpd_request *, unsigned points);
void history_query_done(struct history_query *);

/* Only from, to and points. */
bool history_query_span(struct mc_httpd_request *, unsigned points, struct mc_span *);

/* Reads the series that match, within a reading of the caller, which keeps them, and makes them
 * groups.  May wait for a disk or another program. */
void history_query_run(struct history_query *);

/* Reads the histories of other series over the same span, and passes each, which may be NULL, until
 * the time is over or the viewer has left.  Returns how many were passed. */
size_t history_query_each(struct history_query *, const struct history_query_list *,
			  void (*take)(void *argument, struct mc_series *, struct mc_history *),
			  void *argument);
