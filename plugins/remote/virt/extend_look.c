/* SPDX-License-Identifier: MIT */
#include "extend_look.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libvirt/virterror.h>

#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>
#include <collector/kit/loop.h>

#include "describe.h"

struct extend_looks {
	atomic_uint references; /* The caller's, and one for each call that is under way. */
	struct link *links[EXTEND_LOOKS_MAX];
	unsigned char uuids[EXTEND_LOOKS_MAX][VIR_UUID_BUFLEN]; /* Of the last call of each. */
	struct extend_look *waiting;                            /* The first was asked first. */

	pthread_mutex_t lock;
	struct mc_loop_wakeup *wakeup MC_GUARDED_BY(lock); /* NULL: nobody waits any more. */
	struct extend_look *done MC_GUARDED_BY(lock);
};

struct look_job {
	struct connection_job job;
	struct extend_looks *looks;
	struct extend_look *look;
};

/* --- The call ------------------------------------------------------------------- */

static void take_sizes(struct extend_look *look, const virDomainBlockInfo *info)
{
	struct watermark_disk disk = { .size = look->device ? info->physical : info->capacity,
				       .allocation = info->allocation };
	struct watermark_disk empty = { .size = disk.size };
	uint64_t lowest = threshold_bytes(&look->mark, &empty);

	look->size = disk.size;
	look->beyond = lowest != 0 && disk.allocation >= lowest;
	look->threshold = threshold_bytes(&look->mark, &disk);
}

static void look_at_chain(struct extend_look *look, virDomainPtr domain)
{
	char *xml = virDomainGetXMLDesc(domain, 0);

	if (xml == NULL || !describe_chain(xml, look->disk, look->chain, sizeof(look->chain)))
		look->chain[0] = '\0';
	free(xml);
}

static int job_run(struct connection_job *job, virConnectPtr conn, bool fresh)
{
	struct extend_look *look = ((struct look_job *)job)->look;
	virDomainPtr domain = virDomainLookupByUUID(conn, look->uuid);
	virDomainBlockInfo info;
	int rc = 0;

	(void)fresh;
	if (domain == NULL) {
		look->gone = virGetLastErrorCode() == VIR_ERR_NO_DOMAIN;
		return connection_explain(job, "guest");
	}
	if (virDomainIsActive(domain) == 0) {
		look->gone = true;
	} else if (virDomainGetBlockInfo(domain, look->disk, &info, 0) < 0) {
		look->gone = virGetLastErrorCode() == VIR_ERR_INVALID_ARG; /* No such disk. */
		rc = connection_explain(job, look->disk);
	} else {
		look->answered = true;
		take_sizes(look, &info);
		look_at_chain(look, domain);
		look->set = look->size > look->from && look->threshold > 0 &&
			    virDomainSetBlockThreshold(domain, look->disk, look->threshold, 0) == 0;
	}
	virDomainFree(domain);
	return rc;
}

static void release(struct extend_looks *self) MC_NO_LOCK
{
	if (atomic_fetch_sub(&self->references, 1) != 1)
		return;
	while (self->done != NULL) {
		struct extend_look *next = self->done->next;

		free(self->done);
		self->done = next;
	}
	pthread_mutex_destroy(&self->lock);
	free(self);
}

/* The call has come back. */
static void job_end(struct connection_job *job)
{
	struct extend_looks *looks = ((struct look_job *)job)->looks;
	struct extend_look *look = ((struct look_job *)job)->look;

	snprintf(look->reason, sizeof(look->reason), "%s", job->reason);
	free(job);
	pthread_mutex_lock(&looks->lock);
	look->next = looks->done;
	looks->done = look;
	if (looks->wakeup != NULL)
		mc_loop_wake(looks->wakeup);
	pthread_mutex_unlock(&looks->lock);
	release(looks);
}

/* --- The caller's thread -------------------------------------------------------- */

struct extend_looks *extend_look_new(const char *uri, struct mc_loop_wakeup *wakeup)
{
	struct extend_looks *self = mc_alloc_zero(sizeof(*self));

	atomic_init(&self->references, 1);
	for (unsigned i = 0; i < EXTEND_LOOKS_MAX; i++)
		self->links[i] = connection_new(uri, true);
	pthread_mutex_init(&self->lock, NULL);
	pthread_mutex_lock(&self->lock);
	self->wakeup = wakeup;
	pthread_mutex_unlock(&self->lock);
	return self;
}

void extend_look_free(struct mc_ctx *ctx, struct extend_looks *self)
{
	for (unsigned i = 0; i < EXTEND_LOOKS_MAX; i++)
		connection_free(ctx, self->links[i]);
	while (self->waiting != NULL) {
		struct extend_look *next = self->waiting->next;

		free(self->waiting);
		self->waiting = next;
	}
	pthread_mutex_lock(&self->lock);
	self->wakeup = NULL;
	pthread_mutex_unlock(&self->lock);
	release(self);
}

static bool is_under_way(const struct extend_looks *self, const unsigned char *uuid)
{
	for (unsigned i = 0; i < EXTEND_LOOKS_MAX; i++)
		if (connection_busy(self->links[i]) &&
		    memcmp(self->uuids[i], uuid, VIR_UUID_BUFLEN) == 0)
			return true;
	return false;
}

/* The first that waits, but for those of guests that are asked about; NULL: none. */
static struct extend_look *take_waiting(struct extend_looks *self)
{
	struct extend_look **at = &self->waiting, *taken;

	while (*at != NULL && is_under_way(self, (*at)->uuid))
		at = &(*at)->next;
	taken = *at;
	if (taken != NULL)
		*at = taken->next;
	return taken;
}

static void begin(struct mc_ctx *ctx, struct extend_looks *self, unsigned link,
		  struct extend_look *look)
{
	struct look_job *job = mc_alloc_zero(sizeof(*job));

	*job = (struct look_job){ .job = { .run = job_run, .free = job_end },
				  .looks = self,
				  .look = look };
	memcpy(self->uuids[link], look->uuid, VIR_UUID_BUFLEN);
	atomic_fetch_add(&self->references, 1);
	/* Unless it is under way the job is ours. */
	if (connection_call(ctx, self->links[link], &job->job, 0) != -ETIMEDOUT)
		job_end(&job->job);
}

static void begin_all(struct mc_ctx *ctx, struct extend_looks *self)
{
	struct extend_look *look;

	for (unsigned i = 0; i < EXTEND_LOOKS_MAX; i++) {
		if (connection_busy(self->links[i]))
			continue;
		look = take_waiting(self);
		if (look == NULL)
			return;
		begin(ctx, self, i, look);
	}
}

void extend_look_ask(struct mc_ctx *ctx, struct extend_looks *self, struct extend_look *look)
{
	struct extend_look **last = &self->waiting;

	while (*last != NULL)
		last = &(*last)->next;
	*last = look;
	begin_all(ctx, self);
}

struct extend_look *extend_look_take(struct mc_ctx *ctx, struct extend_looks *self)
{
	struct extend_look *taken;

	begin_all(ctx, self);
	pthread_mutex_lock(&self->lock);
	taken = self->done;
	if (taken != NULL)
		self->done = taken->next;
	pthread_mutex_unlock(&self->lock);
	return taken;
}
