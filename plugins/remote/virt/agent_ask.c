/* SPDX-License-Identifier: MIT */
/* agent_ask: libvirt gives up an agent that does not take part after five seconds, but waits for
 * ever for one that takes a command and does not answer it, as it does if a file system of the
 * guest hangs.  virDomainAgentSetResponseTimeout() bounds that, for all that libvirt asks this
 * agent; so it is set for the time of our call alone: a freeze for a backup may take longer. */
#include "agent_ask.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libvirt/virterror.h>

#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>
#include <collector/kit/timed_call.h>

/* A call that has taken longer is not waited for: others are asked by another thread. */
#define HUNG (60 * MC_SECOND)

#define WORKERS_MAX (AGENT_CALLS_MAX + AGENT_HUNG_MAX)

struct worker {
	bool runs, suspect;
	mc_time since; /* When its question was asked. */
};

struct agent_ask { /* The reader's, and that of threads that ask. */
	atomic_uint references;
	char *uri;

	pthread_mutex_t lock;
	bool stopping MC_GUARDED_BY(lock);
	struct agent_question *waiting MC_GUARDED_BY(lock); /* The first was asked first. */
	struct agent_question *done MC_GUARDED_BY(lock);
	struct worker workers[WORKERS_MAX] MC_GUARDED_BY(lock);
};

struct task { /* Of a thread. */
	struct agent_ask *asked;
	size_t worker; /* Index. */
};

void agent_ask_free_questions(struct agent_question *first)
{
	while (first != NULL) {
		struct agent_question *next = first->next;

		agent_facts_free(&first->facts);
		free(first);
		first = next;
	}
}

static void release(struct agent_ask *self) MC_NO_LOCK
{
	if (atomic_fetch_sub(&self->references, 1) != 1)
		return;
	agent_ask_free_questions(self->waiting);
	agent_ask_free_questions(self->done);
	pthread_mutex_destroy(&self->lock);
	free(self->uri);
	free(self);
}

/* --- Threads that ask --------------------------------------------------------- */

static void explain(struct agent_question *question, const char *what)
{
	virErrorPtr error = virGetLastError();
	const char *why = error != NULL && error->message != NULL ? error->message : "no reason";

	snprintf(question->reason, sizeof(question->reason), "%s%s", what, why);
	question->absent = error != NULL && (error->code == VIR_ERR_AGENT_UNRESPONSIVE ||
					     error->code == VIR_ERR_ARGUMENT_UNSUPPORTED);
}

static bool take(struct agent_question *question, virDomainPtr domain, unsigned types)
{
	virTypedParameterPtr params = NULL;
	int len = 0;

	if (virDomainGetGuestInfo(domain, types, &params, &len, 0) < 0)
		return false;
	agent_facts_take(&question->facts, params, (size_t)len);
	virTypedParamsFree(params, len);
	return true;
}

/* libvirt gives no answer of more than 2,048 parameters: then parts of it are asked for. */
static bool take_parts(struct agent_question *question, virDomainPtr domain)
{
	static const unsigned parts[] = {
		VIR_DOMAIN_GUEST_INFO_HOSTNAME,   VIR_DOMAIN_GUEST_INFO_OS,
		VIR_DOMAIN_GUEST_INFO_USERS,      VIR_DOMAIN_GUEST_INFO_INTERFACES,
		VIR_DOMAIN_GUEST_INFO_FILESYSTEM,
	};
	bool some = false;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		mc_time begun = mc_now();

		some |= take(question, domain, parts[i]);
		if (mc_now() - begun >= AGENT_SLOW)
			break;
	}
	return some;
}

static void ask_domain(struct agent_question *question, virDomainPtr domain)
{
	mc_time begun = mc_now();
	bool answered;

	virDomainAgentSetResponseTimeout(domain, AGENT_TIMEOUT, 0);
	answered = take(question, domain, 0);
	question->took = mc_now() - begun;
	if (!answered) {
		explain(question, "");
		answered = !question->absent && question->took < AGENT_SLOW &&
			   take_parts(question, domain);
	}
	virDomainAgentSetResponseTimeout(domain, VIR_DOMAIN_AGENT_RESPONSE_TIMEOUT_BLOCK, 0);
	question->outcome = answered ? AGENT_ANSWER : AGENT_FAILURE;
	agent_facts_end(&question->facts);
}

static void ask(struct agent_question *question, virConnectPtr conn)
{
	virDomainPtr domain = virDomainLookupByUUID(conn, question->uuid);

	question->outcome = virConnectIsAlive(conn) == 1 ? AGENT_GONE : AGENT_AWAY;
	if (domain == NULL) {
		explain(question, "");
		return;
	}
	ask_domain(question, domain);
	if (question->outcome == AGENT_FAILURE && virConnectIsAlive(conn) != 1)
		question->outcome = AGENT_AWAY;
	virDomainFree(domain);
}

/* Whether another thread waits for one that did not answer the last time. */
static bool has_suspect(const struct agent_ask *self) MC_REQUIRES(self->lock)
{
	for (size_t i = 0; i < WORKERS_MAX; i++)
		if (self->workers[i].runs && self->workers[i].suspect &&
		    mc_now() - self->workers[i].since < HUNG)
			return true;
	return false;
}

/* NULL: nothing is left for this thread, which then ends. */
static struct agent_question *next_question(const struct task *task)
{
	struct agent_ask *self = task->asked;
	struct agent_question **at = &self->waiting, *found;
	struct worker *worker;
	bool suspects;

	pthread_mutex_lock(&self->lock);
	worker = &self->workers[task->worker];
	worker->suspect = false;
	suspects = !has_suspect(self);
	while (*at != NULL && (*at)->suspect && !suspects)
		at = &(*at)->next;
	found = self->stopping ? NULL : *at;
	if (found != NULL) {
		*at = found->next;
		worker->suspect = found->suspect;
		worker->since = mc_now();
	} else {
		worker->runs = false;
	}
	pthread_mutex_unlock(&self->lock);
	return found;
}

static void give(struct agent_ask *self, struct agent_question *question)
{
	pthread_mutex_lock(&self->lock);
	question->next = self->done;
	self->done = question;
	pthread_mutex_unlock(&self->lock);
}

static int work(void *argument)
{
	const struct task task = *(const struct task *)argument;
	virConnectPtr conn = NULL;
	struct agent_question *question;

	while ((question = next_question(&task)) != NULL) {
		if (conn == NULL)
			conn = virConnectOpen(task.asked->uri);
		if (conn != NULL) {
			ask(question, conn);
		} else {
			question->outcome = AGENT_AWAY;
			explain(question, "no read-write connection: ");
		}
		if (conn != NULL && question->outcome == AGENT_AWAY) {
			virConnectClose(conn);
			conn = NULL;
		}
		give(task.asked, question);
	}
	if (conn != NULL)
		virConnectClose(conn);
	release(task.asked);
	return 0;
}

/* --- Life ------------------------------------------------------------------------ */

struct agent_ask *agent_ask_new(const char *uri)
{
	struct agent_ask *self = mc_alloc_zero(sizeof(*self));

	atomic_init(&self->references, 1);
	self->uri = mc_alloc_copy(uri);
	pthread_mutex_init(&self->lock, NULL);
	return self;
}

void agent_ask_free(struct agent_ask *self)
{
	pthread_mutex_lock(&self->lock);
	self->stopping = true;
	pthread_mutex_unlock(&self->lock);
	release(self);
}

/* --- The reader's side ------------------------------------------------------------ */

static void begin(struct mc_ctx *ctx, struct agent_ask *self, size_t worker)
{
	struct task *task = mc_alloc(sizeof(*task));
	int rc;

	*task = (struct task){ self, worker };
	atomic_fetch_add(&self->references, 1);
	rc = mc_timed_call(ctx, 0, work, task);
	if (rc == -ETIMEDOUT) /* It goes on, and 'task' is freed. */
		return;
	free(task);
	if (rc != -EAGAIN)
		return;
	pthread_mutex_lock(&self->lock); /* The next read tries again. */
	self->workers[worker].runs = false;
	pthread_mutex_unlock(&self->lock);
	release(self);
}

/* A thread that may be begun, which is noted; WORKERS_MAX: none. */
static size_t free_worker(struct agent_ask *self)
{
	size_t found = WORKERS_MAX, busy = 0;

	pthread_mutex_lock(&self->lock);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		if (!self->workers[i].runs)
			found = i;
		else
			busy += mc_now() - self->workers[i].since < HUNG;
	if (self->waiting == NULL || busy >= AGENT_CALLS_MAX)
		found = WORKERS_MAX;
	if (found < WORKERS_MAX)
		self->workers[found] = (struct worker){ .runs = true, .since = mc_now() };
	pthread_mutex_unlock(&self->lock);
	return found;
}

void agent_ask_add(struct agent_ask *self, struct agent_question *added)
{
	struct agent_question **last;

	pthread_mutex_lock(&self->lock);
	for (last = &self->waiting; *last != NULL;)
		last = &(*last)->next;
	*last = added;
	pthread_mutex_unlock(&self->lock);
}

struct agent_question *agent_ask_take(struct agent_ask *self)
{
	struct agent_question *done;

	pthread_mutex_lock(&self->lock);
	done = self->done;
	self->done = NULL;
	pthread_mutex_unlock(&self->lock);
	return done;
}

void agent_ask_begin(struct mc_ctx *ctx, struct agent_ask *self)
{
	size_t worker;

	for (size_t i = 0; i < AGENT_CALLS_MAX && (worker = free_worker(self)) < WORKERS_MAX; i++)
		begin(ctx, self, worker);
}
