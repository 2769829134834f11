/* SPDX-License-Identifier: MIT */
/* aggregation - makes one series of many: their sum, average and so on, at each interval, of the
 * last rate of each of them.  Facts: collectd.conf(5), "Plugin aggregation".
 *
 * Which groups a series belongs to is decided with its first value, and kept in
 * its slot; further values only replace its rates. */
#include <collector/check.h>
#include <collector/judge.h>
#include <collector/kit/lock.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <pthread.h>

#include "groups.h"

struct aggregation {
	struct mc_blocks blocks; /* struct block */
	int64_t group_limit;
	bool report_stats;

	pthread_mutex_t lock;
	struct groups groups MC_GUARDED_BY(lock);
	uint64_t refused MC_GUARDED_BY(lock); /* Series. */

	struct mc_once limit_reached, name_taken; /* Only write(). */
	struct mc_buffer ready;                   /* Only read(). */
};

/* Slots of series without groups, and so without rates: none ever, or there were too many. */
static const struct member not_taken, refused;

/* --- Options -------------------------------------------------------------- */

#define WANTED(option, field, text, example)                                                       \
	{                                                                                          \
		option, MC_OPT_STRING(struct block, wanted[field]),                                \
			.help = text " of the series, or an expression, "                          \
				     "/.../; by default all.",                                     \
			.sample = example                                                          \
	}
#define SET(option, field, text, example)                                                          \
	{                                                                                          \
		option, MC_OPT_STRING(struct block, set[field]), .help = text, .sample = example   \
	}
#define CALCULATE(option, function, text)                                                          \
	{                                                                                          \
		option, MC_OPT_BOOL(struct block, calculate[function]), .default_value = "false",  \
									.help = text               \
	}

static const struct mc_option block_options[] = {
	{ "Series", MC_OPT_STRINGS(struct block, series),
	  .help = "Globs of names of series, as \"collectorctl list\" prints them; by default all.",
	  .sample = "web1/interface-eth0/if_octets" },
	WANTED("Host", BLOCK_HOST, "Host", "/^db[0-9]/"),
	WANTED("Plugin", BLOCK_PLUGIN, "Plugin", "cpu"),
	WANTED("PluginInstance", BLOCK_PLUGIN_INSTANCE, "Plugin instance", "/[02468]$/"),
	{ "Type", MC_OPT_STRING(struct block, type),
	  .help = "Type of the series; it is required without Series.", .sample = "cpu" },
	WANTED("TypeInstance", BLOCK_TYPE_INSTANCE, "Type instance", "idle"),
	{ "GroupBy", MC_OPT_STRINGS(struct block, group_by),
	  .help = "Fields each value of which has an aggregate of its own: "
		  "Host, Plugin, PluginInstance, TypeInstance.",
	  .sample = "Host" },
	SET("SetHost", BLOCK_HOST, "Host of the aggregates.", "all"),
	SET("SetPlugin", BLOCK_PLUGIN, "Plugin of the aggregates; by default aggregation.", "cpu"),
	SET("SetPluginInstance", BLOCK_PLUGIN_INSTANCE,
	    "Plugin instance of the aggregates; %{aggregation} stands for the "
	    "function.",
	    "even-%{aggregation}"),
	SET("SetTypeInstance", BLOCK_TYPE_INSTANCE, "Type instance of the aggregates.", "all"),
	{ "SetType", MC_OPT_STRING(struct block, set_type),
	  .help = "Type of the aggregates; by default that of the series.", .sample = "gauge" },
	CALCULATE("CalculateNum", BLOCK_NUM, "Makes the number of series."),
	CALCULATE("CalculateSum", BLOCK_SUM, "Makes their sum."),
	CALCULATE("CalculateAverage", BLOCK_AVERAGE, "Makes their average."),
	CALCULATE("CalculateMinimum", BLOCK_MIN, "Makes their minimum."),
	CALCULATE("CalculateMaximum", BLOCK_MAX, "Makes their maximum."),
	CALCULATE("CalculateStddev", BLOCK_STDDEV,
		  "Makes their standard deviation, that of a population."),
	{ "Label", MC_OPT_STRING(struct block, label),
	  .help = "What the aggregates are called in a graph.", .sample = "all" },
	{ "Unit", MC_OPT_STRING(struct block, unit),
	  .help = "Unit of the aggregates; by default that of the type.", .sample = "bit/s" },
	{ "Attribute", MC_OPT_STRINGS(struct block, attributes),
	  .help = "Attribute of the aggregates, as Munin's plugins have them, and its text: how "
		  "they are drawn; repeatable." },
	{ 0 },
};
static const struct mc_block aggregation_block = { sizeof(struct block), block_options };

static const struct mc_option aggregation_options[] = {
	{ "Aggregation", MC_OPT_BLOCKS(struct aggregation, blocks), .block = &aggregation_block,
	  .help = "Series that are aggregated, and how." },
	{ "GroupLimit", MC_OPT_INT(struct aggregation, group_limit), .default_value = "10000",
	  .help = "Largest number of groups; series that would need more are "
		  "not aggregated, and counted.",
	  .min = 1, .max = 1e7 },
	{ "ReportStats", MC_OPT_BOOL(struct aggregation, report_stats), .default_value = "false",
	  .help = "Reports groups and members of this plugin." },
	{ 0 },
};

/* --- Life ----------------------------------------------------------------- */

static void aggregation_check(struct mc_ctx *ctx)
{
	const struct aggregation *self = ctx->self;
	const struct block *blocks = self->blocks.items;

	for (size_t i = 0; i < self->blocks.len; i++) {
		struct block_fault fault;

		if (block_fault(&blocks[i], &fault))
			mc_check_warn(ctx, fault.option, "%s; this block is left out", fault.text);
		else if (blocks[i].set_type != NULL &&
			 mc_check_type(ctx, blocks[i].set_type) == NULL)
			mc_check_warn(ctx, &blocks[i].set_type,
				      "is in no types.db; this block is left out");
	}
}

static int aggregation_start(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct aggregation *self = ctx->self;
	struct block *blocks = self->blocks.items;

	for (size_t i = 0; i < self->blocks.len; i++)
		block_start(&blocks[i], blocks[i].set_type != NULL
						? mc_type_find(ctx, blocks[i].set_type)
						: NULL);
	pthread_mutex_init(&self->lock, NULL);
	self->groups.blocks = blocks;
	self->groups.blocks_len = self->blocks.len;
	self->groups.limit = (size_t)self->group_limit;
	return 0;
}

/* forget() is called for all remaining series after this. */
static void aggregation_stop(struct mc_ctx *ctx)
{
	struct aggregation *self = ctx->self;
	struct block *blocks = self->blocks.items;

	pthread_mutex_lock(&self->lock);
	groups_done(&self->groups);
	pthread_mutex_unlock(&self->lock);
	for (size_t i = 0; i < self->blocks.len; i++)
		block_stop(&blocks[i]);
	mc_buffer_free(&self->ready);
}

/* --- Members: the thread of this writer ---------------------------------- */

/* Finds the groups of a series; 'slot' is its slot. */
static void join(struct aggregation *self, const struct mc_series *series, void **slot)
	MC_REQUIRES(self->lock)
{
	bool too_many;
	struct member *member = groups_join(&self->groups, series, &too_many);
	bool was_refused = *slot == &refused;

	self->refused += too_many - was_refused;
	if (member == NULL)
		member = (struct member *)(too_many ? &refused : &not_taken);
	*slot = member;
}

static bool has_room(const struct aggregation *self) MC_REQUIRES(self->lock)
{
	return self->groups.by_name.len < self->groups.limit;
}

/* False: the series is in no group. */
static bool join_again(struct aggregation *self, const struct mc_series *series, void **slot)
	MC_REQUIRES(self->lock)
{
	const struct member *member = *slot;

	if (member == &not_taken || (member == &refused && !has_room(self)))
		return false;
	join(self, series, slot);
	member = *slot;
	return member->rates_len > 0;
}

static inline void take(struct aggregation *self, const struct mc_sample *sample, void **slot,
			mc_time now) MC_REQUIRES(self->lock)
{
	uint64_t interval = (uint64_t)sample->interval;
	struct member *member = *slot;

	if (member == NULL || member->rates_len == 0) {
		if (!join_again(self, sample->series, slot))
			return;
		member = *slot;
	}
	member->fresh =
		(sample->time < now ? sample->time : now) + (mc_time)(interval + interval / 2);
	member->rates[0] = mc_rate(sample, 0);
	for (unsigned i = 1; i < member->rates_len; i++)
		member->rates[i] = mc_rate(sample, i);
}

/* Says what the user has to change. */
static void complain(struct mc_ctx *ctx, uint64_t refused_len, char *name_taken)
{
	struct aggregation *self = ctx->self;

	if (refused_len > 0)
		mc_complain(ctx, &self->limit_reached, 0,
			    "there are as many groups as GroupLimit allows: "
			    "series are not aggregated");
	else
		mc_works(ctx, &self->limit_reached, "there are fewer groups than GroupLimit again");
	if (name_taken != NULL)
		mc_complain(ctx, &self->name_taken, 0,
			    "'%s' would be made twice: each block and function "
			    "needs a name of its own",
			    name_taken);
	free(name_taken);
}

static int aggregation_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct aggregation *self = ctx->self;
	mc_time now = mc_wall();
	uint64_t refused_len;
	char *name_taken;

	pthread_mutex_lock(&self->lock);
	MC_FOR_EACH_SAMPLE (sample, batch)
		take(self, sample, mc_slot(ctx, sample->series), now);
	refused_len = self->refused;
	name_taken = self->groups.name_taken;
	self->groups.name_taken = NULL;
	pthread_mutex_unlock(&self->lock);
	complain(ctx, refused_len, name_taken);
	return 0;
}

static void aggregation_forget(struct mc_ctx *ctx, void *slot)
{
	struct aggregation *self = ctx->self;

	pthread_mutex_lock(&self->lock);
	if (slot == &refused)
		self->refused--;
	else if (slot != &not_taken)
		groups_leave(&self->groups, slot);
	pthread_mutex_unlock(&self->lock);
}

/* --- Aggregates ----------------------------------------------------------- */

static void put_count(struct mc_batch *out, const char *what, uint64_t number)
{
	mc_put_gauge(out, (double)number, .type = "count", .type_instance = what);
}

/* An output stays while it is ready: groups that end are freed here. */
static void put_all(struct aggregation *self, struct mc_batch *out)
{
	const struct output **ready = (void *)self->ready.at;
	size_t ready_len = self->ready.size / sizeof(*ready);

	for (size_t i = 0; i < ready_len; i++)
		group_put(ready[i], out);
	pthread_mutex_lock(&self->lock);
	groups_free_ended(&self->groups);
	pthread_mutex_unlock(&self->lock);
}

struct counts {
	uint64_t groups, members, late, refused;
};

static void put_counts(struct mc_batch *out, const struct counts *counts)
{
	put_count(out, "groups", counts->groups);
	put_count(out, "members", counts->members);
	put_count(out, "late", counts->late);
	put_count(out, "refused", counts->refused);
}

static int aggregation_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct aggregation *self = ctx->self;
	struct counts counts = { 0 };
	mc_time now = mc_wall();

	mc_buffer_clear(&self->ready);
	pthread_mutex_lock(&self->lock);
	for (struct group *group = self->groups.first; group != NULL; group = group->next)
		counts.late += group_add_up(group, now, &self->ready);
	counts.groups = self->groups.by_name.len;
	counts.members = self->groups.members;
	counts.refused = self->refused;
	pthread_mutex_unlock(&self->lock);
	put_all(self, out);
	if (self->report_stats)
		put_counts(out, &counts);
	return 0;
}

MC_PLUGIN(aggregation) = {
	MC_NAMED(aggregation),
	.help = "Makes one series of many: their sum, average and so on.",
	.self_size = sizeof(struct aggregation),
	.options = aggregation_options,
	.types = (const char *const[]){ "count", NULL },
	.check = aggregation_check,
	.start = aggregation_start,
	.read = aggregation_read,
	.writer = &(const struct mc_writer){ .write = aggregation_write,
					     .forget = aggregation_forget },
	.judge = &(const struct mc_judge){ .admit = NULL },
	.stop = aggregation_stop,
	.lenient = true,
};
