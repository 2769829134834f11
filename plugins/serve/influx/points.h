/* SPDX-License-Identifier: MIT */
/* Lines of the InfluxDB line protocol, put into batches.  A field that is a
 * number is a point of the path "MEASUREMENT.FIELD;TAG=VALUE...", of which
 * kit/series/paths.h makes a series; the fields are those of formats/influx.h. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include <collector/kit/buffer.h>
#include <collector/kit/lock.h>

#include "formats/influx.h"
#include "kit/series/paths.h"

enum points_refused {
	POINTS_LINE,    /* A line is invalid. */
	POINTS_UNKNOWN, /* A value is not finite. */
	POINTS_TIME,    /* See mc_influx_time(). */
	POINTS_FUTURE,  /* A time is far ahead. */
	POINTS_NAME,    /* No template makes a name. */
	POINTS_SERIES,  /* A series may not be made. */
	POINTS_KIND,    /* A counter is not whole. */
	POINTS_REASONS,
};

struct points { /* Of an instance. */
	pthread_mutex_t lock;
	struct mc_paths *paths MC_PT_GUARDED_BY(lock);

	_Atomic uint64_t taken, texts; /* Fields; texts are passed over. */
	_Atomic uint64_t refused[POINTS_REASONS];
};

/* The plugin's name of a reason: "series". */
extern const char *const points_reasons[POINTS_REASONS];

struct points_result {
	uint64_t taken, refused;
	char why[256]; /* Of the first that is refused. */
};

struct points_text { /* Lines. */
	const void *at;
	size_t size;
	mc_time precision; /* The unit of their times. */
};

/* Puts the points of all lines of a text into 'batch'.  Thread: any. */
void points_put(struct points *, struct mc_batch *batch, const struct points_text *,
		struct points_result *);

/* The length of a unit of ?precision=; 0 if it is invalid.  NULL: the default. */
mc_time points_precision(const char *name);
