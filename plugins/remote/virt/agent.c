/* SPDX-License-Identifier: MIT */
/* agent: libvirt gives up an agent that does not take part after five seconds, but waits for ever
 * for one that takes a command and does not answer it, as it does if a file system of the guest
 * hangs.  virDomainAgentSetResponseTimeout() bounds that, for all that libvirt asks this agent; so
 * it is set for the time of our call alone: a freeze for a backup may take longer. */
#include "agent.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>

#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>
#include <collector/kit/timed_call.h>
#include <collector/metadata.h>
#include <collector/quota.h>

#include "agent_facts.h"
#include "moving.h"
#include "virt.h"

/* An agent that has failed after this long is slow. */
#define SLOW MC_SECOND

/* A call that has taken longer is not waited for: others are asked by another thread. */
#define HUNG (60 * MC_SECOND)

/* The longest wait between two tries of an agent that does not answer. */
#define WAIT_MAX (3600 * MC_SECOND)

#define WORKERS_MAX (AGENT_CALLS_MAX + AGENT_HUNG_MAX)

#define REASON_SIZE 256

enum outcome {
	OUTCOME_ANSWER,
	OUTCOME_FAILURE, /* Of this guest. */
	OUTCOME_GONE,    /* There is no such guest any more. */
	OUTCOME_AWAY,    /* There is no connection. */
};

struct question {
	struct question *next;
	unsigned char uuid[VIR_UUID_BUFLEN];
	bool suspect; /* It did not answer the last time. */
	enum outcome outcome;
	bool absent; /* No agent is connected. */
	mc_time took;
	char reason[REASON_SIZE];
	struct agent_facts facts;
};

struct worker {
	bool runs, suspect;
	mc_time since; /* When its question was asked. */
};

struct agents { /* The reader's, and that of threads that ask. */
	atomic_uint references;
	char *uri;
	struct mc_once away; /* The reader's. */
	unsigned refusals;   /* The same: connections, in a row. */

	pthread_mutex_t lock;
	bool stopping MC_GUARDED_BY(lock);
	struct question *waiting MC_GUARDED_BY(lock); /* The first was asked first. */
	struct question *done MC_GUARDED_BY(lock);
	struct worker workers[WORKERS_MAX] MC_GUARDED_BY(lock);
};

struct task { /* Of a thread. */
	struct agents *agents;
	size_t worker; /* Index. */
};

static void free_questions(struct question *first)
{
	while (first != NULL) {
		struct question *next = first->next;

		agent_facts_free(&first->facts);
		free(first);
		first = next;
	}
}

static void release(struct agents *self) MC_NO_LOCK
{
	if (atomic_fetch_sub(&self->references, 1) != 1)
		return;
	free_questions(self->waiting);
	free_questions(self->done);
	pthread_mutex_destroy(&self->lock);
	free(self->uri);
	free(self);
}

/* --- Threads that ask --------------------------------------------------------- */

static void explain(struct question *question, const char *what)
{
	virErrorPtr error = virGetLastError();
	const char *why = error != NULL && error->message != NULL ? error->message : "no reason";

	snprintf(question->reason, sizeof(question->reason), "%s%s", what, why);
	question->absent = error != NULL && (error->code == VIR_ERR_AGENT_UNRESPONSIVE ||
					     error->code == VIR_ERR_ARGUMENT_UNSUPPORTED);
}

static bool take(struct question *question, virDomainPtr domain, unsigned types)
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
static bool take_parts(struct question *question, virDomainPtr domain)
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
		if (mc_now() - begun >= SLOW)
			break;
	}
	return some;
}

static void ask_domain(struct question *question, virDomainPtr domain)
{
	mc_time begun = mc_now();
	bool answered;

	virDomainAgentSetResponseTimeout(domain, AGENT_TIMEOUT, 0);
	answered = take(question, domain, 0);
	question->took = mc_now() - begun;
	if (!answered) {
		explain(question, "");
		answered =
			!question->absent && question->took < SLOW && take_parts(question, domain);
	}
	virDomainAgentSetResponseTimeout(domain, VIR_DOMAIN_AGENT_RESPONSE_TIMEOUT_BLOCK, 0);
	question->outcome = answered ? OUTCOME_ANSWER : OUTCOME_FAILURE;
	agent_facts_end(&question->facts);
}

static void ask(struct question *question, virConnectPtr conn)
{
	virDomainPtr domain = virDomainLookupByUUID(conn, question->uuid);

	question->outcome = virConnectIsAlive(conn) == 1 ? OUTCOME_GONE : OUTCOME_AWAY;
	if (domain == NULL) {
		explain(question, "");
		return;
	}
	ask_domain(question, domain);
	if (question->outcome == OUTCOME_FAILURE && virConnectIsAlive(conn) != 1)
		question->outcome = OUTCOME_AWAY;
	virDomainFree(domain);
}

/* Whether another thread waits for one that did not answer the last time. */
static bool has_suspect(const struct agents *self) MC_REQUIRES(self->lock)
{
	for (size_t i = 0; i < WORKERS_MAX; i++)
		if (self->workers[i].runs && self->workers[i].suspect &&
		    mc_now() - self->workers[i].since < HUNG)
			return true;
	return false;
}

/* NULL: nothing is left for this thread, which then ends. */
static struct question *next_question(const struct task *task)
{
	struct agents *self = task->agents;
	struct question **at = &self->waiting, *found;
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

static void give(struct agents *self, struct question *question)
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
	struct question *question;

	while ((question = next_question(&task)) != NULL) {
		if (conn == NULL)
			conn = virConnectOpen(task.agents->uri);
		if (conn != NULL) {
			ask(question, conn);
		} else {
			question->outcome = OUTCOME_AWAY;
			explain(question, "no read-write connection: ");
		}
		if (conn != NULL && question->outcome == OUTCOME_AWAY) {
			virConnectClose(conn);
			conn = NULL;
		}
		give(task.agents, question);
	}
	if (conn != NULL)
		virConnectClose(conn);
	release(task.agents);
	return 0;
}

/* --- Life ------------------------------------------------------------------------ */

struct agents *agent_new(const char *uri)
{
	struct agents *self = mc_alloc_zero(sizeof(*self));

	atomic_init(&self->references, 1);
	self->uri = mc_alloc_copy(uri);
	pthread_mutex_init(&self->lock, NULL);
	return self;
}

void agent_free(struct agents *self)
{
	if (self == NULL)
		return;
	pthread_mutex_lock(&self->lock);
	self->stopping = true;
	pthread_mutex_unlock(&self->lock);
	release(self);
}

void agent_forget(struct guest *guest)
{
	mc_quota_free(guest->agent.quota);
	free(guest->agent.labels);
	guest->agent.quota = NULL;
	guest->agent.labels = NULL;
}

void agent_begins(struct guest *guest)
{
	guest->agent.failures = 0;
	guest->agent.slow = false;
	guest->agent.next = 0;
}

/* --- Answers as series ------------------------------------------------------------- */

static struct mc_series *put(struct mc_batch *out, const struct guest *guest, const char *type,
			     const char *instance, double value)
{
	struct mc_series *series =
		mc_series(out, MC_ID(.host = guest->host, .plugin_instance = guest->instance,
				     .type = type, .type_instance = instance));

	mc_put_at(out, series, (struct mc_stamp){ mc_wall(), guest->slow },
		  &(union mc_value){ .gauge = value }, 1);
	return series;
}

struct part { /* Of a file system. */
	const char *type, *name;
	double value;
};

static void put_part(struct mc_batch *out, const struct guest *guest,
		     const struct agent_file_system *at, const struct part *part)
{
	const struct mc_attribute attributes[] = {
		{ "device", at->device },
		{ "mountpoint", at->point },
		{ "fstype", at->type },
	};
	char instance[AGENT_NAME_SIZE + 8];

	snprintf(instance, sizeof(instance), "%s-%s", at->name, part->name);
	mc_set_metadata(out, put(out, guest, part->type, instance, part->value), 0,
			&(struct mc_metadata){
				.warning = { NAN, NAN },
				.failure = { NAN, NAN },
				.attributes = attributes,
				.attributes_len = sizeof(attributes) / sizeof(attributes[0]),
			});
}

static void put_facts(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
		      const struct agent_facts *facts)
{
	static const struct mc_quota_limits limits = { .series = 1024, .new_series = 256 };
	char name[NAMES_SIZE + 32];

	if (guest->agent.quota == NULL) {
		snprintf(name, sizeof(name), "agent of guest %s", guest->name);
		guest->agent.quota = mc_quota_new(ctx, MC_QUOTA_SOURCE, name, &limits);
	}
	mc_charge(out, guest->agent.quota);
	for (size_t i = 0; i < facts->file_systems_len; i++) {
		const struct agent_file_system *at = &facts->file_systems[i];
		double used = (double)at->used, total = (double)at->total;

		const struct part parts[] = {
			{ "df_complex", "free", total - used },
			{ "df_complex", "used", used },
			{ "percent_bytes", "used", 100 * used / total },
		};

		for (size_t k = 0; k < (at->image ? 2 : 3); k++) /* An image does not fill. */
			put_part(out, guest, at, &parts[k]);
	}
	if (facts->has_users)
		put(out, guest, "users", "", facts->users);
	if (!isnan(facts->load[0]))
		mc_put_at(out,
			  mc_series(out, MC_ID(.host = guest->host,
					       .plugin_instance = guest->instance, .type = "load")),
			  (struct mc_stamp){ mc_wall(), guest->slow },
			  (union mc_value[3]){ { .gauge = facts->load[0] },
					       { .gauge = facts->load[1] },
					       { .gauge = facts->load[2] } },
			  3);
	mc_charge(out, NULL);
	if (facts->left_out > 0)
		mc_complain(ctx, &guest->agent.left_out, 0,
			    "guest '%s' has %zu file systems that are left out: more than %d, or "
			    "of equal names",
			    guest->name, facts->left_out, AGENT_FILE_SYSTEMS_MAX);
}

/* Labels are set with the next description of the guest. */
static void keep_labels(struct guest *guest, const struct agent_facts *facts)
{
	struct agent_labels labels;

	memset(&labels, 0, sizeof(labels)); /* Also between texts, which are compared. */
	snprintf(labels.os, sizeof(labels.os), "%s", facts->os);
	snprintf(labels.kernel, sizeof(labels.kernel), "%s", facts->kernel);
	snprintf(labels.hostname, sizeof(labels.hostname), "%s", facts->hostname);
	snprintf(labels.addresses, sizeof(labels.addresses), "%s", facts->addresses);
	if (guest->agent.labels == NULL)
		guest->agent.labels = mc_alloc_zero(sizeof(labels));
	if (memcmp(guest->agent.labels, &labels, sizeof(labels)) == 0)
		return;
	*guest->agent.labels = labels;
	guest->described = false;
}

static void take_failure(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
			 const struct question *question)
{
	const struct virt *self = ctx->self;
	struct guest_agent *agent = &guest->agent;
	mc_time wait = self->agent_interval;

	agent->slow = question->took >= SLOW;
	agent->failures = agent->slow ? agent->failures + 1 : 0;
	for (unsigned i = 1; i <= agent->failures && wait < WAIT_MAX; i++)
		wait *= 2;
	agent->next = mc_now() + (wait < WAIT_MAX ? wait : WAIT_MAX);
	/* Many guests have the channel and no agent. */
	if (!agent->slow && !agent->answered && question->absent)
		return;
	put(out, guest, "virt_responsive", "agent", 0);
	mc_complain(ctx, &agent->trouble, 0, "the agent of guest '%s': %s", guest->name,
		    question->reason);
}

static void take_answer(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
			const struct question *question)
{
	struct guest_agent *agent = &guest->agent;

	agent->answered = true;
	agent->slow = false;
	agent->failures = 0;
	mc_works(ctx, &agent->trouble, "the agent of guest '%s' answers", guest->name);
	put(out, guest, "virt_responsive", "agent", 1);
	put_facts(ctx, out, guest, &question->facts);
	keep_labels(guest, &question->facts);
}

/* Nobody is refused for libvirt being away, but by its rules. */
static void take_away(struct mc_ctx *ctx, const struct question *question)
{
	struct virt *self = ctx->self;
	struct agents *agents = self->agents;

	if (self->away[0] != '\0' || ++agents->refusals < LINK_REFUSALS_MAX)
		return;
	mc_complain(ctx, &agents->away, 0, "agents of guests are not asked: %s", question->reason);
}

static void take_question(struct mc_ctx *ctx, struct mc_batch *out, const struct question *question)
{
	struct virt *self = ctx->self;
	struct guest *guest = guests_find(&self->guests, question->uuid);

	if (question->outcome == OUTCOME_AWAY)
		take_away(ctx, question);
	else
		self->agents->refusals = 0;
	if (guest == NULL)
		return;
	guest->agent.asked = false;
	guest->agent.next += self->agent_interval;
	if (guest->agent.next <= mc_now())
		guest->agent.next = mc_now() + self->agent_interval;
	guest->slow = self->agent_interval;
	if (question->outcome == OUTCOME_FAILURE)
		take_failure(ctx, out, guest, question);
	else if (question->outcome == OUTCOME_ANSWER)
		take_answer(ctx, out, guest, question);
	guest->slow = 0;
}

/* --- Choice of guests ----------------------------------------------------------------- */

static bool is_due(struct guest *guest, mc_time now)
{
	return guest->selected && guest->described && guest->xml.has_agent &&
	       guest->state == VIR_DOMAIN_RUNNING && !guest->agent.asked &&
	       guest->agent.next <= now && !guest->stuck && !moving_lasts(guest, now);
}

static struct question *question_new(struct guest *guest, mc_time now)
{
	struct question *question = mc_alloc_zero(sizeof(*question));

	memcpy(question->uuid, guest->uuid, sizeof(question->uuid));
	question->suspect = guest->agent.slow;
	agent_facts_init(&question->facts);
	guest->agent.asked = true;
	if (guest->agent.next == 0)
		guest->agent.next = now;
	return question;
}

static void begin(struct mc_ctx *ctx, struct agents *self, size_t worker)
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
static size_t free_worker(struct agents *self)
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

static void add(struct agents *self, struct question *added)
{
	struct question **last;

	pthread_mutex_lock(&self->lock);
	for (last = &self->waiting; *last != NULL;)
		last = &(*last)->next;
	*last = added;
	pthread_mutex_unlock(&self->lock);
}

static struct question *take_done(struct agents *self)
{
	struct question *done;

	pthread_mutex_lock(&self->lock);
	done = self->done;
	self->done = NULL;
	pthread_mutex_unlock(&self->lock);
	return done;
}

void agent_report(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct virt *self = ctx->self;
	struct question *done, *added = NULL, **last = &added;
	mc_time now = mc_now();
	size_t worker;

	if (self->agents == NULL)
		return;
	done = take_done(self->agents);
	for (const struct question *at = done; at != NULL; at = at->next)
		take_question(ctx, out, at);
	free_questions(done);
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		if (is_due(at, now)) {
			*last = question_new(at, now);
			last = &(*last)->next;
		}
	add(self->agents, added);
	for (size_t i = 0;
	     i < AGENT_CALLS_MAX && (worker = free_worker(self->agents)) < WORKERS_MAX; i++)
		begin(ctx, self->agents, worker);
}
