/* SPDX-License-Identifier: MIT */
#include "entry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/label.h>
#include <collector/metadata.h>

#include "formats/prometheus/labelling.h"
#include "formats/prometheus/naming.h"
#include "kit/series/tenant.h"
#include "units.h"

#define LOOK_INTERVAL (10 * MC_SECOND) /* Between two looks at the labels of a host. */

struct entry_host {
	struct mc_map_node node; /* By name. */
	uint32_t users, version;
	mc_time next_look;
	struct labelling labels;
	char name[];
};

struct entry_set {
	struct mc_ctx *ctx;
	const struct mc_strings *external;
	struct symbols symbols;
	struct mc_map hosts;
	struct units units;
	struct mc_map outputs; /* By labels. */
	struct mc_map targets; /* See targets.h. */
	size_t len;
	mc_time now;        /* When the batch began. */
	bool by_convention; /* Of OpenTelemetry: names of series of ours. */
	bool by_tenant;
	bool closed;
};

/* --- All of them ----------------------------------------------------------- */

struct entry_set *entry_set_new(struct mc_ctx *ctx, const struct mc_strings *external,
				enum mc_names names, bool by_tenant)
{
	struct entry_set *entries = mc_alloc_zero(sizeof(*entries));

	entries->ctx = ctx;
	entries->external = external;
	entries->by_convention = names == MC_NAMES_OTEL;
	entries->by_tenant = by_tenant;
	return entries;
}

static void free_if_unused(struct entry_set *entries)
{
	if (!entries->closed || entries->len > 0)
		return;
	mc_map_done(&entries->hosts);
	mc_map_done(&entries->outputs);
	mc_map_done(&entries->targets);
	symbols_done(&entries->symbols);
	free(entries);
}

void entry_set_close(struct entry_set *entries)
{
	if (entries == NULL)
		return;
	units_done(&entries->units);
	entries->closed = true;
	free_if_unused(entries);
}

struct symbols *entry_set_symbols(struct entry_set *entries)
{
	return &entries->symbols;
}

/* --- Hosts ------------------------------------------------------------------ */

static void take_label(void *argument, const struct mc_field *label)
{
	struct labelling *labels = argument;

	labelling_set(labels, label->name, label->value);
}

static bool is_same(const struct labelling *a, const struct labelling *b)
{
	if (a->len != b->len)
		return false;
	for (size_t i = 0; i < a->len; i++)
		if (strcmp(a->items[i].name, b->items[i].name) != 0 ||
		    strcmp(a->items[i].value, b->items[i].value) != 0)
			return false;
	return true;
}

static void look(struct entry_set *entries, struct entry_host *host)
{
	struct labelling labels = { 0 };

	host->next_look = mc_now() + LOOK_INTERVAL;
	mc_each_label(entries->ctx, host->name, take_label, &labels);
	if (is_same(&labels, &host->labels)) {
		labelling_done(&labels);
		return;
	}
	labelling_done(&host->labels);
	host->labels = labels;
	host->version++;
}

static struct entry_host *find_host(struct entry_set *entries, const char *name)
{
	size_t size = strlen(name);
	struct entry_host *host = (struct entry_host *)mc_map_find(&entries->hosts, name, size);

	if (host == NULL) {
		host = mc_alloc_zero(sizeof(*host) + size + 1);
		memcpy(host->name, name, size);
		host->node.key = host->name;
		host->node.key_size = size;
		mc_map_add(&entries->hosts, &host->node);
		look(entries, host);
	}
	host->users++;
	return host;
}

static void release_host(struct entry_set *entries, struct entry_host *host)
{
	if (--host->users > 0)
		return;
	mc_map_remove(&entries->hosts, &host->node);
	labelling_done(&host->labels);
	free(host);
}

void entry_learn(struct entry_set *entries, const struct mc_batch *batch)
{
	entries->now = mc_now();
	MC_FOR_EACH_SAMPLE (sample, batch) {
		struct mc_metric metric;

		if (*mc_slot(entries->ctx, sample->series) != NULL ||
		    !mc_get_metric(sample->series, &metric))
			continue;
		if (metric.part != MC_METRIC_VALUE && !naming_is_of_count(metric.part))
			units_learn(&entries->units, sample->series, &metric);
		else
			mc_release_metric(&metric);
	}
}

/* --- Labels of a series ------------------------------------------------------- */

struct making {
	struct entry_set *entries;
	const struct mc_series *series;
	struct entry *entry;
	struct labelling labels;
	enum remote_write_type type;
	char unit[OTLP_UNIT_SIZE]; /* Of a metric of others, or by conventions. */
	const char *help;          /* Of a series by conventions, which its type cannot have. */
};

static void add_label(void *argument, const char *name, const char *value)
{
	struct labelling *labels = argument;
	char plain[NAMING_SIZE];
	size_t size = 0;

	for (; name[size] != '\0' && size < sizeof(plain) - 1; size++)
		plain[size] = naming_character(name[size], size == 0);
	plain[size] = '\0';
	labelling_set(labels, plain, value);
}

static bool has(const struct labelling *labels, const char *name)
{
	for (size_t i = 0; i < labels->len; i++)
		if (strcmp(labels->items[i].name, name) == 0)
			return true;
	return false;
}

static void add_external(const struct entry_set *entries, struct labelling *labels)
{
	const struct mc_strings *words = entries->external;

	for (size_t i = 0; i + 1 < words->len; i += 2)
		if (!has(labels, words->items[i]))
			labelling_set(labels, words->items[i], words->items[i + 1]);
}

/* Of a series of ours: those of its host, and of a metric without a name. */
static void add_own(struct making *making)
{
	const struct mc_series *series = making->series;
	const struct labelling *of_host = &making->entry->host->labels;
	const struct mc_metric *metric = making->entry->metric;
	struct mc_field more[MC_LABELS_MAX + MC_METRIC_LABELS_MAX];
	struct labelling_of_series labels = {
		.plugin = mc_plugin(series),
		.plugin_instance = mc_plugin_instance(series),
		.type_instance = mc_type_instance(series),
		.host = mc_host(series),
		.more = more,
	};

	for (size_t i = 0; i < of_host->len && i < MC_LABELS_MAX; i++)
		more[labels.more_len++] =
			(struct mc_field){ of_host->items[i].name, of_host->items[i].value };
	for (size_t i = 0; metric != NULL && i < metric->labels.len && i < MC_METRIC_LABELS_MAX;
	     i++)
		more[labels.more_len++] = (struct mc_field){ metric->labels.items[i].name,
							     metric->labels.items[i].value };
	labelling_each(&labels, add_label, &making->labels);
}

static const char *help_of(const struct mc_metadata *metadata, const struct mc_type *type)
{
	const char *help = mc_metadata_attribute(metadata, "info");

	if (help == NULL && metadata != NULL && metadata->label[0] != '\0')
		help = metadata->label;
	return help != NULL ? help : type->help;
}

/* --- Outputs -------------------------------------------------------------------- */

static size_t key_size_of(const struct remote_write_series *series)
{
	return 2 * (size_t)series->labels_len * sizeof(struct symbol *);
}

static bool is_taken(const struct entry_set *entries, const struct remote_write_series *series)
{
	return mc_map_find(&entries->outputs, series->labels, key_size_of(series)) != NULL;
}

/* Only of what counts: a gauge has none. */
static int64_t start_of(const struct making *making)
{
	const struct mc_metric *metric = making->entry->metric;

	return metric != NULL && making->type != REMOTE_WRITE_GAUGE ? metric->start / MC_MILLISECOND
								    : 0;
}

static const char *tenant_of(const struct making *making)
{
	const struct labelling *labels = &making->entry->host->labels;

	if (!making->entries->by_tenant)
		return NULL;
	for (size_t i = 0; i < labels->len; i++)
		if (strcmp(labels->items[i].name, MC_TENANT_LABEL) == 0)
			return labels->items[i].value;
	return "";
}

static struct remote_write_series *describe(struct making *making, const char *unit)
{
	struct remote_write_label labels[REMOTE_WRITE_LABELS_MAX];
	const struct mc_metadata *metadata = mc_get_metadata(making->series, 0);
	struct remote_write_about about = {
		.labels = labels,
		.type = making->type,
		.help = making->help != NULL ? making->help
					     : help_of(metadata, mc_type(making->series)),
		.unit = unit,
		.start = start_of(making),
		.tenant = tenant_of(making),
	};
	struct remote_write_series *series;

	for (size_t i = 0; i < making->labels.len && i < REMOTE_WRITE_LABELS_MAX; i++)
		labels[about.labels_len++] =
			(struct remote_write_label){ making->labels.items[i].name,
						     making->labels.items[i].value };
	series = remote_write_series_new(&making->entries->symbols, &about);
	mc_release_metadata(metadata);
	return series;
}

/* Adds an output of that name; takes the labels.  If there is a series with the same labels, it
 * gets one more. */
static void add_output(struct making *making, const char *name, const char *unit,
		       struct entry_output like)
{
	struct entry *entry = making->entry;
	struct entry_output *output = &entry->outputs[entry->outputs_len++];
	struct entry_set *entries = making->entries;

	labelling_set(&making->labels, "__name__", name);
	add_external(entries, &making->labels);
	*output = like;
	output->series = describe(making, unit);
	if (is_taken(entries, output->series)) {
		remote_write_series_free(&entries->symbols, output->series);
		labelling_set(&making->labels, LABELLING_SERIES, mc_name(making->series));
		output->series = describe(making, unit);
	}
	output->series->counts = entry->outputs_len == 1;
	output->listed = !is_taken(entries, output->series);
	if (output->listed) {
		output->node.key = output->series->labels;
		output->node.key_size = key_size_of(output->series);
		mc_map_add(&entries->outputs, &output->node);
	}
	labelling_done(&making->labels);
}

static void make_own(struct making *making)
{
	const struct mc_type *type = mc_type(making->series);
	char name[NAMING_SIZE];

	for (unsigned i = 0; i < type->sources_len; i++) {
		enum mc_kind kind = type->sources[i].kind;

		making->type = naming_is_counter(kind) ? REMOTE_WRITE_COUNTER : REMOTE_WRITE_GAUGE;
		naming_collectd(name, mc_plugin(making->series), type, i);
		add_own(making);
		add_output(making, name, type->unit,
			   (struct entry_output){
				   .source = (uint8_t)i, .kind = (uint8_t)kind, .divisor = 1 });
	}
}

static enum remote_write_type type_of(const struct mc_metric *metric)
{
	if (metric->part == MC_METRIC_MIN || metric->part == MC_METRIC_MAX || metric->delta)
		return REMOTE_WRITE_GAUGE;
	switch (metric->kind) {
	case MC_METRIC_COUNTER:
		return REMOTE_WRITE_COUNTER;
	case MC_METRIC_HISTOGRAM:
	case MC_METRIC_EXPONENTIAL_HISTOGRAM:
		return REMOTE_WRITE_HISTOGRAM;
	case MC_METRIC_SUMMARY:
		return REMOTE_WRITE_SUMMARY;
	case MC_METRIC_GAUGE:
	case MC_METRIC_UP_DOWN_COUNTER:
		break;
	}
	return REMOTE_WRITE_GAUGE;
}

/* Adds one part of a metric of others; 'label' is NULL, or that of its bound. */
static void add_part(struct making *making, enum mc_metric_part part, const char *label,
		     double bound)
{
	const struct mc_metric *metric = making->entry->metric;
	const struct mc_type *type = mc_type(making->series);
	char name[NAMING_SIZE], whole[NAMING_SIZE + 16], text[NAMING_BOUND_SIZE];
	char unit[NAMING_SIZE];

	naming_metric(name, metric, making->unit);
	naming_unit(unit, making->unit);
	snprintf(whole, sizeof(whole), "%s%s", name, naming_suffix(part));
	labelling_of_metric(&making->labels, metric, mc_host(making->series));
	if (label != NULL) {
		naming_bound(text, bound);
		labelling_set(&making->labels, label, text);
	}
	add_output(making, whole, unit,
		   (struct entry_output){ .kind = (uint8_t)type->sources[0].kind,
					  .divisor = naming_is_seconds(type) ? 1000 : 1 });
}

static bool is_histogram(const struct mc_metric *metric)
{
	return metric->kind == MC_METRIC_HISTOGRAM ||
	       metric->kind == MC_METRIC_EXPONENTIAL_HISTOGRAM;
}

/* A count of a histogram is its bucket without a bound, too. */
static void make_foreign(struct making *making)
{
	const struct mc_metric *metric = making->entry->metric;

	making->type = type_of(metric);
	if (naming_is_of_count(metric->part))
		snprintf(making->unit, sizeof(making->unit), "%s",
			 units_find(&making->entries->units, metric));
	else
		units_read(making->unit, making->series);
	if (metric->part == MC_METRIC_QUANTILE)
		add_part(making, metric->part, "quantile", metric->bound);
	else if (metric->part == MC_METRIC_BUCKET && metric->bound == INFINITY)
		return;
	else if (metric->part == MC_METRIC_BUCKET)
		add_part(making, metric->part, "le", metric->bound);
	else
		add_part(making, metric->part, NULL, 0);
	if (metric->part == MC_METRIC_COUNT && is_histogram(metric))
		add_part(making, MC_METRIC_BUCKET, "le", INFINITY);
}

/* --- By conventions --------------------------------------------------------------- */

static void add_convention(struct making *making, unsigned source,
			   const struct mc_convention *convention)
{
	const struct mc_type *type = mc_type(making->series);
	char name[NAMING_SIZE], unit[NAMING_SIZE];

	making->type = type_of(&convention->metric);
	making->help = convention->divisor == 1 ? NULL : "";
	naming_metric(name, &convention->metric, convention->unit);
	naming_unit(unit, convention->unit);
	labelling_of_metric(&making->labels, &convention->metric, mc_host(making->series));
	add_output(making, name, unit,
		   (struct entry_output){ .source = (uint8_t)source,
					  .kind = (uint8_t)type->sources[source].kind,
					  .divisor = (float)convention->divisor });
}

/* False, and nothing made, if there are no other names for it. */
static bool make_by_convention(struct making *making)
{
	const struct labelling *of_host = &making->entry->host->labels;
	struct mc_metric_label labels[MC_LABELS_MAX];
	struct mc_metric_labels resource = { labels, 0 };
	struct mc_convention convention;

	for (; resource.len < of_host->len && resource.len < MC_LABELS_MAX; resource.len++)
		labels[resource.len] = (struct mc_metric_label){
			.name = of_host->items[resource.len].name,
			.value = of_host->items[resource.len].value,
		};
	for (unsigned i = 0; i < mc_type(making->series)->sources_len; i++) {
		if (!mc_get_convention(making->series, i, &resource, &convention))
			return i > 0;
		add_convention(making, i, &convention);
		mc_release_metric(&convention.metric);
	}
	return true;
}

/* --- Entries ---------------------------------------------------------------------- */

static bool is_foreign(const struct entry *entry, const struct mc_type *type)
{
	return entry->metric != NULL && entry->metric->name[0] != '\0' && type->sources_len == 1 &&
	       naming_has_name(entry->metric);
}

static void add_target(struct making *making)
{
	struct entry_set *entries = making->entries;
	const struct mc_metric *metric = making->entry->metric;
	struct labelling labels = { 0 };

	if (!labelling_of_target(&labels, metric, mc_host(making->series)))
		return;
	add_external(entries, &labels);
	making->entry->target = targets_use(&entries->targets, &entries->symbols,
					    &(struct targets_about){
						    .labels = &labels,
						    .resource = metric->resource.items,
						    .tenant = tenant_of(making),
					    });
	labelling_done(&labels);
}

static struct entry *make(struct entry_set *entries, const struct mc_series *series)
{
	const struct mc_type *type = mc_type(series);
	size_t outputs = type->sources_len + 1; /* A count may be two. */
	struct entry *entry = mc_alloc_zero(sizeof(*entry) + outputs * sizeof(struct entry_output));
	struct making making = { .entries = entries, .series = series, .entry = entry };
	struct mc_metric metric;

	entry->entries = entries;
	entry->host = find_host(entries, mc_host(series));
	entry->host_version = entry->host->version;
	if (mc_get_metric(series, &metric))
		entry->metric = mc_alloc_bytes(&metric, sizeof(metric));
	if (is_foreign(entry, type)) {
		make_foreign(&making);
		add_target(&making);
	} else if (!entries->by_convention || entry->metric != NULL ||
		   !make_by_convention(&making)) {
		make_own(&making);
	}
	entries->len++;
	return entry;
}

static bool is_current(struct entry *entry, const struct mc_series *series)
{
	static const struct mc_metric none;
	struct entry_host *host = entry->host;

	if (entry->entries->now >= host->next_look)
		look(entry->entries, host);
	return host->version == entry->host_version &&
	       mc_metric_is_current(series, entry->metric != NULL ? entry->metric : &none);
}

static void unlist(struct entry *entry)
{
	for (uint32_t i = 0; i < entry->outputs_len; i++) {
		struct entry_output *output = &entry->outputs[i];

		if (output->listed)
			mc_map_remove(&entry->entries->outputs, &output->node);
		output->listed = false;
	}
}

struct entry *entry_of(struct entry_set *entries, const struct mc_series *series,
		       struct entry **outdated)
{
	struct entry **slot = (struct entry **)mc_slot(entries->ctx, series);

	*outdated = NULL;
	if (*slot != NULL && is_current(*slot, series))
		return *slot;
	*outdated = *slot;
	if (*outdated != NULL)
		unlist(*outdated); /* The next one may have the same labels. */
	*slot = make(entries, series);
	return *slot;
}

static void free_entry(struct entry *entry)
{
	struct entry_set *entries = entry->entries;

	unlist(entry);
	for (uint32_t i = 0; i < entry->outputs_len; i++)
		remote_write_series_free(&entries->symbols, entry->outputs[i].series);
	targets_release(&entries->targets, &entries->symbols, entry->target);
	release_host(entries, entry->host);
	if (entry->metric != NULL)
		mc_release_metric(entry->metric);
	free(entry->metric);
	free(entry);
	entries->len--;
	free_if_unused(entries);
}

void entry_forget(struct entry *entry)
{
	if (entry->pins > 0)
		entry->forgotten = true;
	else
		free_entry(entry);
}

void entry_pin(struct entry *entry)
{
	entry->pins++;
}

void entry_unpin(struct entry *entry)
{
	if (--entry->pins == 0 && entry->forgotten)
		free_entry(entry);
}

bool entry_has(const struct entry *entry, const struct remote_write_series *series)
{
	size_t size = key_size_of(series);

	for (uint32_t i = 0; i < entry->outputs_len; i++) {
		const struct remote_write_series *own = entry->outputs[i].series;

		if (key_size_of(own) == size && memcmp(own->labels, series->labels, size) == 0)
			return true;
	}
	return false;
}

uint64_t entry_bits(const struct entry_output *output, union mc_value value)
{
	double number = value.gauge;
	uint64_t bits;

	if (output->kind == MC_DERIVE)
		number = (double)value.derive;
	else if (output->kind != MC_GAUGE)
		number = (double)value.counter;
	if (output->divisor != 1)
		number /= (double)output->divisor;
	if (isnan(number)) /* Unknown: Prometheus shows a gap. */
		return REMOTE_WRITE_STALE;
	memcpy(&bits, &number, sizeof(bits));
	return bits;
}
