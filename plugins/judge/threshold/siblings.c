/* SPDX-License-Identifier: MIT */
#include "siblings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "alert.h"

#define INTERVALS_MAX 2 /* Older values are not compared with. */

struct sibling { /* Its whole name; NULL: not needed yet. */
	char *name;
	size_t size;
};

struct siblings {
	double *wholes;
	size_t len;
	struct sibling items[];
};

static size_t shares_of(const struct rules *rules, size_t *names_len)
{
	size_t shares = 0;

	*names_len = 0;
	for (size_t i = 0; i < rules->len; i++) {
		shares += rules->items[i]->is_share;
		*names_len += rules->items[i]->of.len;
	}
	return shares;
}

struct siblings *siblings_new(const struct rules *rules)
{
	size_t len, shares = shares_of(rules, &len);
	struct siblings *siblings;

	if (shares == 0)
		return NULL;
	siblings = mc_alloc_zero(sizeof(*siblings) + len * sizeof(siblings->items[0]));
	siblings->wholes = mc_alloc_array(shares, sizeof(double));
	siblings->len = len;
	return siblings;
}

void siblings_free(struct siblings *siblings)
{
	if (siblings == NULL)
		return;
	for (size_t i = 0; i < siblings->len; i++)
		free(siblings->items[i].name);
	free(siblings->wholes);
	free(siblings);
}

double siblings_value(struct mc_reading *reading, const struct mc_id *id, const char *type_instance)
{
	struct mc_id other = *id;
	char name[ALERT_NAME_SIZE];
	struct mc_latest latest;
	struct mc_series *series;

	other.type_instance = type_instance;
	series = mc_find(reading, name, alert_name(&other, name));
	if (series == NULL)
		return NAN;
	mc_latest(reading, series, &latest);
	return latest.time != 0 && !latest.missing ? latest.rates[0] : NAN;
}

static void name_it(struct sibling *sibling, const struct mc_series *series,
		    const char *type_instance)
{
	const struct mc_id id = { mc_host(series), mc_plugin(series), mc_plugin_instance(series),
				  mc_type(series)->name, type_instance };
	char name[ALERT_NAME_SIZE];

	sibling->size = alert_name(&id, name);
	sibling->name = mc_alloc_copy(name);
}

/* Its latest sample; false without one, or if it is too old. */
static bool look(const struct sibling *sibling, struct mc_reading *reading,
		 const struct mc_sample *sample, struct mc_latest *latest)
{
	struct mc_series *series = mc_find(reading, sibling->name, sibling->size);

	if (series == NULL)
		return false;
	mc_latest(reading, series, latest);
	return latest->time != 0 && !latest->missing &&
	       sample->time - latest->time <= INTERVALS_MAX * sample->interval;
}

static double sum_of(const struct rule *rule, struct sibling *siblings, struct mc_reading *reading,
		     const struct mc_sample *sample)
{
	double sum = 0;

	for (size_t i = 0; i < rule->of.len; i++) {
		const char *name = rule->of.items[i];
		struct mc_latest latest;

		if (siblings[i].name == NULL)
			name_it(&siblings[i], sample->series, name);
		if (strcmp(name, mc_type_instance(sample->series)) == 0)
			sum += mc_rate(sample, 0);
		else if (look(&siblings[i], reading, sample, &latest))
			sum += latest.rates[0];
		else
			return NAN;
	}
	return sum > 0 ? sum : NAN;
}

const double *siblings_wholes(struct siblings *siblings, const struct rules *rules,
			      struct mc_reading *reading, const struct mc_sample *sample)
{
	struct sibling *items = siblings->items;
	double *whole = siblings->wholes;

	for (size_t i = 0; i < rules->len; i++) {
		const struct rule *rule = rules->items[i];

		if (!rule->is_share)
			continue;
		*whole++ = sum_of(rule, items, reading, sample);
		items += rule->of.len;
	}
	return siblings->wholes;
}
