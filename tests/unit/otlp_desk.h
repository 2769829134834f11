/* SPDX-License-Identifier: MIT */
/* An engine with a writer of OTLP and a batch, for tests of requests that are read and written. */
#pragma once

#include <stdlib.h>

#include <collector/private/otlp.h>

#include "lab.h"

static const struct mc_plugin listener = { .api = MC_API, .name = "listener" };

struct desk {
	struct lab lab;
	struct mc_ctx *ctx;
	struct mc_otlp_writer *writer;
	struct mc_batch *batch;
};

static inline int desk_open(void **state)
{
	struct desk *desk = calloc(1, sizeof(*desk));

	assert_non_null(desk);
	lab_open(&desk->lab, 1 << 20);
	desk->ctx = engine_ctx(engine_add(desk->lab.engine, &listener, "listener"));
	engine_start_idle(desk->lab.engine);
	desk->writer = mc_otlp_writer_new(1 << 20);
	desk->batch = mc_begin(desk->ctx);
	*state = desk;
	return 0;
}

static inline int desk_close(void **state)
{
	struct desk *desk = *state;

	mc_discard(desk->batch);
	mc_otlp_writer_free(desk->writer);
	lab_close(&desk->lab);
	free(desk);
	return 0;
}
