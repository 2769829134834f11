/* SPDX-License-Identifier: MIT */
/* As what comes by OTLP: formats/otlp/otlp.h says which series a metric is. */
#include "described.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kit/base/decimal.h"

#define PART_MAX 127 /* Bytes of a part of a name, as in collectd. */

static const char *const type_names[] = {
	[DESCRIBED_GAUGE] = "gauge",
	[DESCRIBED_COUNT] = "derive",
	[DESCRIBED_MILLISECONDS] = "total_time_in_ms",
};

/* --- Kinds ------------------------------------------------------------------ */

static bool is_in_seconds(const char *name)
{
	const char *at = strstr(name, "_seconds");

	return at != NULL && (at[8] == '\0' || at[8] == '_');
}

static const char *bound_of(const struct described *described)
{
	const struct mc_metric_labels labels = { described->labels.items, described->labels.len };

	if (described->role.part == MC_METRIC_BUCKET)
		return mc_metric_label(&labels, "le");
	return described->role.part == MC_METRIC_QUANTILE ? mc_metric_label(&labels, "quantile")
							  : NULL;
}

/* False: it has to have one, and has none. */
static bool read_bound(const struct described *described, double *bound)
{
	const char *text = bound_of(described);

	*bound = 0;
	if (described->role.part != MC_METRIC_BUCKET && described->role.part != MC_METRIC_QUANTILE)
		return true;
	return text != NULL && page_number_read((struct page_text){ text, strlen(text) }, bound);
}

static enum described_kind kind_of(const struct described *described, double bound)
{
	bool distribution =
		described->role.type == PAGE_HISTOGRAM || described->role.type == PAGE_SUMMARY;

	if (described->role.part == MC_METRIC_BUCKET)
		return bound == INFINITY ? DESCRIBED_NOTHING : DESCRIBED_COUNT;
	if (described->role.part == MC_METRIC_COUNT)
		return DESCRIBED_COUNT;
	if (described->role.part == MC_METRIC_QUANTILE ||
	    (!distribution && described->role.type != PAGE_COUNTER))
		return DESCRIBED_GAUGE;
	return is_in_seconds(described->labels.name) ? DESCRIBED_MILLISECONDS : DESCRIBED_COUNT;
}

/* --- Names ------------------------------------------------------------------- */

/* A name may not have control characters. */
static void add_text(char out[PART_MAX + 1], size_t *size, const char *text)
{
	for (; *text != '\0' && *size <= PART_MAX; text++) {
		if (*size < PART_MAX)
			out[*size] = iscntrl((unsigned char)*text) ? '_' : *text;
		++*size;
	}
}

/* "name=value,name=value", then that of the bound; or a sum, where there is no room. */
static void print_instance(const struct described *described, char out[PART_MAX + 1])
{
	const char *bound = bound_of(described);
	const struct page_labels *labels = &described->labels;
	size_t size = 0;

	for (int last = 0; last < 2; last++)
		for (size_t i = 0; i < labels->len; i++) {
			const struct mc_metric_label *label = &labels->items[i];

			if ((label->value == bound) != last)
				continue;
			if (size > 0)
				add_text(out, &size, ",");
			add_text(out, &size, label->name);
			add_text(out, &size, "=");
			add_text(out, &size, label->value);
		}
	if (size > PART_MAX || described->by_sum)
		size = (size_t)snprintf(out, PART_MAX + 1, "attributes=%016" PRIx64,
					described->sum);
	out[size] = '\0';
}

/* --- Metrics ------------------------------------------------------------------ */

static enum mc_metric_kind metric_kind(const struct page_role *role)
{
	switch (role->type) {
	case PAGE_COUNTER:
		return MC_METRIC_COUNTER;
	case PAGE_HISTOGRAM:
		return MC_METRIC_HISTOGRAM;
	case PAGE_SUMMARY:
		return MC_METRIC_SUMMARY;
	case PAGE_GAUGE:
	case PAGE_UNTYPED:
		break;
	}
	return MC_METRIC_GAUGE;
}

/* The name of a label that the target has, too; it may be a label of the page already. */
static const char *exported(const struct described *described, bool job)
{
	const struct mc_metric_labels labels = { described->labels.items, described->labels.len };
	const char *name = job ? "exported_job" : "exported_instance";

	if (mc_metric_label(&labels, name) == NULL)
		return name;
	return job ? "exported_exported_job" : "exported_exported_instance";
}

struct shown { /* Labels of a metric. */
	struct mc_metric_label labels[PAGE_LABELS_MAX];
	size_t labels_len;
	struct mc_metric_label resource[2]; /* Job and instance. */
};

/* As Prometheus has labels that it has of the target itself. */
static void show(const struct described_target *target, const struct described *described,
		 struct shown *shown)
{
	const char *bound = bound_of(described);

	shown->labels_len = 0;
	shown->resource[0] =
		(struct mc_metric_label){ .name = "service.name", .value = target->job };
	shown->resource[1] = (struct mc_metric_label){ .name = "service.instance.id",
						       .value = target->instance };
	for (size_t i = 0; i < described->labels.len; i++) {
		struct mc_metric_label label = described->labels.items[i];
		bool job = strcmp(label.name, "job") == 0;

		if (label.value == bound)
			continue;
		if (!job && strcmp(label.name, "instance") != 0) {
			shown->labels[shown->labels_len++] = label;
		} else if (target->honor_labels) {
			shown->resource[!job].value = label.value;
		} else {
			label.name = exported(described, job);
			shown->labels[shown->labels_len++] = label;
		}
	}
}

static void set_metric(struct mc_batch *batch, struct mc_series *series,
		       const struct described_target *target, const struct described *described,
		       double bound)
{
	char name[MC_METRIC_NAME_SIZE];
	struct shown shown;
	struct mc_metric metric = {
		.name = name,
		.help = described->help,
		.kind = metric_kind(&described->role),
		.part = described->role.part,
		.bound = bound,
	};

	show(target, described, &shown);
	snprintf(name, sizeof(name), "%.*s", (int)described->role.name_size,
		 described->labels.name);
	metric.labels = (struct mc_metric_labels){ shown.labels, shown.labels_len };
	metric.resource = (struct mc_metric_labels){ shown.resource, 2 };
	mc_set_metric(batch, series, &metric);
}

struct mc_series *described_series(struct mc_batch *batch, const struct described_target *target,
				   const struct described *described, enum described_kind *kind)
{
	char instance[PART_MAX + 1];
	struct mc_series *series;
	double bound;

	*kind = DESCRIBED_GAUGE;
	if (!read_bound(described, &bound) || strlen(described->labels.name) > PART_MAX)
		return NULL;
	*kind = kind_of(described, bound);
	if (*kind == DESCRIBED_NOTHING)
		return NULL;
	print_instance(described, instance);
	series = mc_series(batch, MC_ID(.host = target->host, .plugin = target->job,
					.plugin_instance = described->labels.name,
					.type = type_names[*kind], .type_instance = instance));
	if (series != NULL)
		set_metric(batch, series, target, described, bound);
	return series;
}

/* --- Values -------------------------------------------------------------------- */

/* Doubles have no more than 53 bits of it. */
static bool read_whole(struct page_text text, int64_t *whole)
{
	int64_t sum = 0;

	for (size_t i = 0; i < text.size; i++)
		if (!isdigit((unsigned char)text.at[i]) || __builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, text.at[i] - '0', &sum))
			return false;
	*whole = sum;
	return true;
}

bool described_value(enum described_kind kind, const struct page_sample *sample,
		     union mc_value *value)
{
	double number = sample->value;

	if (kind == DESCRIBED_GAUGE) {
		value->gauge = number;
		return true;
	}
	if (kind == DESCRIBED_MILLISECONDS)
		number = round(number * 1000); /* 0.2 + 0.7 is a bit less than 0.9. */
	else if (read_whole(sample->number, &value->derive))
		return true;
	if (!(number >= 0) || number >= (double)INT64_MAX)
		return false;
	value->derive = (int64_t)number;
	return true;
}
