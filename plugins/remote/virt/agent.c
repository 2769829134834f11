/* SPDX-License-Identifier: MIT */
/* agent: which guest's agent is asked when, and what follows from the answer. */
#include "agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/quota.h>

#include "agent_ask.h"
#include "agent_put.h"
#include "chain.h"
#include "moving.h"
#include "virt.h"

/* The longest wait between two tries of an agent that does not answer. */
#define WAIT_MAX (3600 * MC_SECOND)

struct agents { /* The reader's. */
	struct agent_ask *asked;
	struct mc_once away;
	unsigned refusals; /* Connections, in a row. */
};

struct agents *agent_new(const char *uri)
{
	struct agents *self = mc_alloc_zero(sizeof(*self));

	self->asked = agent_ask_new(uri);
	return self;
}

void agent_free(struct agents *self)
{
	if (self == NULL)
		return;
	agent_ask_free(self->asked);
	free(self);
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
	guest->agent.known = false;
	guest->agent.next = 0;
}

/* --- Answers ------------------------------------------------------------------------ */

/* Once in an interval, though an agent that does not answer is asked less often, and one whose turn
 * has not come waits: a series that is silent is another fault. */
static void put_state(struct mc_batch *out, struct guest *guest, mc_time interval)
{
	mc_time now = mc_now();

	if (!guest->agent.known || now - guest->agent.shown < interval)
		return;
	guest->agent.shown =
		now - guest->agent.shown < 2 * interval ? guest->agent.shown + interval : now;
	guest->slow = interval;
	virt_put_gauge(out, guest, "virt_responsive", "agent", guest->agent.responsive);
}

/* A change is shown at once. */
static void take_state(struct mc_batch *out, struct guest *guest, bool responsive, mc_time interval)
{
	if (!guest->agent.known || guest->agent.responsive != responsive)
		guest->agent.shown = mc_now() - 2 * interval;
	guest->agent.known = true;
	guest->agent.responsive = responsive;
	put_state(out, guest, interval);
}

static void take_failure(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
			 const struct agent_question *question)
{
	const struct virt *self = ctx->self;
	struct guest_agent *agent = &guest->agent;
	mc_time wait = self->agent_interval;

	agent->slow = question->took >= AGENT_SLOW;
	agent->failures = agent->slow ? agent->failures + 1 : 0;
	for (unsigned i = 1; i <= agent->failures && wait < WAIT_MAX; i++)
		wait *= 2;
	agent->next = mc_now() + (wait < WAIT_MAX ? wait : WAIT_MAX);
	/* Many guests have the channel and no agent. */
	if (!agent->slow && !agent->answered && question->absent)
		return;
	take_state(out, guest, false, self->agent_interval);
	mc_complain(ctx, &agent->trouble, 0, "the agent of guest '%s': %s", guest->name,
		    question->reason);
}

static void take_answer(struct mc_ctx *ctx, struct mc_batch *out, struct guest *guest,
			const struct agent_question *question)
{
	const struct virt *self = ctx->self;
	struct guest_agent *agent = &guest->agent;

	agent->answered = true;
	agent->slow = false;
	agent->failures = 0;
	mc_works(ctx, &agent->trouble, "the agent of guest '%s' answers", guest->name);
	take_state(out, guest, true, self->agent_interval);
	agent_put_facts(ctx, out, guest, &question->facts);
	agent_put_labels(guest, &question->facts);
	chain_take_facts(ctx, guest, &question->facts);
}

/* Nobody is refused for libvirt being away, but by its rules. */
static void take_away(struct mc_ctx *ctx, const struct agent_question *question)
{
	struct virt *self = ctx->self;
	struct agents *agents = self->agents;

	if (self->away[0] != '\0' || ++agents->refusals < LINK_REFUSALS_MAX)
		return;
	mc_complain(ctx, &agents->away, 0, "agents of guests are not asked: %s", question->reason);
}

static void take_question(struct mc_ctx *ctx, struct mc_batch *out,
			  const struct agent_question *question)
{
	struct virt *self = ctx->self;
	struct guest *guest = guests_find(&self->guests, question->uuid);

	if (question->outcome == AGENT_AWAY)
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
	if (question->outcome == AGENT_FAILURE)
		take_failure(ctx, out, guest, question);
	else if (question->outcome == AGENT_ANSWER)
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

static struct agent_question *question_new(struct guest *guest, mc_time now)
{
	struct agent_question *question = mc_alloc_zero(sizeof(*question));

	memcpy(question->uuid, guest->uuid, sizeof(question->uuid));
	question->suspect = guest->agent.slow;
	agent_facts_init(&question->facts);
	guest->agent.asked = true;
	if (guest->agent.next == 0)
		guest->agent.next = now;
	return question;
}

/* Asks, in the order of their table, the guests whose time has come. */
static struct agent_question *due_questions(struct virt *self)
{
	struct agent_question *first = NULL, **last = &first;
	mc_time now = mc_now();

	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		if (is_due(at, now)) {
			*last = question_new(at, now);
			last = &(*last)->next;
		}
	return first;
}

void agent_report(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct virt *self = ctx->self;
	struct agent_question *done;

	if (self->agents == NULL)
		return;
	done = agent_ask_take(self->agents->asked);
	for (const struct agent_question *at = done; at != NULL; at = at->next)
		take_question(ctx, out, at);
	agent_ask_free_questions(done);
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		if (at->selected && at->xml.has_agent && at->state == VIR_DOMAIN_RUNNING) {
			put_state(out, at, self->agent_interval);
			at->slow = 0;
		}
	agent_ask_add(self->agents->asked, due_questions(self));
	agent_ask_begin(ctx, self->agents->asked);
}
