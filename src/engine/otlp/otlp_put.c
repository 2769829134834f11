/* SPDX-License-Identifier: MIT */
/* A request into a batch. */
#include "engine/otlp/otlp_put.h"

#include <collector/serve.h>
#include <collector/writer.h>

#include "engine/otlp/otlp_owners.h"
#include "engine/otlp/otlp_tell.h"
#include "engine/otlp/otlp_template.h"
#include "formats/otlp/otlp_distribution.h"
#include "formats/otlp/otlp_unit.h"

struct mc_series *otlp_put_series(struct mc_batch *batch, const struct mc_otlp *otlp)
{
	struct mc_series *series = mc_find_named(batch, &otlp->name);
	char unit[OTLP_UNIT_SIZE];

	if (series != NULL)
		return series;
	otlp_unit_read(unit, otlp->said[0].unit, otlp->kinds[0] != MC_GAUGE);
	return mc_series_in(batch, &otlp->name, unit);
}

static void note_stamp(struct mc_otlp_result *result, const struct mc_otlp *otlp)
{
	if (otlp->stamp.time > result->newest)
		result->newest = otlp->stamp.time;
	if (otlp->stamp.interval > 0 &&
	    (result->interval == 0 || otlp->stamp.interval < result->interval))
		result->interval = otlp->stamp.interval;
}

struct putting { /* A request. */
	struct mc_batch *batch;
	const struct mc_otlp_request *request;
	struct mc_otlp otlp;
	struct otlp_tell_sums sums;
	struct mc_series *series; /* Of the last sample. */
};

/* NULL, or why it cannot be. */
static const char *put_sample(struct putting *putting)
{
	const struct mc_otlp_request *request = putting->request;
	const struct mc_otlp *otlp = &putting->otlp;
	struct mc_series **series = &putting->series;
	struct mc_batch *batch = putting->batch;
	struct mc_stamp stamp = request->stamp;

	*series = otlp_put_series(batch, otlp);
	if (*series == NULL)
		return OTLP_NO_SERIES;
	if (!mc_otlp_is(otlp, mc_type(*series)))
		return OTLP_NO_TYPE;
	if (!otlp->own.ours && !otlp_owners_take(request->owners, otlp, *series))
		return OTLP_NO_OWNER;
	if (otlp->stamp.time != 0)
		stamp.time = otlp->stamp.time;
	if (otlp->stamp.interval != 0)
		stamp.interval = otlp->stamp.interval;
	if (otlp_tell(batch, *series, otlp->said, otlp_tell_sum(&putting->sums, otlp))) {
		if (otlp->sent.foreign)
			otlp_tell_metric(batch, *series, otlp);
		else
			otlp_tell_labels(batch, *series, otlp->sent.labels);
	}
	mc_put_at(batch, *series, stamp, otlp->values, otlp->values_len);
	return NULL;
}

/* Only metrics of a collector have a template: nothing of them is rejected, and
 * the request has all parts of their names. */
static void record(const struct putting *putting, bool was_put, struct mc_otlp_result *result)
{
	const struct mc_otlp *otlp = &putting->otlp;

	if (was_put && otlp->own.host_given && otlp->own.ours && otlp->stamp.interval > 0 &&
	    otlp_template_add(result->template, otlp, putting->series, putting->request->bytes))
		return;
	mc_otlp_template_free(result->template);
	result->template = NULL;
}

/* How many points are rejected with the sample: each value is one; but of all samples that a
 * histogram makes only the first that is refused is its point. */
static uint64_t points_of(struct mc_otlp *otlp)
{
	bool again;

	if (otlp->own.ours || !otlp_distribution_is(otlp))
		return otlp->values_len;
	again = otlp->own.distribution.refused;
	otlp->own.distribution.refused = true;
	return !again;
}

static const char *take_sample(struct putting *putting, struct mc_otlp_result *result)
{
	const char *why;

	if (putting->otlp.sent.foreign && putting->otlp.sent.role != MC_OTLP_MEASURED) {
		otlp_tell_threshold(putting->batch, &putting->otlp);
		return NULL;
	}
	why = put_sample(putting);
	if (why != NULL) {
		putting->otlp.rejected = points_of(&putting->otlp);
		return why;
	}
	result->samples++;
	note_stamp(result, &putting->otlp);
	return NULL;
}

/* Records result->template unless that is NULL. */
static bool put_all(struct mc_batch *batch, const struct mc_otlp_request *request,
		    struct mc_otlp_result *result)
{
	struct putting putting;
	enum mc_otlp_item item;
	const char *why;

	putting.batch = batch;
	putting.request = request;
	putting.sums = (struct otlp_tell_sums){ 0 };
	mc_otlp_open(&putting.otlp, request->bytes, request->size, false, request->host);
	mc_otlp_name_by(&putting.otlp, request->naming);
	while ((item = mc_otlp_next(&putting.otlp)) != MC_OTLP_END) {
		if (item == MC_OTLP_FAULT) {
			result->why = putting.otlp.why;
			return false;
		}
		why = item == MC_OTLP_REJECT ? putting.otlp.why : take_sample(&putting, result);
		if (result->template != NULL)
			record(&putting, why == NULL, result);
		if (why == NULL)
			continue;
		result->rejected += putting.otlp.rejected;
		if (result->why == NULL)
			result->why = why;
	}
	return true;
}

void mc_otlp_add_result(struct mc_otlp_result *sum, const struct mc_otlp_result *piece)
{
	sum->samples += piece->samples;
	sum->rejected += piece->rejected;
	if (sum->why == NULL)
		sum->why = piece->why;
	if (piece->newest > sum->newest)
		sum->newest = piece->newest;
	if (piece->interval > 0 && (sum->interval == 0 || piece->interval < sum->interval))
		sum->interval = piece->interval;
}

bool mc_otlp_put(struct mc_batch *batch, const struct mc_otlp_request *request,
		 struct mc_otlp_result *result)
{
	*result = (struct mc_otlp_result){ 0 };
	return put_all(batch, request, result);
}

bool mc_otlp_put_record(struct mc_batch *batch, const struct mc_otlp_request *request,
			struct mc_otlp_result *result)
{
	bool fine;

	*result = (struct mc_otlp_result){
		.template = otlp_template_new(request->size),
	};
	fine = put_all(batch, request, result);
	if (result->template != NULL &&
	    (!fine || !otlp_template_end(result->template, request->bytes))) {
		mc_otlp_template_free(result->template);
		result->template = NULL;
	}
	return fine;
}
