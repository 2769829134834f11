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
#include <collector/private/catalogue.h>

#include "answer.h"
#include "api.h"
#include "web.h"

#define HOSTS_MAX 10000 /* Of one answer. */

struct host {
	struct mc_map_node node; /* By name. */
	const char *name;        /* Of its first series, which lives, or its own. */
	mc_time newest;          /* Of its samples. */
	uint64_t series, missing, warning, failure;
};

struct hosts {
	struct mc_map map;

	struct host *last; /* Series of a host often follow each other. */
};

struct page { /* The requested part of them. */
	int64_t offset, limit;
	int (*order)(const void *, const void *); /* Of struct host *. */
};

static bool is_present(const struct host *host)
{
	return host->missing < host->series;
}

/* A series is of the host before the first '/' of its name. */
static bool is_of(const struct host *host, const struct mc_series *series)
{
	const char *name = mc_name(series);

	return strncmp(name, host->name, host->node.key_size) == 0 &&
	       name[host->node.key_size] == '/';
}

/* 'name' lives as long as the host, or 'own' has it after the host. */
static struct host *add_host(struct hosts *hosts, const char *name, size_t size, bool own)
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

static bool look_at(void *argument, struct mc_series *series, const struct mc_latest *latest)
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

/* --- Those that are not silent ------------------------------------------- */

struct trimming {
	struct silent *silent;
	const char *last; /* Series of a host often follow each other. */
};

static bool forget_present(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct trimming *trimming = argument;
	const char *host = mc_host(series);

	if (latest->missing || (trimming->last != NULL && strcmp(host, trimming->last) == 0))
		return true;
	silent_forget(trimming->silent, host);
	trimming->last = host;
	return true;
}

void hosts_trim_silent(struct mc_ctx *ctx, struct silent *silent)
{
	struct mc_reading *reading = mc_read_begin(ctx);
	struct trimming trimming = { .silent = silent };

	mc_scan_series(ctx, NULL, forget_present, &trimming);
	silent_trim(silent);
	mc_read_end(reading);
}

/* --- In which order ------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	const struct host *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

static int larger_first(uint64_t left, uint64_t right)
{
	return (left < right) - (left > right);
}

/* Bad states come first; "host9" is before "host10". */
static int by_state(const void *a, const void *b)
{
	const struct host *left = *(const struct host *const *)a;
	const struct host *right = *(const struct host *const *)b;
	int order = is_present(left) - is_present(right);

	if (order == 0)
		order = larger_first(left->failure + left->missing,
				     right->failure + right->missing);
	if (order == 0)
		order = larger_first(left->warning, right->warning);
	return order != 0 ? order : strverscmp(left->name, right->name);
}

/* --- As JSON ------------------------------------------------------------- */

static void add_label(void *argument, const struct mc_field *label)
{
	mc_json_text(argument, label->name, label->value);
}

static void print(struct mc_ctx *ctx, struct mc_json *json, const struct host *host)
{
	mc_json_map(json, NULL);
	mc_json_text(json, "host", host->name);
	mc_json_bool(json, "present", is_present(host));
	mc_json_seconds(json, "time", host->newest);
	mc_json_unsigned(json, "series", host->series);
	mc_json_unsigned(json, "missing", host->missing);
	mc_json_unsigned(json, "warning", host->warning);
	mc_json_unsigned(json, "failure", host->failure);
	mc_json_map(json, "labels");
	mc_each_label(ctx, host->name, add_label, json);
	mc_json_map_end(json);
	mc_json_map_end(json);
}

/* Those of the glob (NULL: all), in no order; the caller frees the list. */
static struct host **matching(const struct hosts *hosts, const char *glob, size_t *len)
{
	struct host **all = mc_alloc_array(hosts->map.len + 1, sizeof(*all));

	*len = 0;
	for (struct mc_map_node *node = mc_map_next(&hosts->map, NULL); node != NULL;
	     node = mc_map_next(&hosts->map, node)) {
		struct host *host = (struct host *)node;

		if (glob == NULL || fnmatch(glob, host->name, 0) == 0)
			all[(*len)++] = host;
	}
	return all;
}

static void print_page(struct mc_ctx *ctx, struct mc_json *json, const struct page *page,
		       struct host **all, size_t len)
{
	uint64_t silent = 0;

	qsort(all, len, sizeof(*all), page->order);
	mc_json_list(json, "hosts");
	for (int64_t i = page->offset; i < (int64_t)len && i - page->offset < page->limit; i++)
		print(ctx, json, all[i]);
	mc_json_list_end(json);
	for (size_t i = 0; i < len; i++)
		silent += !is_present(all[i]);
	mc_json_unsigned(json, "matched", len);
	mc_json_unsigned(json, "silent", silent);
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

/* --- The whole ----------------------------------------------------------- */

/* All series of hosts of that glob are of this one. */
static char *glob_of_series(const char *glob)
{
	size_t size = strlen(glob) + sizeof("/*");
	char *all = mc_alloc(size);

	snprintf(all, size, "%s/*", glob);
	return all;
}

struct recall { /* Of silent hosts. */
	struct silent *silent;
	mc_time now;
};

static bool recall_one(void *argument, const struct mc_ended *ended)
{
	const struct recall *recall = argument;
	size_t size = strcspn(ended->name, "/");
	char host[MC_FORGET_NAME_SIZE];

	if (recall->now - ended->last > SILENT_TIME || size >= sizeof(host))
		return true;
	memcpy(host, ended->name, size);
	host[size] = '\0';
	silent_recall(recall->silent, host, ended->last);
	return true;
}

/* Hosts that were silent before the start are in the catalogue. */
static void recall_silent(struct mc_ctx *ctx, struct silent *silent)
{
	struct recall recall = { silent, mc_wall() };

	if (silent_recall_due(silent))
		mc_each_ended(ctx, NULL, recall_one, &recall);
}

static void answer(struct mc_httpd_request *request, const struct page *page)
{
	const char *glob = mc_httpd_query(request, "match");
	char *series = glob != NULL ? glob_of_series(glob) : NULL;
	struct mc_json *json = answer_begin();
	struct mc_ctx *ctx = web_ctx(request);
	struct mc_reading *reading = mc_read_begin(ctx);
	struct hosts hosts = { .last = NULL };
	struct host **all;
	size_t len;

	recall_silent(ctx, web_silent(request));
	mc_scan_series(ctx, series, look_at, &hosts);
	silent_each(web_silent(request), mc_wall(), add_silent, &hosts);
	all = matching(&hosts, glob, &len);
	print_page(ctx, json, page, all, len);
	answer_json(request, json);
	free(all);
	hosts_free(&hosts);
	mc_read_end(reading);
	free(series);
}

static bool read_order(struct mc_httpd_request *request, struct page *page)
{
	const char *order = mc_httpd_query(request, "order");

	page->order = by_name;
	if (order == NULL || strcmp(order, "name") == 0)
		return true;
	page->order = by_state;
	if (strcmp(order, "state") == 0)
		return true;
	answer_refuse(request, 400, "'order' is neither name nor state");
	return false;
}

void hosts_answer(struct mc_httpd_request *request)
{
	struct page page;

	if (api_number(request, "offset", (struct api_bounds){ 0, INT64_MAX, 0 }, &page.offset) &&
	    api_number(request, "limit", (struct api_bounds){ 0, HOSTS_MAX, HOSTS_MAX },
		       &page.limit) &&
	    read_order(request, &page))
		answer(request, &page);
}
