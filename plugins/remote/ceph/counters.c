/* SPDX-License-Identifier: MIT */
/* Facts: Ceph's common/perf_counters.h has the bits of a type. */
#include "counters.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#include "perf.h"

#define NUMBER_SIZE 64

enum { IS_AVERAGE = 4, IS_TOTAL = 8 };

struct counter {
	struct mc_map_node key_node;
	struct counter *next;
	const char *type;
	struct counter_name *name; /* NULL: another has that name. */
	bool is_average, is_total; /* Else it is a level. */
	bool has_last;
	double last_sum;
	uint64_t last_count;
};

struct counter_name {
	struct mc_map_node node;
	char text[PERF_NAME_SIZE];
};

static struct counter *counter_of(struct mc_map_node *node)
{
	return (struct counter *)node;
}

static const char *reason(int rc)
{
	switch (rc) {
	case 0:
		return NULL;
	case -ELOOP:
		return "has too many maps in each other";
	case -ECANCELED:
		return "has too many counters";
	default:
		return "is no JSON";
	}
}

static bool copy(const struct perf_number *number, char text[NUMBER_SIZE])
{
	if (number->size >= NUMBER_SIZE)
		return false;
	memcpy(text, number->text, number->size);
	text[number->size] = '\0';
	return true;
}

/* --- The schema ------------------------------------------------------------------------- */

struct schema {
	struct counters *counters;
	struct counters earlier; /* Those that were known. */
	const struct counters_rules *rules;
};

static void set_type(struct counter *counter, const struct counters_rules *rules,
		     unsigned long bits)
{
	if (rules->converts && strcmp(counter->key_node.key, "filestore.journal_wr_bytes") == 0)
		bits = IS_TOTAL;
	counter->is_total = (bits & IS_TOTAL) != 0;
	counter->is_average = !counter->is_total && (bits & IS_AVERAGE) != 0;
	counter->type = counter->is_total     ? "ceph_rate"
			: counter->is_average ? "ceph_latency"
					      : "ceph_bytes";
}

static void set_name(struct counters *counters, struct counter *counter)
{
	struct counter_name *name = mc_alloc_zero(sizeof(*name));

	perf_name(counter->key_node.key, name->text);
	name->node.key = name->text;
	name->node.key_size = strlen(name->text);
	if (name->node.key_size == 0 ||
	    mc_map_find(&counters->by_name, name->text, name->node.key_size) != NULL) {
		free(name);
		return;
	}
	mc_map_add(&counters->by_name, &name->node);
	counter->name = name;
}

static bool take_type(void *argument, const struct perf_number *number)
{
	const struct schema *schema = argument;
	struct counters *counters = schema->counters;
	struct counter *counter;
	const struct counter *earlier;
	char *key, text[NUMBER_SIZE];

	if (number->part != PERF_TYPE ||
	    mc_map_find(&counters->by_key, number->key, number->key_size) != NULL)
		return true;
	if (counters->by_key.len >= COUNTERS_MAX)
		return false;
	counter = mc_alloc_zero(sizeof(*counter));
	key = mc_alloc_zero(number->key_size + 1);
	memcpy(key, number->key, number->key_size);
	counter->key_node.key = key;
	counter->key_node.key_size = number->key_size;
	mc_map_add(&counters->by_key, &counter->key_node);
	set_type(counter, schema->rules, copy(number, text) ? strtoul(text, NULL, 10) : 0);
	set_name(counters, counter);
	earlier = counter_of(mc_map_find(&schema->earlier.by_key, number->key, number->key_size));
	if (earlier != NULL && earlier->is_average && counter->is_average) {
		counter->has_last = earlier->has_last;
		counter->last_sum = earlier->last_sum;
		counter->last_count = earlier->last_count;
	}
	*counters->end = counter;
	counters->end = &counter->next;
	return true;
}

const char *counters_schema(struct counters *counters, const struct counters_rules *rules,
			    const char *text, size_t size)
{
	struct schema schema = { .counters = counters, .earlier = *counters, .rules = rules };
	const char *why;

	*counters = (struct counters){ .end = &counters->first };
	why = reason(perf_read(text, size, true, take_type, &schema));
	counters_done(&schema.earlier);
	if (why != NULL)
		counters_done(counters);
	return why;
}

/* --- A dump ----------------------------------------------------------------------------- */

struct dump {
	struct counters *counters;
	const struct counters_target *target;
	struct counter *guess; /* Counters come in the order of the schema. */

	struct counter *open; /* Its parts come one after the other. */
	uint64_t count;
	double sum, average;
	bool has_sum, has_average;
};

static struct mc_series *series_of(const struct dump *dump, const struct counter *counter)
{
	return mc_series(dump->target->batch,
			 MC_ID(.plugin_instance = dump->target->instance, .type = counter->type,
			       .type_instance = counter->name->text));
}

/* Since the last dump; NaN if nothing was counted. */
static double average_since(struct counter *counter, double sum, uint64_t count)
{
	double average = NAN;

	if (counter->has_last && count > counter->last_count)
		average = (sum - counter->last_sum) / (double)(count - counter->last_count);
	counter->has_last = true;
	counter->last_sum = sum;
	counter->last_count = count;
	return average;
}

/* All parts of a counter have come. */
static void put_open(struct dump *dump)
{
	struct counter *counter = dump->open;
	double level;

	dump->open = NULL;
	if (counter == NULL || !counter->is_average || counter->name == NULL || !dump->has_sum)
		return;
	if (!dump->target->rules->long_run)
		level = average_since(counter, dump->sum, dump->count);
	else if (dump->has_average)
		level = dump->average;
	else
		level = dump->count > 0 ? dump->sum / (double)dump->count : NAN;
	mc_gauge(dump->target->batch, series_of(dump, counter), level);
}

static struct counter *find(struct dump *dump, const struct perf_number *number)
{
	struct counter *counter = dump->guess;

	if (counter == NULL || counter->key_node.key_size != number->key_size ||
	    memcmp(counter->key_node.key, number->key, number->key_size) != 0)
		counter = counter_of(
			mc_map_find(&dump->counters->by_key, number->key, number->key_size));
	if (counter == NULL)
		dump->counters->unknown++;
	else
		dump->guess = counter->next;
	return counter;
}

/* Whole numbers with all their digits; of others what is before the point. */
static void put_total(const struct dump *dump, const struct counter *counter, const char *text)
{
	mc_derive(dump->target->batch, series_of(dump, counter), (int64_t)strtoull(text, NULL, 10));
}

static void put_whole(const struct dump *dump, const struct counter *counter, const char *text)
{
	if (counter == NULL || counter->name == NULL || counter->is_average)
		return;
	if (counter->is_total)
		put_total(dump, counter, text);
	else
		mc_gauge(dump->target->batch, series_of(dump, counter), strtod(text, NULL));
}

static bool is_open(const struct dump *dump, const struct perf_number *number)
{
	const struct counter *counter = dump->open;

	return counter != NULL && counter->key_node.key_size == number->key_size &&
	       memcmp(counter->key_node.key, number->key, number->key_size) == 0;
}

static void set_part(struct dump *dump, enum perf_part part, const char *text)
{
	const struct counter *counter = dump->open;

	if (counter == NULL) {
		return;
	} else if (part == PERF_COUNT) {
		dump->count = strtoull(text, NULL, 10);
	} else if (part == PERF_SUM && counter->is_total) {
		if (counter->name != NULL)
			put_total(dump, counter, text);
	} else if (part == PERF_SUM) {
		dump->sum = strtod(text, NULL);
		dump->has_sum = true;
	} else if (part == PERF_AVERAGE) {
		dump->average = strtod(text, NULL);
		dump->has_average = true;
	}
}

static bool take_value(void *argument, const struct perf_number *number)
{
	struct dump *dump = argument;
	char text[NUMBER_SIZE];

	if (!copy(number, text))
		return true;
	if (!is_open(dump, number)) {
		struct counter *counter;

		put_open(dump);
		counter = find(dump, number);
		if (number->part == PERF_WHOLE) {
			put_whole(dump, counter, text);
			return true;
		}
		dump->open = counter;
		dump->count = 0;
		dump->has_sum = dump->has_average = false;
	}
	set_part(dump, number->part, text);
	return true;
}

const char *counters_dump(struct counters *counters, const struct counters_target *target,
			  const char *text, size_t size)
{
	struct dump dump = { .counters = counters, .target = target, .guess = counters->first };
	const char *why;

	counters->unknown = 0;
	why = reason(perf_read(text, size, false, take_value, &dump));
	if (why == NULL)
		put_open(&dump);
	return why;
}

void counters_done(struct counters *counters)
{
	struct counter *counter = counters->first;

	while (counter != NULL) {
		struct counter *next = counter->next;

		free(counter->name);
		free((char *)counter->key_node.key);
		free(counter);
		counter = next;
	}
	mc_map_done(&counters->by_key);
	mc_map_done(&counters->by_name);
	*counters = (struct counters){ 0 };
}
