/* SPDX-License-Identifier: MIT */
#include "engine/store/metric_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/glob.h"
#include "engine/store/metric_internal.h"
#include "model/series.h"

#define METRIC_NAME "__name__" /* As Prometheus has it. */
#define SEARCHES_MAX INT32_MAX

struct metric_search {
	struct metric_table *table;
	struct glob *value;
	uint32_t number;
	bool by_name;
	char name[MC_METRIC_NAME_SIZE]; /* Of the label. */
};

static void search_init(struct metric_search *search, const char *label)
{
	size_t size = strcspn(label, "=");

	*search = (struct metric_search){ .table = NULL };
	search->value = glob_new(label + size + (label[size] == '='));
	if (size < sizeof(search->name))
		memcpy(search->name, label, size);
	search->by_name = strcmp(search->name, METRIC_NAME) == 0;
}

struct metric_search *metric_search_new(struct metric_table *table, const char *label)
{
	struct metric_search *search = alloc_zero(sizeof(*search));

	search_init(search, label);
	search->table = table;
	pthread_mutex_lock(&table->lock);
	table->searches = table->searches % SEARCHES_MAX + 1;
	search->number = table->searches;
	pthread_mutex_unlock(&table->lock);
	return search;
}

void metric_search_free(struct metric_search *search)
{
	glob_free(search->value);
	free(search);
}

static bool has_label(const struct metric_search *search, const struct mc_metric_labels *labels)
{
	const char *value = mc_metric_label(labels, search->name);

	return value != NULL && glob_matches(search->value, value, strlen(value));
}

static bool set_matches(const struct metric_search *search, struct label_set *set)
{
	const struct mc_metric_labels labels = label_set_view(set);

	if (set->shared.query != search->number) {
		set->shared.query = search->number;
		set->shared.matches = has_label(search, &labels);
	}
	return set->shared.matches;
}

static bool family_matches(const struct metric_search *search, struct metric_family *family)
{
	if (!search->by_name)
		return set_matches(search, family->scope_labels);
	if (family->shared.query != search->number) {
		family->shared.query = search->number;
		family->shared.matches =
			glob_matches(search->value, family->name, strlen(family->name));
	}
	return family->shared.matches;
}

static bool matches(const struct metric_search *search, const struct metric_kept *kept)
{
	if (family_matches(search, kept->family))
		return true;
	return !search->by_name &&
	       (set_matches(search, kept->labels) || set_matches(search, kept->resource));
}

size_t metric_search_keep(struct metric_search *search, struct mc_series **block, size_t len)
{
	size_t kept_len = 0;

	for (size_t i = 0; i < len; i++)
		__builtin_prefetch(atomic_load_explicit(&block[i]->metric, memory_order_relaxed));
	pthread_mutex_lock(&search->table->lock);
	for (size_t i = 0; i < len; i++) {
		const struct metric_kept *kept =
			atomic_load_explicit(&block[i]->metric, memory_order_relaxed);

		if (kept != NULL && matches(search, kept))
			block[kept_len++] = block[i];
	}
	pthread_mutex_unlock(&search->table->lock);
	return kept_len;
}

/* --- The plugin API --------------------------------------------------------- */

bool mc_metric_matches(const struct mc_metric *metric, const char *label)
{
	struct metric_search search;
	bool found;

	search_init(&search, label);
	found = search.by_name ? glob_matches(search.value, metric->name, strlen(metric->name))
			       : has_label(&search, &metric->labels) ||
					 has_label(&search, &metric->scope_labels) ||
					 has_label(&search, &metric->resource);
	glob_free(search.value);
	return found;
}
