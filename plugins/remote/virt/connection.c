/* SPDX-License-Identifier: MIT */
/* link: see connection.h.  References: the reader's thread holds one reference to the link, each
 * call on a helper thread another one.  A call is freed by the reader if it came back in time,
 * else by the helper. */
#include "connection.h"

#include <collector/kit/lock.h>
#include <collector/kit/timed_call.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libvirt/virterror.h>

#include <collector/kit/alloc.h>

/* Detects a libvirtd that is stopped, or a host that is gone, after about 20 s;
 * answered by libvirtd itself, whatever its guests do. */
#define KEEPALIVE_INTERVAL 5
#define KEEPALIVE_COUNT 3

struct link {
	char *uri;
	bool writes;
	atomic_bool busy, dials;
	atomic_uint references;
	atomic_size_t step;
	_Atomic(mc_time) cpu;
	unsigned char blamed[VIR_UUID_BUFLEN];
	virConnectPtr conn; /* Belongs to the thread whose call is running. */
};

enum call_state { CALL_RUNNING, CALL_DONE, CALL_LEFT };

struct call {
	pthread_mutex_t lock;
	enum call_state state MC_GUARDED_BY(lock);
	int result;
	struct link *link;
	struct connection_job *job; /* NULL: close the connection. */
};

int connection_explain(struct connection_job *job, const char *what)
{
	virErrorPtr error = virGetLastError();
	const char *why =
		error != NULL && error->message != NULL ? error->message : "unknown error";
	int n = snprintf(job->reason, sizeof(job->reason), "%s: ", what);

	if (n > 0 && (size_t)n < sizeof(job->reason))
		snprintf(job->reason + n, sizeof(job->reason) - n, "%s", why);
	return -EIO;
}

bool connection_busy(const struct link *link)
{
	return atomic_load(&link->busy);
}

bool connection_dials(const struct link *link)
{
	return connection_busy(link) && atomic_load(&link->dials);
}

bool connection_open(const struct link *link)
{
	return link->conn != NULL;
}

size_t connection_step(const struct link *link)
{
	return atomic_load(&link->step);
}

mc_time connection_cpu(const struct link *link)
{
	return atomic_load(&link->cpu);
}

void connection_blame(struct link *link, const unsigned char uuid[VIR_UUID_BUFLEN])
{
	memcpy(link->blamed, uuid, VIR_UUID_BUFLEN);
}

bool connection_blames(struct link *const *links, unsigned links_len,
		       const unsigned char uuid[VIR_UUID_BUFLEN])
{
	for (unsigned i = 0; i < links_len; i++)
		if (links[i] != NULL && connection_busy(links[i]) &&
		    memcmp(links[i]->blamed, uuid, VIR_UUID_BUFLEN) == 0)
			return true;
	return false;
}

/* --- On the helper thread ------------------------------------------------- */

static void hang_up(struct link *link)
{
	if (link->conn != NULL)
		virConnectClose(link->conn);
	link->conn = NULL;
}

static void release(struct link *link)
{
	if (atomic_fetch_sub(&link->references, 1) != 1)
		return;
	hang_up(link);
	free(link->uri);
	free(link);
}

static int dial(struct link *link, struct connection_job *job)
{
	char what[LINK_REASON_SIZE];

	if (link->conn != NULL)
		return 0;
	atomic_store(&link->dials, true);
	link->conn = link->writes ? virConnectOpen(link->uri) : virConnectOpenReadOnly(link->uri);
	atomic_store(&link->dials, false);
	if (link->conn == NULL) {
		snprintf(what, sizeof(what), "cannot connect to '%s'",
			 link->uri != NULL ? link->uri : "the default");
		return connection_explain(job, what);
	}
	/* Drivers without a daemon need none, and say so. */
	virConnectSetKeepAlive(link->conn, KEEPALIVE_INTERVAL, KEEPALIVE_COUNT);
	return 0;
}

static int converse(struct link *link, struct connection_job *job)
{
	for (bool again = false;; again = true) {
		bool fresh = link->conn == NULL;
		int rc = fresh && job->only_open ? -EIO : dial(link, job);

		if (rc < 0)
			return rc;
		rc = job->run(job, link->conn, fresh);
		if (rc == 0 || virConnectIsAlive(link->conn) == 1)
			return rc;
		hang_up(link);
		if (fresh || again)
			return rc;
	}
}

static void call_free(struct call *call)
{
	pthread_mutex_destroy(&call->lock);
	free(call);
}

static mc_time thread_cpu(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * MC_SECOND + time.tv_nsec;
}

static int work(void *argument)
{
	struct call *call = *(struct call **)argument;
	mc_time begun = thread_cpu();
	int result = 0;
	bool left;

	if (call->job != NULL)
		result = converse(call->link, call->job);
	else
		hang_up(call->link);
	atomic_fetch_add(&call->link->cpu, thread_cpu() - begun);
	pthread_mutex_lock(&call->lock);
	left = call->state == CALL_LEFT;
	call->state = CALL_DONE;
	call->result = result;
	pthread_mutex_unlock(&call->lock);
	if (!left)
		return result;
	/* Its free() may have the link used again. */
	atomic_store(&call->link->busy, false);
	if (call->job != NULL)
		call->job->free(call->job);
	release(call->link);
	call_free(call);
	return result;
}

/* --- On the reader's thread ----------------------------------------------- */

struct link *connection_new(const char *uri, bool writes)
{
	struct link *link = mc_alloc_zero(sizeof(*link));

	link->uri = mc_alloc_copy(uri);
	link->writes = writes;
	atomic_init(&link->references, 1);
	atomic_init(&link->busy, false);
	atomic_init(&link->dials, false);
	atomic_init(&link->step, 0);
	return link;
}

/* Whether the call was done after all; else it is the helper's from now on. */
static bool leave(struct call *call)
{
	bool done;

	pthread_mutex_lock(&call->lock);
	done = call->state == CALL_DONE;
	if (!done) {
		call->state = CALL_LEFT;
		atomic_store(&call->link->busy, true);
		atomic_fetch_add(&call->link->references, 1);
	}
	pthread_mutex_unlock(&call->lock);
	return done;
}

int connection_call(struct mc_ctx *ctx, struct link *link, struct connection_job *job,
		    mc_time limit)
{
	struct call *call = mc_alloc_zero(sizeof(*call));
	struct call **argument = mc_alloc(sizeof(struct call *));
	int rc;

	pthread_mutex_init(&call->lock, NULL);
	call->link = link;
	call->job = job;
	*argument = call;
	atomic_store(&link->step, 0);
	memset(link->blamed, 0, sizeof(link->blamed));
	if (job != NULL)
		job->step = &link->step;
	rc = mc_timed_call(ctx, limit, work, argument);
	if (rc == -ETIMEDOUT) { /* The helper frees the argument. */
		if (!leave(call))
			return rc;
		rc = call->result;
	} else {
		free(argument);
		if (rc == -EAGAIN && job != NULL)
			snprintf(job->reason, sizeof(job->reason),
				 "too many calls to libvirt hang");
	}
	call_free(call);
	return rc;
}

void connection_free(struct mc_ctx *ctx, struct link *link)
{
	if (link == NULL)
		return;
	if (!connection_busy(link) && link->conn != NULL &&
	    connection_call(ctx, link, NULL, MC_SECOND) == -EAGAIN)
		hang_up(link);
	/* If it hangs now, the helper has a reference. */
	release(link);
}
