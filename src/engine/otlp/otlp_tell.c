/* SPDX-License-Identifier: MIT */
#include "engine/otlp/otlp_tell.h"

#include <collector/metadata.h>

#include <math.h>
#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/arena.h"
#include "engine/otlp/foreign/otlp_metric.h"
#include "formats/otlp/otlp_unit.h"

#define METRIC_SIZE 8192 /* Of the texts of nearly all metrics. */

static bool is_same_place(struct mc_otlp_text a, struct mc_otlp_text b)
{
	return a.at == b.at && a.size == b.size;
}

static uint64_t sum_of(struct mc_otlp_text text, uint64_t seed)
{
	return text.size > 0 ? XXH3_64bits_withSeed(text.at, text.size, seed) : seed;
}

uint64_t otlp_tell_sum(struct otlp_tell_sums *sums, const struct mc_otlp *otlp)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < otlp->values_len; i++) {
		const struct mc_otlp_said *said = &otlp->said[i];

		if (!is_same_place(said->description, sums->said.description) ||
		    !is_same_place(said->unit, sums->said.unit)) {
			sums->said = *said;
			sums->sum = sum_of(said->unit, sum_of(said->description, 0));
		}
		all = 31 * all + sums->sum;
	}
	if (otlp->sent.foreign)
		return all + otlp_metric_sum(otlp);
	return otlp->sent.labels.at != NULL ? all + otlp->sent.labels_sum : all;
}

/* Seconds with a fraction are kept in milliseconds. */
static bool is_converted(const struct mc_type *type)
{
	return strcmp(type->name, OTLP_TYPE_SECONDS) == 0;
}

static bool has_other_unit(const struct mc_type *type, unsigned source,
			   const struct mc_otlp_said *said)
{
	return !otlp_unit_is(said->unit, type->unit, type->sources[source].kind != MC_GAUGE) &&
	       !is_converted(type);
}

bool otlp_tell_is_due(const struct mc_series *series, const struct mc_otlp_said *said)
{
	bool due = false;

	for (unsigned i = 0; i < series->type->sources_len; i++)
		due |= said[i].description.size > 0 || has_other_unit(series->type, i, &said[i]);
	return due;
}

/* Whether the unit would be written as it came. */
static bool is_spelled(struct mc_otlp_text unit, const struct mc_metadata *metadata, bool sum)
{
	char text[OTLP_UNIT_SIZE];

	return otlp_unit_of_metadata(text, metadata, sum) == unit.size &&
	       memcmp(text, unit.at, unit.size) == 0;
}

static void tell(struct mc_batch *batch, struct mc_series *series, unsigned source,
		 const struct mc_otlp_said *said)
{
	const struct mc_type *type = series->type;
	bool sum = type->sources[source].kind != MC_GAUGE;
	char info[MC_METADATA_TEXT_SIZE + 4]; /* To be cut between characters. */
	char unit[OTLP_UNIT_SIZE] = "", spelling[OTLP_UNIT_SIZE];
	struct mc_attribute attributes[2];
	struct mc_metadata metadata = {
		.unit = unit,
		.warning = { NAN, NAN },
		.failure = { NAN, NAN },
		.attributes = attributes,
	};
	const struct mc_metadata *before = mc_get_metadata(series, source);

	if (before != NULL) { /* Thresholds are sent for themselves. */
		metadata.warning = before->warning;
		metadata.failure = before->failure;
	}
	mc_release_metadata(before);

	if (said->description.size > 0) {
		otlp_copy(info, sizeof(info), said->description);
		attributes[metadata.attributes_len++] = (struct mc_attribute){ "info", info };
	}
	if (has_other_unit(type, source, said))
		otlp_unit_read(unit, said->unit, sum);
	if (unit[0] != '\0' && !is_spelled(said->unit, &metadata, sum)) {
		otlp_copy(spelling, sizeof(spelling), said->unit);
		attributes[metadata.attributes_len++] =
			(struct mc_attribute){ OTLP_UNIT_SPELLING, spelling };
	}
	if (metadata.attributes_len > 0 || unit[0] != '\0')
		mc_set_metadata(batch, series, source, &metadata);
}

void otlp_tell_all(struct mc_batch *batch, struct mc_series *series,
		   const struct mc_otlp_said *said)
{
	for (unsigned i = 0; i < series->type->sources_len; i++)
		tell(batch, series, i, &said[i]);
}

void otlp_tell_metric(struct mc_batch *batch, struct mc_series *series, const struct mc_otlp *otlp)
{
	const struct mc_otlp_text help = otlp->said[0].description;
	struct mc_metric metric;
	struct arena arena;

	arena_init(&arena, METRIC_SIZE);
	otlp_metric_read(otlp, &arena, &metric);
	metric.help = arena_copy(&arena, help.size > 0 ? help.at : "", help.size);
	mc_set_metric(batch, series, &metric);
	arena_done(&arena);
}

/* Whether the series has labels, and no other name that its sender would still know. */
static bool is_labelled(const struct mc_series *series)
{
	struct mc_metric metric;
	bool labelled;

	if (!mc_get_metric(series, &metric))
		return false;
	labelled = metric.name[0] == '\0' && metric.labels.len > 0;
	mc_release_metric(&metric);
	return labelled;
}

void otlp_tell_labels(struct mc_batch *batch, struct mc_series *series, struct mc_otlp_span point)
{
	struct mc_metric metric = { .name = "" };
	struct arena arena;

	if (point.at == NULL && !is_labelled(series))
		return;
	arena_init(&arena, METRIC_SIZE);
	if (point.at != NULL)
		otlp_metric_read_labels(point, &arena, &metric);
	mc_set_metric(batch, series, &metric);
	arena_done(&arena);
}

void otlp_tell_threshold(struct mc_batch *batch, const struct mc_otlp *otlp)
{
	struct mc_series *series = mc_find_named(batch, &otlp->name);
	bool warns = otlp->sent.role == MC_OTLP_WARNING;

	if (series == NULL || otlp->sent.role == MC_OTLP_PASSED_OVER || otlp->kinds[0] != MC_GAUGE)
		return;
	mc_set_limit(batch, series, 0, warns ? MC_LIMIT_WARNING : MC_LIMIT_FAILURE,
		     otlp->values[0].gauge);
}
