/* SPDX-License-Identifier: MIT */
/* The lines of a metric must follow each other, but series come in any order (a scraper needs
 * none): so each metric has a text of its own until the end. */
#include "scrape.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/kit/hash.h>
#include <collector/kit/map.h>
#include <collector/label.h>
#include <collector/metadata.h>
#include <collector/metric.h>

#include "foreign.h"

struct family {                  /* A metric. */
	struct mc_map_node node; /* By name. */
	char name[NAMING_SIZE];
	const struct mc_type *type; /* Of its first series. */
	unsigned source;
	bool several_units;                 /* Its series have. */
	bool differs;                       /* Metadata of its series, or some have none. */
	const struct mc_metadata *metadata; /* Of all of them, or NULL. */
	struct exposition_text samples;
};

#define PLUGIN_SIZE 128

struct set {                     /* The metrics of a type of a plugin. */
	struct mc_map_node node; /* By 'key'. */
	struct set_key {
		const struct mc_type *type;
		char plugin[PLUGIN_SIZE];
	} key;
	struct family *families[]; /* Of each source. */
};

struct host { /* The last one that was come to. */
	char name[128];
	struct mc_field labels[MC_LABELS_MAX];
	char texts[MC_LABELS_MAX][2][MC_LABEL_SIZE];
	unsigned labels_len;
	uint64_t labels_sum;
};

struct scraping {
	struct mc_ctx *ctx;
	const struct scrape_options *options;
	struct mc_map families;
	struct exposition_text labels; /* Of the present series. */
	struct host host;
	struct mc_field own_labels[MC_LABELS_MAX + MC_METRIC_LABELS_MAX]; /* Its host's, and its. */
	struct mc_map sets;                                               /* Of families. */
	const struct set *last; /* Of the series before. */
	struct foreign foreign; /* Metrics of others. */
};

/* --- Metrics ------------------------------------------------------------- */

static const char *text_of(const char *text)
{
	return text != NULL ? text : "";
}

static struct family *find_family(struct scraping *scraping, const char *plugin,
				  const struct mc_type *type, unsigned source)
{
	char name[NAMING_SIZE];
	struct family *family;

	naming_collectd(name, plugin, type, source);
	family = (struct family *)mc_map_find(&scraping->families, name, strlen(name));
	if (family != NULL) {
		family->several_units |=
			strcmp(text_of(family->type->unit), text_of(type->unit)) != 0;
		return family;
	}
	family = mc_alloc_zero(sizeof(*family));
	memcpy(family->name, name, sizeof(name));
	family->node.key = family->name;
	family->node.key_size = strlen(name);
	family->type = type;
	family->source = source;
	mc_map_add(&scraping->families, &family->node);
	return family;
}

static const struct set *make_set(struct scraping *scraping, const struct set_key *key,
				  size_t key_size)
{
	unsigned len = key->type->sources_len;
	struct set *set = mc_alloc_zero(sizeof(*set) + len * sizeof(struct family *));

	set->key = *key;
	set->node.key = &set->key;
	set->node.key_size = key_size;
	for (unsigned i = 0; i < len; i++)
		set->families[i] = find_family(scraping, key->plugin, key->type, i);
	mc_map_add(&scraping->sets, &set->node);
	return set;
}

static struct family *const *find_families(struct scraping *scraping, const char *plugin,
					   const struct mc_type *type)
{
	const struct set *last = scraping->last;
	struct set_key key = { .type = type };
	size_t size;

	if (last != NULL && last->key.type == type && strcmp(last->key.plugin, plugin) == 0)
		return last->families;
	size = strnlen(plugin, PLUGIN_SIZE - 1);
	memcpy(key.plugin, plugin, size);
	size += offsetof(struct set_key, plugin);
	last = (const struct set *)mc_map_find(&scraping->sets, &key, size);
	scraping->last = last != NULL ? last : make_set(scraping, &key, size);
	return scraping->last->families;
}

/* --- Series -------------------------------------------------------------- */

static void take_label(void *argument, const struct mc_field *label)
{
	struct host *host = argument;
	unsigned i = host->labels_len;

	if (i == MC_LABELS_MAX)
		return;
	snprintf(host->texts[i][0], MC_LABEL_SIZE, "%s", label->name);
	snprintf(host->texts[i][1], MC_LABEL_SIZE, "%s", label->value);
	host->labels[i] = (struct mc_field){ host->texts[i][0], host->texts[i][1] };
	host->labels_sum = mc_hash_text(host->labels_sum, label->name);
	host->labels_sum = mc_hash_text(host->labels_sum, label->value);
	host->labels_len++;
}

static const struct host *find_host(struct scraping *scraping, const char *name)
{
	struct host *host = &scraping->host;

	if (strcmp(host->name, name) == 0)
		return host;
	memset(host, 0, sizeof(*host));
	snprintf(host->name, sizeof(host->name), "%s", name);
	mc_each_label(scraping->ctx, name, take_label, host);
	return host;
}

static struct labelling_of_series labels_of(struct scraping *scraping,
					    const struct mc_series *series)
{
	const struct host *host = find_host(scraping, mc_host(series));

	return (struct labelling_of_series){
		.plugin = mc_plugin(series),
		.plugin_instance = mc_plugin_instance(series),
		.type_instance = mc_type_instance(series),
		.host = host->name,
		.more = host->labels,
		.more_len = host->labels_len,
	};
}

/* Adds those that the series has beside its name. */
static void add_own_labels(struct scraping *scraping, struct labelling_of_series *labels,
			   const struct mc_metric *metric)
{
	unsigned len = labels->more_len;

	memcpy(scraping->own_labels, labels->more, len * sizeof(labels->more[0]));
	for (size_t i = 0; i < metric->labels.len && i < MC_METRIC_LABELS_MAX; i++)
		scraping->own_labels[len++] = (struct mc_field){ metric->labels.items[i].name,
								 metric->labels.items[i].value };
	labels->more = scraping->own_labels;
	labels->more_len = len;
}

/* --- What is wanted ------------------------------------------------------ */

struct labelled {
	const struct labelling_of_series *labels;
	const char *name;
};

static const char *value_of(const void *argument, const char *label)
{
	const struct labelled *labelled = argument;

	return strcmp(label, "__name__") == 0 ? labelled->name
					      : labelling_value(labelled->labels, label);
}

static bool is_wanted(const struct scrape_options *options,
		      const struct labelling_of_series *labels, const char *name)
{
	const struct labelled labelled = { labels, name };

	for (unsigned i = 0; i < options->selectors_len; i++)
		if (selector_matches(options->selectors[i], value_of, &labelled))
			return true;
	return options->selectors_len == 0;
}

/* --- What is known of them ----------------------------------------------- */

/* The help of a source: its meaning, or its name. */
static const char *help_of(const struct mc_metadata *metadata)
{
	const char *help = mc_metadata_attribute(metadata, "info");

	if (help == NULL && metadata->label[0] != '\0')
		return metadata->label;
	return help != NULL ? help : text_of(mc_metadata_attribute(metadata, "graph_title"));
}

static bool say_same(const struct mc_metadata *a, const struct mc_metadata *b)
{
	return a == b || (strcmp(help_of(a), help_of(b)) == 0 && strcmp(a->unit, b->unit) == 0);
}

/* A metric has one text for all its series: theirs, if it is the same.  Of many
 * series the first ones are enough to see that it is not. */
static void take_metadata(struct family *family, const struct mc_series *series, unsigned source)
{
	const struct mc_metadata *metadata;

	if (family->differs)
		return;
	metadata = mc_get_metadata(series, source);
	if (family->metadata == NULL && metadata != NULL) {
		family->metadata = metadata;
		family->differs = help_of(metadata)[0] == '\0';
		return;
	}
	family->differs = metadata == NULL || family->metadata == NULL ||
			  !say_same(metadata, family->metadata);
	mc_release_metadata(metadata);
}

/* Whether another metric is called as the family of the counter is in OpenMetrics. */
static bool is_unclear(const struct scraping *scraping, const struct family *family)
{
	char stem[NAMING_SIZE];

	if (!naming_is_counter(family->type->sources[family->source].kind))
		return false;
	snprintf(stem, sizeof(stem), "%.*s", (int)(strlen(family->name) - strlen("_total")),
		 family->name);
	return foreign_is_taken(&scraping->foreign, stem);
}

static void add_head(struct exposition_text *text, const struct scraping *scraping,
		     const struct family *family)
{
	const struct mc_type *type = family->type;
	struct exposition_about about = {
		.name = family->name,
		.help = type->help,
		.unit = family->several_units ? "" : type->unit,
		.kind = type->sources[family->source].kind,
		.unclear = is_unclear(scraping, family),
	};

	if (!family->differs && family->metadata != NULL) {
		about.help = help_of(family->metadata);
		if (family->metadata->unit[0] != '\0')
			about.unit = family->metadata->unit;
	}
	exposition_head(text, scraping->options->format, &about);
}

/* --- Samples ------------------------------------------------------------- */

static mc_time time_of(const struct scraping *scraping, const struct mc_latest *latest)
{
	return latest->interval <= scraping->options->staleness_delta ? latest->time : 0;
}

static void add_samples(struct scraping *scraping, const struct mc_series *series,
			const struct mc_latest *latest, const struct mc_metric *metric)
{
	const struct mc_type *type = mc_type(series);
	struct family *const *families = find_families(scraping, mc_plugin(series), type);
	struct labelling_of_series labels = labels_of(scraping, series);

	if (metric != NULL)
		add_own_labels(scraping, &labels, metric);
	scraping->labels.size = 0;
	exposition_labels(&scraping->labels, &labels);
	for (unsigned i = 0; i < latest->values_len; i++) {
		if (!is_wanted(scraping->options, &labels, families[i]->name))
			continue;
		take_metadata(families[i], series, i);
		exposition_sample(&families[i]->samples, scraping->options->format,
				  &(struct exposition_sample){
					  .name = families[i]->name,
					  .labels = scraping->labels.at,
					  .labels_size = scraping->labels.size,
					  .kind = type->sources[i].kind,
					  .value = latest->values[i],
					  .time = time_of(scraping, latest),
				  });
	}
}

/* Of a series of ours; false if there are no other names for it. */
static bool add_by_convention(struct scraping *scraping, const struct mc_series *series,
			      const struct mc_latest *latest)
{
	const struct host *host = find_host(scraping, mc_host(series));

	return conventional_add(scraping->options->conventional,
				&(struct conventional_series){
					.series = series,
					.latest = latest,
					.time = time_of(scraping, latest),
					.labels = host->labels,
					.labels_len = host->labels_len,
					.labels_sum = host->labels_sum,
				});
}

/* A missing series is gone at once, not after Prometheus' five minutes. */
static bool add_series(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct scraping *scraping = argument;
	struct mc_metric metric;

	if (latest->missing)
		return true;
	if (!mc_get_metric(series, &metric)) {
		if (scraping->options->conventional == NULL ||
		    !add_by_convention(scraping, series, latest))
			add_samples(scraping, series, latest, NULL);
		return true;
	}
	if (metric.name[0] != '\0' && point_add(&scraping->foreign.points, series, &metric, latest,
						time_of(scraping, latest)))
		return true;
	add_samples(scraping, series, latest, &metric);
	mc_release_metric(&metric);
	return true;
}

/* --- The whole ----------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	const struct family *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

static struct family **sorted(const struct mc_map *families)
{
	struct family **all = mc_alloc((families->len + 1) * sizeof(struct family *));
	size_t len = 0;

	for (struct mc_map_node *node = mc_map_next(families, NULL); node != NULL;
	     node = mc_map_next(families, node))
		all[len++] = (struct family *)node;
	qsort(all, len, sizeof(struct family *), by_name);
	return all;
}

static struct exposition_text *samples_of(void *argument, const char *name)
{
	struct scraping *scraping = argument;
	struct family *family =
		(struct family *)mc_map_find(&scraping->families, name, strlen(name));

	return family != NULL ? &family->samples : NULL;
}

static void free_sets(struct mc_map *sets)
{
	struct mc_map_node *node = mc_map_next(sets, NULL), *next;

	for (; node != NULL; node = next) {
		next = mc_map_next(sets, node);
		mc_map_remove(sets, node);
		free(node);
	}
	mc_map_done(sets);
}

void scrape(struct mc_ctx *ctx, const struct scrape_options *options, struct exposition_text *text)
{
	struct scraping scraping = {
		.ctx = ctx,
		.options = options,
		.foreign = { .options = options, .own = samples_of, .argument = &scraping },
	};
	struct conventional *conventional = options->conventional;
	struct family **all;

	if (conventional != NULL)
		conventional_begin(conventional);
	mc_scan_series(ctx, NULL, add_series, &scraping);
	if (conventional != NULL)
		scraping.foreign.ours = conventional_sort(conventional, &scraping.foreign.ours_len);
	foreign_sort(&scraping.foreign);
	all = sorted(&scraping.families);
	for (size_t i = 0; i < scraping.families.len; i++) {
		if (all[i]->samples.size > 0) {
			add_head(text, &scraping, all[i]);
			exposition_add(text, all[i]->samples.at, all[i]->samples.size);
		}
		free(all[i]->samples.at); /* Not all twice; families are asked for again. */
		all[i]->samples = (struct exposition_text){ 0 };
	}
	foreign_print(&scraping.foreign, text);
	foreign_done(&scraping.foreign);
	if (conventional != NULL)
		conventional_end(conventional);
	exposition_end(text, options->format);
	for (size_t i = 0; i < scraping.families.len; i++) {
		mc_release_metadata(all[i]->metadata);
		free(all[i]);
	}
	mc_map_done(&scraping.families);
	free_sets(&scraping.sets);
	free(scraping.labels.at);
	free(all);
}
