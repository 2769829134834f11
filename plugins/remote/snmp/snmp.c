/* SPDX-License-Identifier: MIT */
/* snmp: polls other devices by SNMP, with net-snmp's library.  Options as in
 * collectd-snmp(5).
 *
 * One thread, that of run(), has all devices: nothing waits for one of them. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#include "device.h"
#include "formats/snmp/names.h"
#include "hints.h"
#include "moment.h"
#include "translate.h"

struct snmp {
	struct snmp_options options; /* First: options_table fills it. */
	struct fleet fleet;
	struct translate translate;
	struct plan **plans;
	size_t plans_len;
	struct device *devices;
	size_t len;
	struct mc_loop loop;
	pthread_mutex_t lock; /* Guards what read() takes: */
	struct fleet_counts counts;
	size_t up;
};

/* --- The devices ---------------------------------------------------------- */

static bool resolve(void *argument, const char *name, struct mc_object_id *id)
{
	struct snmp *self = argument;

	return mc_snmp_find_name(name, id) || translate_find(&self->translate, name, id);
}

static bool is_equal(const struct mc_strings *a, const struct mc_strings *b)
{
	for (size_t i = 0; i < a->len && i < b->len; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return a->len == b->len;
}

static const struct plan *plan_of(struct snmp *self, struct mc_ctx *ctx, struct mc_strings collect)
{
	const struct plan_source source = { ctx, &self->options, resolve, self };

	for (size_t i = 0; i < self->plans_len; i++)
		if (is_equal(&self->plans[i]->collect, &collect))
			return self->plans[i];
	self->plans = mc_alloc_resize(self->plans, self->plans_len + 1, sizeof(struct plan *));
	self->plans[self->plans_len] = plan_new(&source, collect);
	return self->plans[self->plans_len++];
}

static void add_device(struct snmp *self, struct mc_ctx *ctx, const struct host_options *host)
{
	struct host_options whole = options_complete(&self->options, host);

	if (options_check_can_poll(&whole))
		device_init(&self->devices[self->len++], &self->fleet, &whole,
			    plan_of(self, ctx, whole.collect));
}

static void make_devices(struct snmp *self, struct mc_ctx *ctx)
{
	const struct host_options *hosts = self->options.hosts.items;
	const struct host_options *templates = self->options.templates.items;
	size_t len = self->options.hosts.len;

	for (size_t i = 0; i < self->options.templates.len; i++)
		len += templates[i].hosts.len;
	self->devices = mc_alloc_array(len, sizeof(*self->devices));
	for (size_t i = 0; i < self->options.hosts.len; i++)
		add_device(self, ctx, &hosts[i]);
	for (size_t i = 0; i < self->options.templates.len; i++)
		for (size_t j = 0; j < templates[i].hosts.len; j++) {
			struct host_options host = templates[i];

			host.name = templates[i].hosts.items[j];
			add_device(self, ctx, &host);
		}
	self->fleet.moments = moment_count(self->len);
	if (*self->options.hints_file != '\0')
		hints_load(ctx, self->options.hints_file, self->devices, self->len);
}

/* --- The thread ----------------------------------------------------------- */

/* For read(), which is another thread. */
static void share_counts(void *argument)
{
	struct snmp *self = argument;

	if (!self->options.statistics)
		return;
	pthread_mutex_lock(&self->lock);
	if (self->counts.slowest > self->fleet.counts.slowest)
		self->fleet.counts.slowest = self->counts.slowest;
	self->counts = self->fleet.counts;
	self->up = self->fleet.up;
	self->fleet.counts.slowest = 0;
	pthread_mutex_unlock(&self->lock);
}

static int plugin_run(struct mc_ctx *ctx)
{
	struct snmp *self = ctx->self;
	int rc = translate_run(&self->translate, &self->loop, &self->options);

	if (rc < 0)
		return rc == -ECANCELED ? 0 : rc;
	session_library_start();
	make_devices(self, ctx);
	return mc_loop_run(&self->loop);
}

static int plugin_start(struct mc_ctx *ctx)
{
	struct snmp *self = ctx->self;

	if (!session_library_claim())
		return mc_fail(ctx, 0, "another instance has net-snmp");
	pthread_mutex_init(&self->lock, NULL);
	self->fleet = (struct fleet){
		.ctx = ctx,
		.options = &self->options,
		.loop = &self->loop,
	};
	self->loop.ctx = ctx;
	self->loop.after_round = share_counts;
	self->loop.argument = self;
	return mc_loop_init(&self->loop);
}

static void plugin_stop(struct mc_ctx *ctx)
{
	struct snmp *self = ctx->self;

	if (self->fleet.ctx == NULL)
		return; /* It was not started. */
	if (self->devices != NULL && *self->options.hints_file != '\0')
		hints_save(ctx, self->options.hints_file, self->devices, self->len);
	for (size_t i = 0; i < self->len; i++)
		device_done(&self->devices[i]);
	for (size_t i = 0; i < self->plans_len; i++)
		plan_free(self->plans[i]);
	free(self->plans);
	translate_done(&self->translate);
	keys_done(&self->fleet.keys);
	if (self->devices != NULL) /* The library was started. */
		session_library_stop();
	free(self->devices);
	mc_loop_done(&self->loop);
	pthread_mutex_destroy(&self->lock);
	session_library_release();
}

/* --- Values about itself -------------------------------------------------- */

static void put_total(struct mc_batch *out, const char *instance, uint64_t total)
{
	mc_put_derive(out, (int64_t)total, .type = "total_operations", .type_instance = instance);
}

static int plugin_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct snmp *self = ctx->self;
	struct fleet_counts counts;
	size_t up;

	if (!self->options.statistics)
		return 0;
	pthread_mutex_lock(&self->lock);
	counts = self->counts;
	up = self->up;
	self->counts.slowest = 0;
	pthread_mutex_unlock(&self->lock);
	put_total(out, "requests", counts.requests);
	put_total(out, "retries", counts.retries);
	put_total(out, "timeouts", counts.timeouts);
	put_total(out, "strays", counts.strays);
	put_total(out, "rows", counts.rows);
	put_total(out, "passes", counts.passes);
	put_total(out, "passes_late", counts.late);
	mc_put_gauge(out, (double)up, .type = "count", .type_instance = "devices_up");
	mc_put_gauge(out, (double)counts.slowest / MC_SECOND, .type = "duration",
		     .type_instance = "slowest_pass");
	return 0;
}

static void plugin_check(struct mc_ctx *ctx)
{
	const struct snmp *self = ctx->self;

	options_check(ctx, &self->options);
}

MC_PLUGIN(snmp) = {
	MC_NAMED(snmp),
	.help = "Polls other devices by SNMP.",
	.self_size = sizeof(struct snmp),
	.options = options_table,
	.types = (const char *const[]){ "count", "duration", "if_dropped", "if_errors", "if_octets",
					"if_packets", "if_speed", "if_state", "total_operations",
					NULL },
	.check = plugin_check,
	.start = plugin_start,
	.read = plugin_read,
	.run = plugin_run,
	.stop = plugin_stop,
	.lenient = true,
};
