/* SPDX-License-Identifier: MIT */
#include "group.h"

#include <math.h>

#include <collector/kit/alloc.h>

struct sums { /* Of one source.  Squares are those of the distance from the
	       * first rate, whose difference loses no digits. */
	double num, sum, first, distance, squares, min, max;
};

void group_add(struct group *group, struct member *member)
{
	unsigned membership = member->memberships_len++;

	MC_ARRAY_GROW(group->members, group->len, group->capacity);
	member->memberships[membership] = (struct membership){ group, group->len };
	group->members[group->len++] = (struct group_member){ member, membership };
}

void group_remove(struct group *group, size_t index)
{
	struct group_member last = group->members[--group->len];

	group->members[index] = last;
	last.member->memberships[last.membership].index = index;
}

static inline void add_rate(struct sums *sums, double rate)
{
	double distance;

	if (isnan(rate))
		return;
	if (sums->num == 0)
		*sums = (struct sums){ .first = rate, .min = rate, .max = rate };
	distance = rate - sums->first;
	sums->num++;
	sums->sum += rate;
	sums->distance += distance;
	sums->squares += distance * distance;
	if (rate < sums->min)
		sums->min = rate;
	if (rate > sums->max)
		sums->max = rate;
}

static size_t add_up(const struct group *group, mc_time now, struct sums *sums)
{
	size_t late = 0;

	for (size_t i = 0; i < group->len; i++) {
		const struct member *member = group->members[i].member;

		if (member->fresh < now) {
			late++;
			continue;
		}
		for (unsigned source = 0; source < member->rates_len; source++)
			add_rate(&sums[source], member->rates[source]);
	}
	return late;
}

/* The same of one source, where the number and the sum are enough: most groups are so. */
static size_t add_up_one(const struct group *group, mc_time now, struct sums *sums)
{
	const struct group_member *at = group->members, *end = at + group->len;
	double sum = 0;
	size_t num = 0, late = 0;

	for (; at < end; at++) {
		const struct member *member = at->member;
		double rate = member->rates[0];

		if (member->fresh < now) {
			late++;
		} else if (!isnan(rate)) {
			sum += rate;
			num++;
		}
	}
	sums->sum = sum;
	sums->num = (double)num;
	return late;
}

/* The standard deviation of the population, as in collectd. */
static double stddev(const struct sums *sums)
{
	double mean = sums->distance / sums->num;
	double variance = sums->squares / sums->num - mean * mean;

	return variance > 0 ? sqrt(variance) : variance * 0;
}

/* NaN if there was no rate, but for their number. */
static double result(const struct sums *sums, enum block_function function)
{
	if (function == BLOCK_NUM)
		return sums->num;
	if (sums->num == 0)
		return NAN;
	switch (function) {
	case BLOCK_SUM:
		return sums->sum;
	case BLOCK_AVERAGE:
		return sums->sum / sums->num;
	case BLOCK_MIN:
		return sums->min;
	case BLOCK_MAX:
		return sums->max;
	default:
		return stddev(sums);
	}
}

static bool is_empty(const struct group *group, const struct sums *sums)
{
	for (unsigned i = 0; i < group->type->sources_len; i++)
		if (sums[i].num > 0)
			return false;
	return true;
}

/* False: there is no value. */
static bool make_value(struct output *output, enum block_function function, const struct sums *sums,
		       mc_time now)
{
	const struct mc_type *type = output->group->type;
	bool whole = true;

	for (unsigned i = 0; i < type->sources_len; i++)
		whole &= total_next(&output->totals[i], type->sources[i].kind,
				    result(&sums[i], function), now);
	return whole;
}

size_t group_add_up(struct group *group, mc_time now, struct mc_buffer *ready)
{
	struct sums sums[MC_SOURCES_MAX];
	size_t late;
	bool empty;

	memset(sums, 0, group->type->sources_len * sizeof(*sums));
	late = group->summed && group->type->sources_len == 1 ? add_up_one(group, now, sums)
							      : add_up(group, now, sums);
	empty = is_empty(group, sums);
	for (unsigned i = 0; i < BLOCK_FUNCTIONS; i++) {
		struct output *output = group->outputs[i];

		if (output != NULL && (!empty || i == BLOCK_NUM) &&
		    make_value(output, i, sums, now))
			mc_buffer_add(ready, &output, sizeof(output));
	}
	return late;
}

void group_put(const struct output *output, struct mc_batch *batch)
{
	const struct group *group = output->group;
	const struct block_name *name = &group->name;
	unsigned sources_len = group->type->sources_len;
	union mc_value values[MC_SOURCES_MAX];
	struct mc_series *series = mc_series(
		batch, MC_ID(.host = name->host, .plugin = name->plugin,
			     .plugin_instance = output->plugin_instance, .type = group->type->name,
			     .type_instance = name->type_instance));

	for (unsigned i = 0; i < sources_len; i++)
		values[i] = output->totals[i].value;
	for (unsigned i = 0; i < sources_len && series != NULL && group->metadata != NULL; i++)
		mc_set_metadata(batch, series, i, group->metadata);
	mc_put(batch, series, values, sources_len);
}
