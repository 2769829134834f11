/* SPDX-License-Identifier: MIT */
/* Reports series that have fallen silent, or have values again. */
#include "engine/change/silence.h"

#include <collector/kit/append.h>
#include <collector/writer.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/change/engine_internal.h"
#include "model/series.h"
#include "model/type.h"

#define NAMES_MAX 5 /* Largest number of names in a summary. */

struct silence_item {
	struct mc_series *series;
	mc_time silent; /* 0: it has values again. */
};

void silence_add(void *argument, struct mc_series *series, mc_time silent)
{
	struct silence *silence = argument;

	if (silence->len == silence->room) {
		silence->room = 2 * silence->room + 16;
		silence->items =
			alloc_resize(silence->items, silence->room, sizeof(*silence->items));
	}
	silence->items[silence->len++] = (struct silence_item){ series, silent };
}

/* Recovered series after the others, and each group by name, so by host. */
static int compare(const void *a, const void *b)
{
	const struct silence_item *left = a, *right = b;

	if ((left->silent == 0) != (right->silent == 0))
		return left->silent == 0 ? 1 : -1;
	return strcmp(left->series->name, right->series->name);
}

struct few { /* Items of one kind, in sequence. */
	const struct silence_item *items;
	size_t len;
};

/* Those at the start that are of the host of the first. */
static struct few of_first_host(struct few all)
{
	struct few host = { all.items, 1 };

	while (host.len < all.len &&
	       strcmp(mc_host(all.items[0].series), mc_host(all.items[host.len].series)) == 0)
		host.len++;
	return host;
}

static struct few behind(struct few all, struct few first)
{
	return (struct few){ all.items + first.len, all.len - first.len };
}

/* --- Texts ------------------------------------------------------------ */

#define TEXT_SIZE 1024

/* Their present state; the shortest silence holds for each. */
static void add_state(char text[TEXT_SIZE], struct few few)
{
	mc_time least = few.items[0].silent;

	for (size_t i = 1; i < few.len; i++)
		if (few.items[i].silent < least)
			least = few.items[i].silent;
	if (least == 0)
		mc_append(text, TEXT_SIZE, " %s values again", few.len == 1 ? "has" : "have");
	else
		mc_append(text, TEXT_SIZE, " %s had no value for %.1f seconds",
			  few.len == 1 ? "has" : "have", (double)least * 1e-9);
}

/* The name of the n-th, of 'len'. */
static void add_name(char text[TEXT_SIZE], size_t n, size_t len, const char *name)
{
	const char *before = n == 0 ? ": " : n + 1 == len ? " and " : ", ";

	if (n < NAMES_MAX)
		mc_append(text, TEXT_SIZE, "%s'%.120s'", before, name);
	else if (n == NAMES_MAX)
		mc_append(text, TEXT_SIZE, " and %zu other%s", len - n, len - n == 1 ? "" : "s");
}

/* --- Notifications ------------------------------------------------------- */

static void send(const struct mc_ctx *ctx, struct few few, struct mc_id id, char text[TEXT_SIZE])
{
	char len[24];
	struct mc_field fields[] = { { "series", len } };

	snprintf(len, sizeof(len), "%zu", few.len);
	dispatch_notification(instance_of(ctx)->engine, instance_of(ctx),
			      &(struct mc_notification){
				      .severity = few.items[0].silent > 0 ? MC_FAILURE : MC_OKAY,
				      .id = id,
				      .message = text,
				      .fields = fields,
				      .fields_len = few.len > 1 ? 1 : 0,
			      });
}

static void tell_series(const struct mc_ctx *ctx, const struct silence_item *item)
{
	const struct mc_series *series = item->series;
	struct few one = { item, 1 };
	char text[TEXT_SIZE] = "";
	struct mc_id id = { mc_host(series), mc_plugin(series), mc_plugin_instance(series),
			    series->type->name, mc_type_instance(series) };

	mc_append(text, TEXT_SIZE, "%s", series->name);
	add_state(text, one);
	send(ctx, one, id, text);
}

static void tell_host(const struct mc_ctx *ctx, struct few host)
{
	const struct mc_series *first = host.items[0].series;
	char text[TEXT_SIZE] = "";

	mc_append(text, TEXT_SIZE, "%zu series of host '%s'", host.len, mc_host(first));
	add_state(text, host);
	for (size_t i = 0; i < host.len && i <= NAMES_MAX; i++)
		add_name(text, i, host.len, host.items[i].series->name + first->host_size + 1);
	send(ctx, host, (struct mc_id){ .host = mc_host(first) }, text);
}

static void tell_all(const struct mc_ctx *ctx, struct few all, size_t hosts)
{
	char text[TEXT_SIZE] = "";
	struct few rest = all, host;

	mc_append(text, TEXT_SIZE, "%zu series of %zu hosts", all.len, hosts);
	add_state(text, all);
	for (size_t i = 0; i < hosts && i <= NAMES_MAX; i++) {
		host = of_first_host(rest);
		add_name(text, i, hosts, mc_host(host.items[0].series));
		rest = behind(rest, host);
	}
	send(ctx, all, (struct mc_id){ .plugin = ctx->name }, text);
}

/* --- How many --------------------------------------------------------- */

struct counts {
	size_t hosts, notifications; /* If only hosts with many are one. */
};

static struct counts count(struct few all)
{
	struct counts counts = { 0 };
	struct few host;

	for (; all.len > 0; all = behind(all, host)) {
		host = of_first_host(all);
		counts.hosts++;
		counts.notifications += host.len > SILENCE_SERIES_MAX ? 1 : host.len;
	}
	return counts;
}

static double room_of(struct silence_allowance *allowance)
{
	mc_time now = clock_now();

	allowance->used -= (double)(now - allowance->time) * 1e-9 * SILENCE_PER_SECOND;
	if (allowance->used < 0)
		allowance->used = 0;
	allowance->time = now;
	return SILENCE_BURST - allowance->used;
}

static void tell_kind(const struct mc_ctx *ctx, struct silence_allowance *allowance, struct few all)
{
	double room = room_of(allowance);
	struct counts counts = count(all);
	bool singly = (double)counts.notifications <= room;
	struct few host;

	if (!singly && (counts.hosts == 1 || (double)counts.hosts > room)) {
		if (counts.hosts == 1)
			tell_host(ctx, all);
		else
			tell_all(ctx, all, counts.hosts);
		return;
	}
	allowance->used += (double)(singly ? counts.notifications : counts.hosts);
	for (; all.len > 0; all = behind(all, host)) {
		host = of_first_host(all);
		if (host.len == 1 || (singly && host.len <= SILENCE_SERIES_MAX))
			for (size_t i = 0; i < host.len; i++)
				tell_series(ctx, &host.items[i]);
		else
			tell_host(ctx, host);
	}
}

void silence_tell(struct silence *silence, const struct mc_ctx *ctx,
		  struct silence_allowance *allowance)
{
	struct few all = { silence->items, silence->len }, silent = all, back;

	if (all.len == 0)
		return;
	qsort(silence->items, silence->len, sizeof(*silence->items), compare);
	for (silent.len = 0; silent.len < all.len && silence->items[silent.len].silent > 0;)
		silent.len++;
	back = behind(all, silent);
	if (silent.len > 0)
		tell_kind(ctx, allowance, silent);
	if (back.len > 0)
		tell_kind(ctx, allowance, back);
	free(silence->items);
	*silence = (struct silence){ 0 };
}
