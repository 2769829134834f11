/* SPDX-License-Identifier: MIT */
/* events: libvirt calls back on a thread that runs its event loop.
 *
 * The loop is one for the whole process, and so is the function that hears of every error: libvirt
 * wants it so.  start() registers libvirt's default loop; doing that again for another instance
 * changes nothing.  The run() of every instance offers its thread; the loop (GLib's, since libvirt
 * 6.1) takes one at a time, so an instance may be called by the thread of another.
 *
 * Therefore callbacks reach the instance through a sink, which outlives it. */
#include "events.h"

#include <collector/kit/lock.h>
#include <collector/serve.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libvirt/virterror.h>

#include <collector/kit/alloc.h>

#include "connection.h"
#include "links.h"
#include "moving.h"
#include "notifications.h"
#include "virt.h"
#include "watermark.h"

struct crossing { /* Of a threshold, to know it when it comes again. */
	unsigned char uuid[VIR_UUID_BUFLEN];
	char disk[GUESTS_DISK_SIZE]; /* Without "[1]", */
	bool indexed;                /* which it had. */
	unsigned long long threshold, excess;
};

struct sink {
	atomic_uint references;
	atomic_bool stopping;
	pthread_mutex_t lock;
	pthread_cond_t idle;
	/* NULL: the instance is gone. */
	struct mc_ctx *ctx MC_GUARDED_BY(lock);
	unsigned users MC_GUARDED_BY(lock); /* Callbacks that use it. */
	struct events_changes changes MC_GUARDED_BY(lock);
	/* Used by the loop's thread alone: */
	struct crossing last;
};

static void sink_release(void *argument)
{
	struct sink *sink = argument;

	if (atomic_fetch_sub(&sink->references, 1) != 1)
		return;
	pthread_cond_destroy(&sink->idle);
	pthread_mutex_destroy(&sink->lock);
	free(sink);
}

static struct mc_ctx *enter(struct sink *sink)
{
	struct mc_ctx *ctx;

	pthread_mutex_lock(&sink->lock);
	ctx = sink->ctx;
	if (ctx != NULL)
		sink->users++;
	pthread_mutex_unlock(&sink->lock);
	return ctx;
}

static void leave(struct sink *sink)
{
	pthread_mutex_lock(&sink->lock);
	if (--sink->users == 0)
		pthread_cond_broadcast(&sink->idle);
	pthread_mutex_unlock(&sink->lock);
}

static void note_all(struct sink *sink)
{
	pthread_mutex_lock(&sink->lock);
	sink->changes.all = sink->changes.missed_some = true;
	pthread_mutex_unlock(&sink->lock);
}

static void note_change(struct sink *sink, virDomainPtr domain)
{
	struct events_changes *changes = &sink->changes;
	unsigned char uuid[VIR_UUID_BUFLEN];

	if (virDomainGetUUID(domain, uuid) < 0)
		return;
	pthread_mutex_lock(&sink->lock);
	if (changes->len < EVENTS_CHANGES_MAX)
		memcpy(changes->uuids[changes->len++], uuid, sizeof(uuid));
	else
		changes->all = true;
	pthread_mutex_unlock(&sink->lock);
}

/* --- Callbacks, on the thread of the loop --------------------------------- */

static int on_lifecycle(virConnectPtr conn, virDomainPtr domain, int event, int detail,
			void *argument)
{
	struct sink *sink = argument;
	struct mc_ctx *ctx = enter(sink);

	(void)conn;
	if (ctx == NULL)
		return 0;
	note_change(sink, domain);
	moving_take(ctx, domain, event, detail);
	notifications_end(ctx, domain, event, detail);
	if (!((struct virt *)ctx->self)->persistent_notifications)
		notifications_lifecycle(ctx, domain, event, detail);
	leave(sink);
	return 0;
}

static void on_balloon(virConnectPtr conn, virDomainPtr domain, unsigned long long kib,
		       void *argument)
{
	struct sink *sink = argument;
	struct mc_ctx *ctx = enter(sink);
	unsigned char uuid[VIR_UUID_BUFLEN];
	struct virt *self;

	(void)conn;
	if (ctx == NULL)
		return;
	self = ctx->self;
	if (virDomainGetUUID(domain, uuid) == 0) {
		struct guest *guest;

		pthread_mutex_lock(&self->lock);
		guest = guests_find(&self->guests, uuid);
		if (guest != NULL)
			atomic_store(&guest->memory, kib * 1024);
		pthread_mutex_unlock(&self->lock);
	}
	leave(sink);
}

static void on_device(virConnectPtr conn, virDomainPtr domain, const char *alias, void *argument)
{
	(void)conn;
	(void)alias;
	note_change(argument, domain);
}

static void on_metadata(virConnectPtr conn, virDomainPtr domain, int type, const char *uri,
			void *argument)
{
	struct sink *sink = argument;
	struct mc_ctx *ctx = enter(sink);

	(void)conn;
	if (ctx == NULL)
		return;
	note_change(sink, domain);
	notifications_metadata(ctx, domain, type, uri);
	leave(sink);
}

static void on_params(virConnectPtr conn, virDomainPtr domain, virTypedParameterPtr params, int len,
		      void *argument)
{
	(void)conn;
	(void)params;
	(void)len;
	note_change(argument, domain);
}

static void on_job(virConnectPtr conn, virDomainPtr domain, virTypedParameterPtr params, int len,
		   void *argument)
{
	struct sink *sink = argument;
	struct mc_ctx *ctx = enter(sink);

	(void)conn;
	if (ctx == NULL)
		return;
	notifications_job(ctx, domain, params, len);
	leave(sink);
}

/* One crossing sends two events: for "vda", and for the image of its backing chain that was written
 * to, "vda[1]".  But a threshold on an image below sends only the second. */
static bool is_repeated(struct sink *sink, virDomainPtr domain, const char *disk,
			unsigned long long threshold, unsigned long long excess)
{
	struct crossing now = { .threshold = threshold, .excess = excess };
	bool same;

	if (virDomainGetUUID(domain, now.uuid) < 0)
		return true;
	snprintf(now.disk, sizeof(now.disk), "%.*s", (int)strcspn(disk, "["), disk);
	now.indexed = strchr(disk, '[') != NULL;
	same = now.indexed != sink->last.indexed &&
	       memcmp(now.uuid, sink->last.uuid, sizeof(now.uuid)) == 0 &&
	       strcmp(now.disk, sink->last.disk) == 0 && now.threshold == sink->last.threshold &&
	       now.excess == sink->last.excess;
	sink->last = same ? (struct crossing){ 0 } : now;
	return same;
}

static void on_threshold(virConnectPtr conn, virDomainPtr domain, const char *disk,
			 const char *path, unsigned long long threshold, unsigned long long excess,
			 void *argument)
{
	const struct notifications_threshold passed = { disk, path, threshold, excess };
	struct sink *sink = argument;
	struct mc_ctx *ctx;

	(void)conn;
	if (disk == NULL || is_repeated(sink, domain, disk, threshold, excess))
		return;
	ctx = enter(sink);
	if (ctx == NULL)
		return;
	if (watermark_crossed(ctx, domain, disk, threshold))
		notifications_threshold(ctx, domain, &passed);
	leave(sink);
}

static void on_block_job(virConnectPtr conn, virDomainPtr domain, const char *disk, int type,
			 int status, void *argument)
{
	struct sink *sink = argument;
	struct mc_ctx *ctx = enter(sink);

	(void)conn;
	if (ctx == NULL)
		return;
	/* The guest may have another image now. */
	note_change(sink, domain);
	watermark_job(ctx, domain, disk, status == VIR_DOMAIN_BLOCK_JOB_READY);
	notifications_block_job(ctx, domain, disk, type, status);
	leave(sink);
}

static void on_io_error(virConnectPtr conn, virDomainPtr domain, const char *path,
			const char *alias, int action, const char *reason, void *argument)
{
	struct sink *sink = argument;
	struct mc_ctx *ctx = enter(sink);

	(void)conn;
	(void)action;
	if (ctx == NULL)
		return;
	notifications_io_error(ctx, domain, path, alias, reason);
	leave(sink);
}

static void on_watchdog(virConnectPtr conn, virDomainPtr domain, int action, void *argument)
{
	struct sink *sink = argument;
	struct mc_ctx *ctx = enter(sink);

	(void)conn;
	if (ctx == NULL)
		return;
	notifications_watchdog(ctx, domain, action);
	leave(sink);
}

/* --- The connection ------------------------------------------------------- */

struct registration {
	struct connection_job job;
	struct sink *sink; /* A reference. */
};

static void registration_free(struct connection_job *job)
{
	struct registration *registration = (struct registration *)job;

	sink_release(registration->sink);
	free(registration);
}

/* A hypervisor that lacks an event still sends the others. */
static int register_all(virConnectPtr conn, struct sink *sink)
{
	static const struct {
		int event;
		virConnectDomainEventGenericCallback callback;
	} events[] = {
#define EVENT(name, callback) { VIR_DOMAIN_EVENT_ID_##name, VIR_DOMAIN_EVENT_CALLBACK(callback) }
		EVENT(LIFECYCLE, on_lifecycle),       EVENT(BALLOON_CHANGE, on_balloon),
		EVENT(DEVICE_ADDED, on_device),       EVENT(DEVICE_REMOVED, on_device),
		EVENT(METADATA_CHANGE, on_metadata),  EVENT(TUNABLE, on_params),
		EVENT(JOB_COMPLETED, on_job),         EVENT(BLOCK_JOB_2, on_block_job),
		EVENT(BLOCK_THRESHOLD, on_threshold), EVENT(IO_ERROR_REASON, on_io_error),
		EVENT(WATCHDOG, on_watchdog),
#undef EVENT
	};
	int registered = 0;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		atomic_fetch_add(&sink->references, 1);
		if (virConnectDomainEventRegisterAny(conn, NULL, events[i].event,
						     events[i].callback, sink, sink_release) < 0)
			sink_release(sink);
		else
			registered++;
	}
	return registered;
}

static int registration_run(struct connection_job *job, virConnectPtr conn, bool fresh)
{
	struct registration *registration = (struct registration *)job;

	if (!fresh)
		return virConnectIsAlive(conn) == 1 ? 0 : -EIO;
	if (register_all(conn, registration->sink) == 0)
		return connection_explain(job, "cannot register events");
	/* Events until now were not received. */
	note_all(registration->sink);
	return 0;
}

static struct registration *registration_new(struct sink *sink)
{
	struct registration *registration = mc_alloc_zero(sizeof(*registration));

	registration->job.run = registration_run;
	registration->job.free = registration_free;
	registration->sink = sink;
	atomic_fetch_add(&sink->references, 1);
	return registration;
}

void events_connect(struct mc_ctx *ctx, mc_time limit)
{
	struct virt *self = ctx->self;
	struct events *events = &self->events;
	struct registration *registration;
	int rc;

	if (events->link == NULL)
		events->link = connection_new(self->connection, events->writes);
	if (!links_may_call(self, events->link)) {
		events->works = false;
		return;
	}
	registration = registration_new(events->sink);
	rc = connection_call(ctx, events->link, &registration->job, limit);
	events->works = rc == 0;
	if (rc == -ETIMEDOUT)
		return;
	/* While libvirt is away nobody is refused. */
	events->refusals =
		rc == -EIO && events->writes && self->away[0] == '\0' ? events->refusals + 1 : 0;
	if (events->refusals == LINK_REFUSALS_MAX) {
		mc_log(ctx, MC_WARN, "no read-write connection, so no thresholds are set: %s",
		       registration->job.reason);
		events->writes = false;
		connection_free(ctx, events->link);
		events->link = NULL;
	}
	registration->job.free(&registration->job);
}

void events_take(struct mc_ctx *ctx, struct events_changes *changes)
{
	struct sink *sink = ((struct virt *)ctx->self)->events.sink;

	pthread_mutex_lock(&sink->lock);
	*changes = sink->changes;
	sink->changes.all = sink->changes.missed_some = false;
	sink->changes.len = 0;
	pthread_mutex_unlock(&sink->lock);
}

/* --- The loop ------------------------------------------------------------- */

/* libvirt prints errors on stderr unless somebody takes them; every function
 * that fails also returns its error, and that is where we say it. */
static void ignore_error(void *argument, virErrorPtr error)
{
	(void)argument;
	(void)error;
}

int events_start(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	struct sink *sink;

	if (virInitialize() < 0 || virEventRegisterDefaultImpl() < 0)
		return mc_fail(ctx, 0, "cannot initialize libvirt");
	virSetErrorFunc(NULL, ignore_error);
	sink = mc_alloc_zero(sizeof(*sink));
	*sink = (struct sink){ .references = 1, .ctx = ctx };
	pthread_mutex_init(&sink->lock, NULL);
	pthread_cond_init(&sink->idle, NULL);
	self->events.sink = sink;
	return 0;
}

static void on_stop(int watch, int fd, int events, void *argument)
{
	(void)watch;
	(void)fd;
	(void)events;
	atomic_store(&((struct sink *)argument)->stopping, true);
}

int events_run(struct mc_ctx *ctx)
{
	struct sink *sink = ((struct virt *)ctx->self)->events.sink;
	int watch;

	atomic_fetch_add(&sink->references, 1);
	watch = virEventAddHandle(mc_stop_fd(ctx), VIR_EVENT_HANDLE_READABLE, on_stop, sink,
				  sink_release);
	if (watch < 0) {
		sink_release(sink);
		return mc_fail(ctx, 0, "cannot watch for events");
	}
	while (!atomic_load(&sink->stopping))
		if (virEventRunDefaultImpl() < 0)
			return mc_fail(ctx, 0, "cannot wait for events");
	virEventRemoveHandle(watch);
	return 0;
}

void events_stop(struct mc_ctx *ctx)
{
	struct events *events = &((struct virt *)ctx->self)->events;
	struct sink *sink = events->sink;

	connection_free(ctx, events->link);
	if (sink == NULL)
		return;
	pthread_mutex_lock(&sink->lock);
	sink->ctx = NULL;
	while (sink->users > 0)
		pthread_cond_wait(&sink->idle, &sink->lock);
	pthread_mutex_unlock(&sink->lock);
	sink_release(sink);
}
