/* SPDX-License-Identifier: MIT */
/* write() of rrdcached, where the file of a series is looked for on the disk:
 * whoever wants the lock meanwhile gets it. */
#include "place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/wait.h>
#include <collector/label.h>
#include <collector/metric.h>
#include <collector/private/status.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "options.h"
#include "unit.h"

extern const struct mc_plugin mc_plugin_rrdcached;

/* --- The core, as far as it is needed --------------------------------- */

struct mc_batch {
	const struct mc_sample *first;
};

static struct { /* A series of the core, with its slot in front. */
	void *slot;
	const struct mc_type *type;
} series;

static struct {
	struct mc_sample sample;
	union mc_value values[2];
} sample;

static const struct mc_type gauge = {
	.name = "gauge",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, NAN, NAN } },
};

mc_time mc_now(void)
{
	return MC_SECOND;
}

mc_time mc_wall(void)
{
	return MC_SECOND;
}

unsigned mc_each_label(struct mc_ctx *ctx, const char *host,
		       void (*visit)(void *argument, const struct mc_field *label), void *argument)
{
	(void)ctx;
	(void)host;
	(void)visit;
	(void)argument;
	return 0;
}

bool mc_get_metric(const struct mc_series *of, struct mc_metric *out)
{
	(void)of;
	(void)out;
	return false;
}

bool mc_metric_matches(const struct mc_metric *metric, const char *label)
{
	(void)metric;
	(void)label;
	return false;
}

void mc_release_metric(const struct mc_metric *metric)
{
	(void)metric;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	(void)ctx;
	(void)level;
	(void)fmt;
}

void mc_count_failure(struct mc_ctx *ctx)
{
	(void)ctx;
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	(void)ctx;
	(void)fmt;
	return -errnum;
}

void mc_drop(struct mc_ctx *ctx, uint64_t samples, int errnum, const char *fmt, ...)
{
	(void)ctx;
	(void)samples;
	(void)errnum;
	(void)fmt;
}

void mc_set_waiting(struct mc_ctx *ctx, uint64_t samples)
{
	(void)ctx;
	(void)samples;
}

void mc_set_failure(struct mc_ctx *ctx, const char *why)
{
	(void)ctx;
	(void)why;
}

void mc_consumer_lost(struct mc_consumer *of, uint64_t samples)
{
	(void)of;
	(void)samples;
}

const char *mc_name(const struct mc_series *of)
{
	(void)of;
	return "h/p/gauge-a";
}

const struct mc_sample *mc_next_shown(const struct mc_batch *batch, const struct mc_sample *next)
{
	(void)batch;
	return next;
}

bool mc_records(struct mc_ctx *ctx, struct mc_records *records)
{
	(void)ctx;
	*records = (struct mc_records){ 0 };
	return false;
}

bool mc_offset(struct mc_ctx *ctx, struct mc_offset *offset)
{
	(void)ctx;
	(void)offset;
	return false;
}

/* What run() and options need is not called here. */
const struct mc_option options_table[] = { { 0 } };

void options_check(struct mc_ctx *of, const struct rrdcached *self)
{
	(void)of;
	(void)self;
	fail();
}

bool options_is_again(const struct mc_strings *texts, size_t index)
{
	(void)texts;
	(void)index;
	return false;
}

/* There is no journal. */
struct mc_consumer *mc_consumer(struct mc_ctx *of, const char *name, struct mc_offset *from,
				struct mc_offset *end)
{
	(void)of;
	(void)name;
	(void)from;
	(void)end;
	return NULL;
}

#define NEVER(result, name, ...)                                                                   \
	result name(__VA_ARGS__)                                                                   \
	{                                                                                          \
		abort();                                                                           \
	}
#pragma GCC diagnostic ignored "-Wunused-parameter"
NEVER(void, mc_ack, struct mc_ctx *of, struct mc_offset offset)
NEVER(struct mc_batch *, mc_begin, struct mc_ctx *of)
NEVER(void, mc_commit, struct mc_batch *batch)
NEVER(void, mc_discard, struct mc_batch *batch)
NEVER(void, mc_consumer_ack, struct mc_consumer *of, struct mc_offset offset)
NEVER(struct mc_batch *, mc_consumer_read, struct mc_consumer *of, struct mc_offset *from,
      uint64_t end)
NEVER(struct mc_series *, mc_series, struct mc_batch *batch, struct mc_id id)
NEVER(void, mc_put, struct mc_batch *batch, struct mc_series *of, const union mc_value *values,
      unsigned len)
NEVER(int, mc_epoll, int epoll, struct epoll_event *events, int len, mc_time until)
NEVER(int, mc_stop_fd, struct mc_ctx *of)
NEVER(bool, mc_stopping, struct mc_ctx *of)
NEVER(int, place_remove_files, struct mc_ctx *of, const char *name, size_t *len, char *why)
NEVER(void, place_each_stored, struct mc_ctx *of, mc_stored_show *show, void *argument)
NEVER(int, place_fetch, struct mc_ctx *of, const char *name, struct mc_history *history, char *why)
NEVER(void, place_where, struct mc_ctx *of, const char *name, char *out, size_t size)

/* --- The disk ---------------------------------------------------------- */

static struct mc_ctx ctx;
static unsigned looked, locked;

bool place_find(struct mc_ctx *of, const char *name, struct mc_pnp_place *place,
		char why[static MC_PATH_TEMPLATE_WHY])
{
	struct rrdcached *self = of->self;

	(void)why;
	looked++;
	if (pthread_mutex_trylock(&self->shared.lock) == 0)
		pthread_mutex_unlock(&self->shared.lock);
	else
		locked++;
	*place = (struct mc_pnp_place){ 0 };
	snprintf(place->own, sizeof(place->own), "%s", name);
	memcpy(place->path, place->own, sizeof(place->path));
	return true;
}

size_t place_prefix(const struct rrdcached *self, const char *path, char prefix[FILE_PREFIX_MAX],
		    char *why)
{
	(void)why;
	return file_prefix(self->directory, path, prefix);
}

/* --- Tests -------------------------------------------------------------- */

static void nobody_waits_for_the_disk(void **state)
{
	const char *address = "/nowhere/socket";
	struct mc_batch batch = { &sample.sample };
	struct rrdcached *self = mc_alloc_zero(sizeof(*self));

	(void)state;
	self->addresses = (struct mc_strings){ &address, 1 };
	self->data_dir = "/d";
	self->buffer_limit = self->replay_limit = 1;
	self->options.rows = 10;
	ctx = (struct mc_ctx){
		.name = "rrdcached", .interval = 10 * MC_SECOND, .self = self, .slot = 1
	};
	series.type = &gauge;
	sample.sample = (struct mc_sample){
		.series = (struct mc_series *)&series.type,
		.time = 10 * MC_SECOND,
		.interval = 10 * MC_SECOND,
		.values_len = 1,
	};
	assert_int_equal(mc_plugin_rrdcached.start(&ctx), 0);
	for (int i = 0; i < 2; i++, sample.sample.time += MC_SECOND)
		assert_int_equal(mc_plugin_rrdcached.writer->write(&ctx, &batch), 0);
	assert_int_equal(looked, 1);
	assert_int_equal(locked, 0);
	assert_int_equal(self->daemons[0].backlog.put, 2);
	mc_plugin_rrdcached.stop(&ctx);
	mc_plugin_rrdcached.writer->forget(&ctx, series.slot);
	free(self);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_waits_for_the_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
