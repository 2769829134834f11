/* SPDX-License-Identifier: MIT */
/* Instances join and leave while the engine runs.
 *
 * First the instance set is replaced: from then on batches go to those that join, whose writers
 * only keep them.  Then those that leave are stopped, as at the end of the engine, and what they
 * have not delivered goes to those that take their place, or is found by them in the journal.  Then
 * those that join are started, as at the start of the engine.  In between an address, a file, or a
 * cursor has no owner, so that the new one can take it.  If it does not start, the same is done
 * once more, with its fallback. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/change/engine_internal.h"
#include "engine/change/group.h"
#include "engine/change/instance.h"
#include "engine/change/judges.h"
#include "engine/check/check.h"
#include "engine/read/scheduler.h"
#include "engine/write/durable/durable.h"
#include "engine/write/durable/handover.h"
#include "engine/write/durable/journal_writer.h"
#include "engine/write/slot.h"
#include "engine/write/writer.h"

#define HOLD_LIMIT MC_SECOND /* Time for a wait for the journal's disk. */

struct instance *engine_prepare(struct engine *engine, const struct mc_plugin *plugin,
				const char *name)
{
	return instance_new(engine, plugin, name);
}

void engine_drop(struct instance *instance)
{
	instance_free(instance);
}

const struct mc_plugin *engine_plugin(const struct instance *instance)
{
	return instance->context.plugin;
}

bool engine_renew(struct instance *instance)
{
	int rc = 0;

	instance->engine->steps++;
	if (instance->started && instance->context.plugin->renew != NULL)
		rc = instance->context.plugin->renew(&instance->context.ctx);
	if (rc < 0)
		log_once_result(&instance->context.log_once, instance->context.ctx.name, rc);
	return rc == 0;
}

void engine_check(struct instance *instance, const struct check *check)
{
	assert(!instance->started);
	instance->engine->steps++;
	check_run(&instance->context, check);
}

bool engine_has_started(const struct instance *instance)
{
	return instance->started;
}

/* The one of that name among some instances, or NULL.  Names are kept once. */
static struct instance *find(struct instance *const *items, unsigned len,
			     const struct instance *like)
{
	for (unsigned i = 0; i < len; i++)
		if (items[i]->context.ctx.name == like->context.ctx.name)
			return items[i];
	return NULL;
}

static unsigned count_slots(struct instance *const *items, unsigned len)
{
	unsigned slots = 0;

	for (unsigned i = 0; i < len; i++)
		slots += engine_wants_slot(items[i]);
	return slots;
}

const char *engine_objection(struct engine *engine, const struct engine_change *change)
{
	unsigned free = count_slots(change->leaving, change->leaving_len);

	for (unsigned i = 0; i < engine->slots_len; i++)
		free += engine->slots[i] == NULL && i != engine->judges.slot;
	if (count_slots(change->joining, change->joining_len) > free)
		return "needs a restart: there is no room for that many more writers";
	if (!instance_set_is_quiescent(&engine->instances))
		return "has to wait: an answer to a client hangs";
	return NULL;
}

/* --- The instance set ---------------------------------------------------- */

/* Those that stay keep their places, and so do those that are replaced. */
static struct instance_set *next_set(struct engine *engine, const struct engine_change *change)
{
	struct instance_set *now = engine->instances.current, *next = instance_set_new(NULL);

	for (unsigned i = 0; i < now->instances_len; i++) {
		struct instance *instance = now->instances[i];

		if (find(change->leaving, change->leaving_len, instance))
			instance = find(change->joining, change->joining_len, instance);
		if (instance != NULL)
			instance_set_add(next, instance, instance->context.writer);
	}
	for (unsigned i = 0; i < change->joining_len; i++)
		if (!find(change->leaving, change->leaving_len, change->joining[i]))
			instance_set_add(next, change->joining[i],
					 change->joining[i]->context.writer);
	return next;
}

static void warn_unrecorded(const struct instance_set *instance_set)
{
	for (unsigned i = 0; i < instance_set->instances_len; i++) {
		struct instance *instance = instance_set->instances[i];

		if (instance->context.writer != NULL && instance->context.callbacks->durable &&
		    !durable_is(instance->context.writer))
			log_warn("%s: needs a restart to take from the journal",
				 instance->context.ctx.name);
	}
}

static void make_writers(const struct engine_change *change)
{
	for (unsigned i = 0; i < change->joining_len; i++) {
		struct instance *instance = change->joining[i];
		struct instance *before = find(change->leaving, change->leaving_len, instance);

		engine_make_writer(instance);
		if (instance->context.writer != NULL && before != NULL)
			handover_expect(instance->context.writer, before->context.writer);
	}
}

/* A journal that was not needed so far begins; one that is not needed any more
 * gets nothing, and waits. */
static void choose_journal_writer(struct engine *engine, struct instance_set *next,
				  const struct engine_change *change)
{
	bool first = engine->journal_writer == NULL;

	if (!engine_needs_journal_writer(engine, next))
		return;
	if (first)
		engine_open_journal_writer(engine);
	if (engine->journal_writer == NULL)
		return;
	next->journal_writer = engine->journal_writer;
	for (unsigned i = 0; i < change->joining_len; i++)
		if (change->joining[i]->context.writer != NULL)
			durable_prepare(change->joining[i]->context.writer);
	if (first)
		warn_unrecorded(next);
	if (first)
		journal_writer_start(engine->journal_writer);
}

/* --- Those that leave ------------------------------------------------- */

static void end_reads(struct engine *engine, const struct group *leaving, mc_time until)
{
	for (unsigned i = 0; i < leaving->len; i++) {
		struct instance *instance = leaving->items[i];

		if (instance->context.plugin->read == NULL || engine->scheduler == NULL ||
		    scheduler_remove(engine->scheduler, &instance->reading, until))
			continue;
		log_warn("%s: a read does not end, it is left behind", instance->context.ctx.name);
		instance->started = false;
		instance->abandoned = true;
	}
}

static void prepare_successors(const struct engine_change *change, mc_time until)
{
	for (unsigned i = 0; i < change->leaving_len; i++) {
		struct instance *instance = change->leaving[i];

		if (instance->context.writer != NULL &&
		    find(change->joining, change->joining_len, instance))
			handover_stop(instance->context.writer, until);
	}
}

static void forget_now(void *argument, void *pointer)
{
	slot_forget(argument, pointer);
}

/* Takes back what the series carry for a writer that has ended. */
static void clear_slot(struct engine *engine, struct instance *instance)
{
	unsigned slot = slot_of(instance->context.writer);
	struct mc_batch *batch;

	if (slot != SLOT_NONE) {
		batch = store_begin(engine->registry.store, engine_self(engine));
		slot_clear(engine->registry.store, batch, slot, forget_now,
			   instance->context.writer);
		store_release(engine->registry.store, batch);
		engine->slots[slot] = NULL;
	}
	slot_forget_rest(instance->context.writer);
}

/* Figures are since the start of the collector. */
static void add_figures(struct instance *successor, struct instance *before)
{
	successor->samples += before->samples;
	successor->refused += before->refused;
	successor->reading.reads = before->reading.reads;
	successor->reading.failures = before->reading.failures;
	successor->reading.skipped = before->reading.skipped;
	successor->reading.cpu = before->reading.cpu;
}

static void hand_over(struct engine *engine, const struct engine_change *change)
{
	for (unsigned i = 0; i < change->leaving_len; i++) {
		struct instance *instance = change->leaving[i];
		struct instance *successor = find(change->joining, change->joining_len, instance);

		if (successor != NULL)
			add_figures(successor, instance);
		if (instance->context.writer == NULL)
			continue;
		if (successor != NULL)
			handover_take_over(successor->context.writer, instance->context.writer);
		if (!instance->abandoned)
			clear_slot(engine, instance);
	}
}

static void push(struct instance **list, struct instance *instance)
{
	instance->next = *list;
	*list = instance;
}

/* Those that were stopped are freed when no batch of theirs is left, which may
 * take a dead writer's queue hours; the others never. */
static void put_aside(struct engine *engine, const struct group *leaving)
{
	struct mc_batch *batch = store_begin(engine->registry.store, engine_self(engine));

	for (unsigned i = 0; i < leaving->len; i++) {
		struct instance *instance = leaving->items[i];

		instance->left = batch->serial;
		if (!instance->abandoned)
			reading_done(&instance->reading);
		push(instance->abandoned ? &engine->left_behind : &engine->retiring, instance);
	}
	store_release(engine->registry.store, batch);
}

/* --- Cursors ---------------------------------------------------------- */

/* Whether the place in the journal of an instance that joins is still in the
 * hands of one that could not be stopped. */
static bool is_taken(const struct instance *instance)
{
	const struct instance *one = instance->engine->left_behind;

	while (one != NULL && one->context.ctx.name != instance->context.ctx.name)
		one = one->next;
	return one != NULL;
}

/* A successor keeps the cursors. */
static void exchange(struct journal_writer *journal_writer, const struct engine_change *change)
{
	for (unsigned i = 0; i < change->leaving_len; i++) {
		struct instance *instance = change->leaving[i];

		if (instance->context.writer != NULL && !instance->abandoned &&
		    durable_is(instance->context.writer) &&
		    !find(change->joining, change->joining_len, instance))
			durable_detach(instance->context.writer);
	}
	for (unsigned i = 0; i < change->joining_len; i++) {
		struct instance *instance = change->joining[i];

		if (instance->context.writer != NULL && durable_is(instance->context.writer) &&
		    !is_taken(instance))
			journal_writer_attach(journal_writer, instance->context.writer);
	}
}

/* Whether a leaving instance signs its batches: its successor asks for the ids in the journal, so
 * all must be there. */
static bool has_signer(const struct group *leaving)
{
	for (unsigned i = 0; i < leaving->len; i++)
		if (leaving->items[i]->context.plugin->wants_journal &&
		    leaving->items[i]->context.plugin->run != NULL)
			return true;
	return false;
}

/* Returns false if there is no journal, or its disk hangs. */
static bool move_cursors(struct engine *engine, const struct engine_change *change,
			 const struct group *leaving)
{
	struct journal_writer *journal_writer = engine->journal_writer;
	mc_time until = thread_time() + HOLD_LIMIT;

	if (journal_writer == NULL)
		return false;
	if (has_signer(leaving))
		journal_writer_drain(journal_writer, until);
	if (!journal_writer_hold(journal_writer, until))
		return false;
	exchange(journal_writer, change);
	journal_writer_go_on(journal_writer);
	return true;
}

/* --- Those that join -------------------------------------------------- */

/* Those that can be started, the array to be freed.  A writer needs a slot, and
 * a place in the journal if its batches come from there. */
static struct group choose(const struct engine_change *change, bool placed)
{
	struct group able = { 0 };

	able.items = alloc_array(change->joining_len, sizeof(*able.items));
	for (unsigned i = 0; i < change->joining_len; i++) {
		struct instance *instance = change->joining[i];
		bool durable =
			instance->context.writer != NULL && durable_is(instance->context.writer);

		if ((durable && (!placed || is_taken(instance))) || !engine_take_slot(instance)) {
			log_error("%s: not started, it needs a restart: the "
				  "one before does not end",
				  instance->context.ctx.name);
			writer_subscribe(instance->context.writer, false);
			instance->has_fallback = false;
			continue;
		}
		able.items[able.len++] = instance;
	}
	return able;
}

/* Cursors in the journal that a writer had, and its started successor does not have. */
static void leave_places(const struct engine_change *change)
{
	for (unsigned i = 0; i < change->leaving_len; i++) {
		struct instance *instance = change->leaving[i];
		struct instance *successor = find(change->joining, change->joining_len, instance);

		if (instance->context.writer != NULL && !instance->abandoned &&
		    durable_is(instance->context.writer) && successor != NULL && successor->started)
			durable_leave(instance->context.writer, successor->context.writer);
	}
}

static void begin_reads(struct engine *engine, const struct group *joining,
			const struct engine_change *change)
{
	for (unsigned i = 0; i < joining->len; i++) {
		struct instance *instance = joining->items[i];
		bool replaces = find(change->leaving, change->leaving_len, instance) != NULL;

		if (instance->started && instance->context.plugin->read != NULL &&
		    engine->scheduler != NULL)
			scheduler_add(engine->scheduler, &instance->reading, !replaces);
	}
}

/* --- All of it -------------------------------------------------------- */

void engine_tidy(struct engine *engine)
{
	struct instance **at = &engine->retiring;

	while (*at != NULL) {
		struct instance *instance = *at;

		if (store_remembers(engine->registry.store, instance->left)) {
			at = &instance->next;
			continue;
		}
		*at = instance->next;
		instance_free(instance);
	}
}

static bool has_judge(const struct group *group)
{
	for (unsigned i = 0; i < group->len; i++)
		if (group->items[i]->context.plugin->judge != NULL)
			return true;
	return false;
}

static unsigned replace(struct engine *engine, const struct engine_change *change, mc_time limit)
{
	struct group leaving = { .items = change->leaving, .len = change->leaving_len };
	struct group able;
	mc_time now = thread_time();
	struct instance_set *next;
	bool settled, placed;
	unsigned failed;

	make_writers(change);
	next = next_set(engine, change);
	judges_find(next);
	choose_journal_writer(engine, next, change);
	settled = instance_set_publish(&engine->instances, next, now + limit / 10);
	for (unsigned i = 0; i < leaving.len && !settled; i++)
		leaving.items[i]->abandoned = true;
	for (unsigned i = 0; i < leaving.len; i++)
		leaving.items[i]->leaving = true;
	end_reads(engine, &leaving, now + limit / 4);
	prepare_successors(change, now + 7 * limit / 10);
	group_stop(&leaving, NULL, now, limit);
	put_aside(engine, &leaving);
	placed = move_cursors(engine, change, &leaving);
	hand_over(engine, change);
	able = choose(change, placed);
	failed = change->joining_len - able.len + group_start(&able);
	leave_places(change);
	if (has_judge(&leaving) || has_judge(&able))
		judges_renew(engine, has_judge(&leaving));
	begin_reads(engine, &able, change);
	free(able.items);
	return failed;
}

/* --- Those that do not start ------------------------------------------ */

static bool works(const struct instance *instance)
{
	return instance->started &&
	       (instance->context.plugin->run == NULL || instance->stop_fd >= 0);
}

/* Those that need their fallback leave again, and that joins; the arrays to be freed. */
static struct engine_change back(const struct engine_change *change)
{
	struct engine_change back = {
		.leaving = alloc_array(change->joining_len, sizeof(*back.leaving)),
		.joining = alloc_array(change->joining_len, sizeof(*back.joining)),
	};

	for (unsigned i = 0; i < change->joining_len; i++) {
		struct instance *instance = change->joining[i];

		if (!instance->has_fallback || works(instance))
			continue;
		back.leaving[back.leaving_len++] = instance;
		back.joining[back.joining_len++] = change->fallback[i];
	}
	return back;
}

static void take_fallback(const struct engine_change *change, const struct instance *instance)
{
	unsigned i = 0;

	while (change->fallback[i] != instance)
		i++;
	change->joining[i] = change->fallback[i];
	change->fallback[i] = NULL;
	if (works(instance))
		log_warn("%s: goes on with its old settings", instance->context.ctx.name);
}

static void fall_back(struct engine *engine, const struct engine_change *change, mc_time limit)
{
	struct engine_change again = back(change);
	const char *objection = engine_objection(engine, &again);

	if (again.joining_len > 0 && objection == NULL)
		replace(engine, &again, limit);
	for (unsigned i = 0; i < again.joining_len; i++) {
		if (objection == NULL) {
			take_fallback(change, again.joining[i]);
			continue;
		}
		log_error("%s: its old settings cannot be taken back: that %s",
			  again.leaving[i]->context.ctx.name, objection);
		if (!again.leaving[i]->started)
			group_give_up(again.leaving[i]);
	}
	free(again.leaving);
	free(again.joining);
}

unsigned engine_change(struct engine *engine, const struct engine_change *change, mc_time limit)
{
	unsigned failed;

	engine_tidy(engine);
	for (unsigned i = 0; i < change->joining_len; i++)
		change->joining[i]->has_fallback =
			change->fallback != NULL && change->fallback[i] != NULL &&
			find(change->leaving, change->leaving_len, change->joining[i]) != NULL;
	failed = replace(engine, change, limit);
	fall_back(engine, change, limit);
	return failed;
}
