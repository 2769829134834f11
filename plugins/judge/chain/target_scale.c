/* SPDX-License-Identifier: MIT */
/* The target "scale": gauges are multiplied and moved, counters grow at a rate that is.  The
 * fraction that a whole counter has not yet grown by is kept for the next sample. */
#include "target_kinds.h"

#include <collector/check.h>
#include <collector/kit/alloc.h>

#include <math.h>
#include <string.h>

#include "sends.h"
#include "sources.h"

#define LIMIT 9e18 /* Fits 63 bits. */

struct value {              /* The state of a data source, per target. */
	bool known;         /* There was a sample before. */
	mc_time time;       /* Time of that; after the cache only. */
	union mc_value raw; /* As it came. */
	int64_t total;      /* As it went. */
	double fraction;    /* 0 to 1: what it should have been more. */
};

static void check(struct mc_ctx *ctx, const struct target_block *block)
{
	if (isnan(block->factor) && isnan(block->offset))
		mc_check_error(ctx, &block->kind, "has neither Factor nor Offset");
}

static double change(const struct target_block *block, double value)
{
	if (!isnan(block->factor))
		value *= block->factor;
	if (!isnan(block->offset))
		value += block->offset;
	return value;
}

/* A counter that falls has wrapped, at 32 or at 64 bits. */
static double counted(enum mc_kind kind, union mc_value from, union mc_value to)
{
	if (kind == MC_DERIVE)
		return (double)(int64_t)(to.counter - from.counter);
	if (to.counter < from.counter && from.counter <= UINT32_MAX)
		return (double)(uint32_t)(to.counter - from.counter);
	return (double)(to.counter - from.counter);
}

/* The whole part of what is due; the rest is kept. */
static int64_t take_whole(struct value *value, double due)
{
	double whole;

	value->fraction += due;
	if (!(fabs(value->fraction) < LIMIT))
		value->fraction = 0;
	whole = floor(value->fraction);
	value->fraction -= whole;
	return (int64_t)whole;
}

/* 'seconds' is the interval: a rate is per second. */
static void scale_source(const struct target_block *block, enum mc_kind kind, struct value *kept,
			 union mc_value *value, double seconds)
{
	union mc_value raw = *value;

	if (kind == MC_GAUGE) {
		value->gauge = change(block, value->gauge);
	} else if (kind == MC_ABSOLUTE) {
		double rate = (double)raw.absolute / seconds;
		int64_t whole = take_whole(kept, change(block, rate) * seconds);

		value->absolute = whole > 0 ? (uint64_t)whole : 0;
	} else {
		if (kept->known) {
			double rate = counted(kind, kept->raw, raw) / seconds;

			kept->total = (int64_t)((uint64_t)kept->total +
						(uint64_t)take_whole(kept, change(block, rate) *
										   seconds));
		}
		kept->known = true;
		kept->raw = raw;
		value->derive = kept->total;
	}
}

/* Of this target; all zero at first. */
static struct value *kept_of(const struct target *target, const struct subject *subject) MC_NO_LOCK
{
	struct name *root = subject->name->root;
	unsigned len = root->type->sources_len;

	if (root->values == NULL)
		root->values = mc_alloc_array((size_t)subject->shared->scales_len * len,
					      sizeof(struct value));
	return (struct value *)root->values + (size_t)target->number * len;
}

/* After the cache the rate is known, and the target changes that: a counter grows by it, over the
 * time since the sample before.  'value' is the raw one and its new rate. */
static void scale_rate(const struct target_block *block, enum mc_kind kind, struct value *kept,
		       union mc_value *value, struct mc_stamp since)
{
	double rate = value[1].gauge;
	double seconds = (double)(kept->known ? since.time - kept->time : since.interval) / 1e9;

	if (kind == MC_GAUGE) {
		value[0].gauge = change(block, value[0].gauge);
		return;
	}
	if (kind == MC_ABSOLUTE)
		kept->total = 0;
	else if (!kept->known)
		rate = NAN;
	if (!isnan(rate))
		kept->total = (int64_t)((uint64_t)kept->total +
					(uint64_t)take_whole(kept, rate * seconds));
	if (kind == MC_ABSOLUTE && kept->total < 0)
		kept->total = 0;
	value[0].derive = kept->total;
}

static void scale_behind(const struct target *target, struct subject *subject)
{
	const struct mc_type *type = subject->name->type;
	const struct mc_sample *sample = subject->sample;
	unsigned len = sample->values_len;
	union mc_value *values = subject->sends->values;
	struct value *kept;

	sends_flush(subject);
	if (subject->values == NULL)
		memcpy(values, sample->values, 2 * len * sizeof(*values));
	subject->values = values;
	pthread_mutex_lock(&subject->shared->lock);
	kept = kept_of(target, subject);
	for (unsigned i = 0; i < len; i++) {
		union mc_value both[2] = { values[i], values[len + i] };

		if (!sources_have(&target->block->data_sources, &type->sources[i]))
			continue;
		both[1].gauge = change(target->block, both[1].gauge);
		scale_rate(target->block, type->sources[i].kind, &kept[i], both,
			   (struct mc_stamp){ sample->time, sample->interval });
		values[i] = both[0];
		values[len + i] = both[1];
		kept[i].known = true;
		kept[i].time = sample->time;
	}
	pthread_mutex_unlock(&subject->shared->lock);
}

static enum target_result apply(const struct target *target, struct subject *subject)
{
	const struct mc_type *type = subject->name->type;
	struct value *kept;

	subject->each = true;
	subject->changed = subject->behind;
	if (subject->behind) {
		if (subject->sends != NULL && !subject->again)
			scale_behind(target, subject);
		return TARGET_CONTINUE;
	}
	if (subject->values == NULL || subject->sample->interval <= 0)
		return TARGET_CONTINUE;
	pthread_mutex_lock(&subject->shared->lock);
	kept = kept_of(target, subject);
	for (unsigned i = 0; i < subject->sample->values_len; i++)
		if (sources_have(&target->block->data_sources, &type->sources[i]))
			scale_source(target->block, type->sources[i].kind, &kept[i],
				     &subject->values[i], (double)subject->sample->interval / 1e9);
	pthread_mutex_unlock(&subject->shared->lock);
	return TARGET_CONTINUE;
}

const struct target_kind target_scale = {
	.options = (const char *const[]){ "Factor", "Offset", "DataSource", NULL },
	.changes = true,
	.keeps = true,
	.check = check,
	.apply = apply,
};
