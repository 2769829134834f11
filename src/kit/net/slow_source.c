/* SPDX-License-Identifier: MIT */
/* A question runs as a timed call that nobody waits for; its end comes by an eventfd.  So the
 * core knows of it, and lets the code stay until it has ended. */
#include "kit/net/slow_source.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/kit/loop.h>
#include <collector/kit/once.h>
#include <collector/kit/timed_call.h>
#include <collector/kit/wait.h>
#include <collector/serve.h>

/* Of a source, until it hangs; then of the thread that asks. */
struct conversation {
	const struct slow_source_kind *kind;
	void *session;
	int ended; /* An eventfd: a question is over. */
	bool works;
	char why[SLOW_SOURCE_WHY];
	atomic_uint references; /* The source's, and that of a question. */
};

struct slow_source {
	const struct slow_source_target *target;
	struct mc_loop *loop;
	struct conversation *conversation; /* NULL: none. */
	bool asked;
	struct mc_every every;
	struct mc_loop_timer turn, late;
	struct mc_loop_file file; /* The conversation's 'ended'. */
	struct mc_quota *quota;
	struct mc_once trouble;
};

/* --- Conversations ----------------------------------------------------------- */

static struct conversation *conversation_new(const struct slow_source_target *target)
{
	struct conversation *conversation = mc_alloc_zero(sizeof(*conversation));

	conversation->kind = target->kind;
	conversation->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	conversation->session = target->kind->open(target->settings);
	atomic_store(&conversation->references, 1);
	return conversation;
}

static void conversation_release(struct conversation *conversation)
{
	if (atomic_fetch_sub(&conversation->references, 1) > 1)
		return;
	conversation->kind->close(conversation->session);
	close(conversation->ended);
	free(conversation);
}

/* A timed call. */
static int ask(void *argument)
{
	struct conversation *conversation = *(struct conversation **)argument;
	const eventfd_t one = 1;

	conversation->works = conversation->kind->ask(conversation->session, conversation->why);
	/* Not eventfd_write(3), which ThreadSanitizer does not see. */
	while (write(conversation->ended, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	conversation_release(conversation);
	return 0;
}

/* False: too many questions are under way. */
static bool conversation_ask(struct mc_ctx *ctx, struct conversation *conversation)
{
	struct conversation **argument = mc_alloc(sizeof(struct conversation *));
	int rc;

	*argument = conversation;
	atomic_fetch_add(&conversation->references, 1);
	rc = mc_timed_call(ctx, 0, ask, argument);
	if (rc == -ETIMEDOUT)
		return true; /* It goes on alone, and 'argument' is freed. */
	free(argument);
	if (rc == 0)
		return true;
	conversation_release(conversation);
	return false;
}

/* --- Sources ------------------------------------------------------------------ */

/* Leaves a conversation that may hang to its thread. */
static void leave(struct slow_source *source)
{
	mc_loop_unset_timer(source->loop, &source->late);
	mc_loop_forget(source->loop, &source->file);
	if (source->conversation != NULL)
		conversation_release(source->conversation);
	source->conversation = NULL;
	source->asked = false;
}

static void complain(struct slow_source *source, const char *why)
{
	mc_complain(source->loop->ctx, &source->trouble, 0, "'%s': %s", source->target->name, why);
}

static void on_ended(void *argument, uint32_t events)
{
	struct slow_source *source = argument;
	struct conversation *conversation = source->conversation;
	struct mc_batch *batch;
	eventfd_t count;

	(void)events;
	if (read(conversation->ended, &count, sizeof(count)) != sizeof(count))
		return;
	source->asked = false;
	mc_loop_unset_timer(source->loop, &source->late);
	batch = mc_begin(source->loop->ctx);
	mc_charge(batch, source->quota);
	source->target->kind->put(source->target->argument, conversation->session, batch);
	if (conversation->works)
		mc_works(source->loop->ctx, &source->trouble, "'%s' answers again",
			 source->target->name);
	else
		complain(source, conversation->why);
	mc_commit(batch);
}

static void on_late(void *argument)
{
	struct slow_source *source = argument;

	leave(source);
	complain(source, "no answer in time");
}

static bool converse(struct slow_source *source)
{
	if (source->conversation != NULL)
		return true;
	source->conversation = conversation_new(source->target);
	source->file = (struct mc_loop_file){
		.fd = source->conversation->ended,
		.ready = on_ended,
		.argument = source,
	};
	return source->file.fd >= 0 && mc_loop_watch(source->loop, &source->file, EPOLLIN) == 0;
}

static void on_turn(void *argument)
{
	struct slow_source *source = argument;
	mc_time limit = source->target->limit > 0 ? source->target->limit : source->every.period;

	mc_every_done(&source->every, source->loop->now);
	mc_loop_set_timer(source->loop, &source->turn, source->every.next);
	if (source->asked) {
		if (source->loop->now < source->late.due)
			return; /* With a limit longer than the interval. */
		on_late(source);
	}
	if (!converse(source)) {
		leave(source);
		complain(source, strerror(EMFILE));
		return;
	}
	if (!conversation_ask(source->loop->ctx, source->conversation)) {
		complain(source, "too many questions are under way");
		return;
	}
	source->asked = true;
	mc_loop_set_timer(source->loop, &source->late, source->loop->now + limit);
}

/* --- Life ---------------------------------------------------------------------- */

static void begin(struct slow_source *source, struct mc_loop *loop,
		  const struct slow_source_target *target)
{
	source->target = target;
	source->loop = loop;
	source->quota = mc_quota_new(loop->ctx, MC_QUOTA_SOURCE, target->name, target->limits);
	source->every.period = target->interval > 0 ? target->interval : loop->ctx->interval;
	source->turn.expired = on_turn;
	source->late.expired = on_late;
	source->turn.argument = source->late.argument = source;
	mc_loop_set_timer(loop, &source->turn, mc_now());
}

static void end(struct slow_source *source)
{
	leave(source);
	mc_loop_unset_timer(source->loop, &source->turn);
	mc_quota_free(source->quota);
}

int slow_source_run(struct mc_ctx *ctx, const struct slow_source_target *targets, size_t len)
{
	struct slow_source *sources = mc_alloc_array(len, sizeof(*sources));
	struct mc_loop loop = { .ctx = ctx };
	int rc = mc_loop_init(&loop);

	if (rc == 0) {
		for (size_t i = 0; i < len; i++)
			begin(&sources[i], &loop, &targets[i]);
		rc = mc_loop_run(&loop);
		for (size_t i = 0; i < len; i++)
			end(&sources[i]);
	}
	mc_loop_done(&loop);
	free(sources);
	return rc;
}
