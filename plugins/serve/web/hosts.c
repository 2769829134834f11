/* SPDX-License-Identifier: MIT */
/* Series are looked at in no order, which is many times quicker; so hosts are
 * found by their names. */
#include "hosts.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/kit/map.h>
#include <collector/label.h>

#include "answer.h"
#include "api.h"
#include "web.h"

#define HOSTS_MAX 10000 /* Of one answer. */

struct host {
	struct mc_map_node node; /* By name. */
	const char *name; /* Of its first series, which lives, or its own. */
	mc_time newest;   /* Of its samples. */
	uint64_t series, missing, warning, failure;
};

struct hosts {
	struct mc_map map;

	struct host *last; /* Series of a host often follow each other. */
};

/* A series is of the host before the first '/' of its name. */
static bool is_of(const struct host *host, const struct mc_series *series)
{
	const char *name = mc_name(series);

	return strncmp(name, host->name, host->node.key_size) == 0 &&
	       name[host->node.key_size] == '/';
}

/* 'name' lives as long as the host, or 'own' has it behind the host. */
static struct host *add_host(struct hosts *hosts, const char *name, size_t size,
			     bool own)
{
	struct host *host = mc_alloc_zero(sizeof(*host) + (own ? size + 1 : 0));

	host->name = own ? memcpy(host + 1, name, size) : name;
	host->node.key = host->name;
	host->node.key_size = size;
	mc_map_add(&hosts->map, &host->node);
	return host;
}

static struct host *find(struct hosts *hosts, const struct mc_series *series)
{
	struct host *host = hosts->last;
	const char *name;
	size_t size;

	if (host != NULL && is_of(host, series))
		return host;
	name = mc_host(series);
	size = strlen(name);
	host = (struct host *)mc_map_find(&hosts->map, name, size);
	if (host == NULL)
		host = add_host(hosts, name, size, false);
	hosts->last = host;
	return host;
}

static bool look_at(void *argument, struct mc_series *series,
		    const struct mc_latest *latest)
{
	struct host *host = find(argument, series);

	host->series++;
	host->missing += latest->missing;
	host->warning += latest->state == MC_STATE_WARNING;
	host->failure += latest->state == MC_STATE_FAILURE;
	if (latest->time > host->newest)
		host->newest = latest->time;
	return true;
}

static void add_silent(void *argument, const char *name, mc_time since)
{
	struct hosts *hosts = argument;
	size_t size = strlen(name);

	if (mc_map_find(&hosts->map, name, size) == NULL)
		add_host(hosts, name, size, true)->newest = since;
}

/* --- As JSON ----------------------------------------------------------------
 */

static void add_label(void *argument, const struct mc_field *label)
{
	mc_json_text(argument, label->name, label->value);
}

static void print(struct mc_ctx *ctx, struct mc_json *json,
		  const struct host *host)
{
	mc_json_map(json, NULL);
	mc_json_text(json, "host", host->name);
	mc_json_bool(json, "present", host->missing < host->series);
	mc_json_number(json, "time", (double)host->newest * 1e-9);
	mc_json_unsigned(json, "series", host->series);
	mc_json_unsigned(json, "missing", host->missing);
	mc_json_unsigned(json, "warning", host->warning);
	mc_json_unsigned(json, "failure", host->failure);
	mc_json_map(json, "labels");
	mc_each_label(ctx, host->name, add_label, json);
	mc_json_map_end(json);
	mc_json_map_end(json);
}

static int by_name(const void *a, const void *b)
{
	const struct host *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

/* Those of the glob (NULL: all), by name; the caller frees the list. */
static struct host **sorted(const struct hosts *hosts, const char *glob,
			    size_t *len)
{
	struct host **all = mc_alloc_array(hosts->map.len + 1, sizeof(*all));

	*len = 0;
	for (struct mc_map_node *node = mc_map_next(&hosts->map, NULL);
	     node != NULL; node = mc_map_next(&hosts->map, node)) {
		struct host *host = (struct host *)node;

		if (glob == NULL || fnmatch(glob, host->name, 0) == 0)
			all[(*len)++] = host;
	}
	qsort(all, *len, sizeof(*all), by_name);
	return all;
}

static void hosts_free(struct hosts *hosts)
{
	struct mc_map_node *node = mc_map_next(&hosts->map, NULL), *next;

	for (; node != NULL; node = next) {
		next = mc_map_next(&hosts->map, node);
		mc_map_remove(&hosts->map, node);
		free(node);
	}
	mc_map_done(&hosts->map);
}

/* --- The whole ---------------------------------------------------------------
 */

/* All series of hosts of that glob are of this one. */
static char *glob_of_series(const char *glob)
{
	size_t size = strlen(glob) + sizeof("/*");
	char *all = mc_alloc(size);

	snprintf(all, size, "%s/*", glob);
	return all;
}

static void answer(struct mc_httpd_request *request, int64_t offset,
		   int64_t limit)
{
	const char *glob = mc_httpd_query(request, "match");
	char *series = glob != NULL ? glob_of_series(glob) : NULL;
	struct mc_json *json = answer_begin();
	struct mc_ctx *ctx = web_ctx(request);
	struct mc_batch *batch = mc_begin(ctx); /* Keeps the names alive. */
	struct hosts hosts = { .last = NULL };
	struct host **all;
	size_t len;

	mc_scan_series(ctx, series, look_at, &hosts);
	silent_each(web_silent(request), mc_wall(), add_silent, &hosts);
	all = sorted(&hosts, glob, &len);
	mc_json_list(json, "hosts");
	for (int64_t i = offset; i < (int64_t)len && i - offset < limit; i++)
		print(ctx, json, all[i]);
	mc_json_list_end(json);
	mc_json_unsigned(json, "matched", len);
	answer_json(request, json);
	free(all);
	hosts_free(&hosts);
	mc_discard(batch);
	free(series);
}

void hosts_answer(struct mc_httpd_request *request)
{
	int64_t offset, limit;

	if (api_number(request, "offset",
		       (struct api_bounds){ 0, INT64_MAX, 0 }, &offset) &&
	    api_number(request, "limit",
		       (struct api_bounds){ 0, HOSTS_MAX, HOSTS_MAX }, &limit))
		answer(request, offset, limit);
}
