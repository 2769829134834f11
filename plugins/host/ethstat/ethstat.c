/* SPDX-License-Identifier: MIT */
/* ethstat: what the drivers of network interfaces count, under the names that they have for it. */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

struct map { /* A line of the options. */
	const char *name, *type, *instance;
};

struct statistic {
	char name[DRIVER_NAME_SIZE];
	const struct map *map; /* NULL: as "derive". */
	bool reported;
	enum mc_kind kind;
	struct mc_series *held; /* NULL: not asked for yet. */
};

struct card { /* A network interface. */
	const char *name;
	int index;
	struct statistic *statistics;
	size_t len;
};

struct ethstat {
	struct mc_strings interfaces;
	struct mc_blocks maps;
	bool mapped_only;
	int64_t max;
	struct driver driver;
	struct card *cards; /* One for each of the interfaces. */
};

static const struct map *find_map(const struct ethstat *self, const char *name)
{
	const struct map *maps = self->maps.items;

	for (size_t i = 0; i < self->maps.len; i++)
		if (strcmp(maps[i].name, name) == 0)
			return &maps[i];
	return NULL;
}

static void forget(struct card *card)
{
	for (size_t i = 0; i < card->len; i++)
		mc_release(card->statistics[i].held);
	free(card->statistics);
	card->statistics = NULL;
	card->len = 0;
	card->index = 0;
}

static void fill(struct mc_ctx *ctx, struct statistic *statistic, const char *name)
{
	const struct ethstat *self = ctx->self;
	const struct mc_type *type;

	memcpy(statistic->name, name, DRIVER_NAME_SIZE);
	statistic->map = find_map(self, name);
	statistic->kind = MC_DERIVE;
	statistic->reported = name[0] != '\0' && (statistic->map != NULL || !self->mapped_only);
	if (statistic->map == NULL)
		return;
	type = mc_type_find(ctx, statistic->map->type);
	if (type == NULL || type->sources_len != 1)
		statistic->reported = false; /* check() has said so. */
	else
		statistic->kind = type->sources[0].kind;
}

/* Asks for the names if the interface is another one, or has other statistics. */
static int refresh(struct mc_ctx *ctx, struct card *card)
{
	struct ethstat *self = ctx->self;
	int index = driver_index(&self->driver, card->name);
	int count = index < 0 ? index : driver_count(&self->driver, card->name);
	char *names;
	int rc;

	if (count < 0)
		return count;
	if (index == card->index && (size_t)count == card->len)
		return 0;
	forget(card);
	names = mc_alloc_array((size_t)count + 1, DRIVER_NAME_SIZE);
	rc = driver_names(&self->driver, card->name, (size_t)count, names);
	if (rc == 0) {
		card->index = index;
		card->len = (size_t)count;
		card->statistics = mc_alloc_zero((card->len + 1) * sizeof(*card->statistics));
		for (size_t i = 0; i < card->len; i++)
			fill(ctx, &card->statistics[i], names + i * DRIVER_NAME_SIZE);
	}
	free(names);
	return rc;
}

static void report(struct mc_batch *out, const struct card *card, struct statistic *statistic,
		   uint64_t number)
{
	const struct map *map = statistic->map;
	struct mc_id id = MC_ID(.plugin_instance = card->name, .type = "derive",
				.type_instance = statistic->name);
	union mc_value value = { .counter = number };

	if (map != NULL) {
		id.type = map->type;
		id.type_instance = map->instance;
	}
	if (statistic->kind == MC_GAUGE)
		value.gauge = (double)number;
	else if (statistic->kind == MC_DERIVE)
		value.derive = (int64_t)number;
	if (statistic->held == NULL)
		statistic->held = mc_hold(mc_series(out, id));
	mc_put(out, statistic->held, &value, 1);
}

static int read_card(struct mc_ctx *ctx, struct mc_batch *out, struct card *card)
{
	struct ethstat *self = ctx->self;
	const unsigned long long *numbers;
	int rc = refresh(ctx, card);

	if (rc == 0 && card->len > 0)
		rc = driver_numbers(&self->driver, card->name, card->len, &numbers);
	if (rc < 0) {
		forget(card);
		if (rc == -EOVERFLOW)
			return mc_fail(ctx, 0, "'%s' has more than MaxStatistics %lld", card->name,
				       (long long)self->max);
		return mc_fail(ctx, -rc, "cannot read statistics of '%s'", card->name);
	}
	if (card->len == 0)
		return mc_fail(ctx, 0, "the driver of '%s' has no statistics", card->name);
	for (size_t i = 0; i < card->len; i++)
		if (card->statistics[i].reported)
			report(out, card, &card->statistics[i], numbers[i]);
	return 0;
}

static int ethstat_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct ethstat *self = ctx->self;
	int failed = 0;

	for (size_t i = 0; i < self->interfaces.len; i++) {
		int rc = read_card(ctx, out, &self->cards[i]);

		if (rc != 0)
			failed = rc;
	}
	return failed;
}

static void ethstat_check(struct mc_ctx *ctx)
{
	struct ethstat *self = ctx->self;
	struct map *maps = self->maps.items;

	if (self->interfaces.len == 0)
		mc_check_warn(ctx, &self->interfaces, "is not given: nothing is read");
	for (size_t i = 0; i < self->maps.len; i++) {
		const struct mc_type *type = mc_type_find(ctx, maps[i].type);

		if (type == NULL)
			mc_check_error(ctx, &maps[i].type, "is in no TypesDB");
		else if (type->sources_len != 1)
			mc_check_error(ctx, &maps[i].type, "has more than one data source");
	}
}

static int ethstat_start(struct mc_ctx *ctx)
{
	struct ethstat *self = ctx->self;
	int rc = driver_open(&self->driver, (size_t)self->max);

	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot open a socket");
	self->cards = mc_alloc_zero((self->interfaces.len + 1) * sizeof(*self->cards));
	for (size_t i = 0; i < self->interfaces.len; i++)
		self->cards[i].name = self->interfaces.items[i];
	return 0;
}

static void ethstat_stop(struct mc_ctx *ctx)
{
	struct ethstat *self = ctx->self;

	for (size_t i = 0; i < self->interfaces.len && self->cards != NULL; i++)
		forget(&self->cards[i]);
	free(self->cards);
	driver_done(&self->driver);
}

static const struct mc_option map_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct map, name),
	  .required = true,
	  .help = "Name of the statistic.",
	  .sample = "rx_csum_offload_errors" },
	{ .name = "",
	  MC_OPT_STRING(struct map, type),
	  .required = true,
	  .help = "Type.",
	  .sample = "if_rx_errors" },
	{ .name = "",
	  MC_OPT_STRING(struct map, instance),
	  .help = "Type instance; by default none.",
	  .sample = "checksum_offload" },
	{ 0 },
};
static const struct mc_block map_block = { sizeof(struct map), map_options };

static const struct mc_option options[] = {
	{ .name = "Interface",
	  MC_OPT_STRINGS(struct ethstat, interfaces),
	  .help = "Network interface whose driver is asked.",
	  .sample = "eth0" },
	{ .name = "Map",
	  MC_OPT_BLOCKS(struct ethstat, maps),
	  .block = &map_block,
	  .help = "Reports a statistic with a type of its own instead of "
		  "derive." },
	{ .name = "MappedOnly",
	  MC_OPT_BOOL(struct ethstat, mapped_only),
	  .default_value = "false",
	  .help = "Reports only statistics that are in a Map." },
	{ .name = "MaxStatistics",
	  MC_OPT_INT(struct ethstat, max),
	  .min = 1,
	  .max = 1000000,
	  .default_value = "10000",
	  .help = "Statistics that an interface may have." },
	{ 0 }
};

MC_PLUGIN(ethstat) = {
	MC_NAMED(ethstat),
	.help = "Reads the statistics of drivers of network interfaces.",
	.self_size = sizeof(struct ethstat),
	.options = options,
	.types = (const char *const[]){ "derive", NULL },
	.check = ethstat_check,
	.start = ethstat_start,
	.read = ethstat_read,
	.stop = ethstat_stop,
	.lenient = true,
};
