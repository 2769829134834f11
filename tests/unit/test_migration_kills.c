/* SPDX-License-Identifier: MIT */
/* A guest moves among hosts, each of which has a journal of what it has sampled and a link that may
 * be cut; the collector is killed at any moment, also in the middle of a batch, and reads again
 * what was on disk then.  Whatever the order, the counter ends as what the guest has written.
 * SEED=10000 RUNS=40000 in the environment: as many histories, from that one on. */
#include "counters.h"
#include "migration_fixture.h"
#include "record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOSTS 3
#define PROCESSES MOVES_GENERATIONS /* More are not known at once. */
#define QUEUE 512
#define STEPS 120
#define SLOTS 64
#define BATCH 4
#define WAIT (10 * MC_SECOND)

struct process {
	char stream[64];
	unsigned host;
	int64_t counted;
};

struct queued {
	unsigned process;
	int64_t raw;
	mc_time time;
};

struct host {
	bool up;
	struct queued samples[QUEUE]; /* Without a reply so far. */
	unsigned len;
};

struct world {
	unsigned random;
	bool waits_long, calm;
	mc_time skew; /* Of the clocks of neighbours. */
	mc_time now;
	struct process processes[PROCESSES];
	unsigned len; /* The last one is where the guest is. */
	struct host hosts[HOSTS];
	int64_t written;

	/* The collector. */
	struct moves moves;
	struct raws raws;
	struct raws_slot slots[SLOTS];
	struct mc_buffer text, waits;
	/* What writers have got. */
	int64_t stored;
	mc_time stored_at;
};

static unsigned draw(struct world *world, unsigned below)
{
	world->random = world->random * 1664525 + 1013904223;
	return (world->random >> 8) % below;
}

static bool is_killed(struct world *world)
{
	return draw(world, 4) == 0 && !world->calm;
}

/* --- The collector ------------------------------------------------------------------- */

static void write_wait(struct mc_buffer *text, const char *stream, mc_time time, uint64_t value)
{
	record_write_wait(text, &(struct record_wait){ .time = time,
						       .interval = MC_SECOND,
						       .host = "web1",
						       .stream = stream,
						       .plugin_instance = "",
						       .type = "disk_octets",
						       .type_instance = "vda",
						       .values_len = 1,
						       .values = { { .counter = value } } });
}

/* As state.c does. */
static void append(struct world *world)
{
	mc_buffer_add(&world->text, world->waits.at, world->waits.size);
	mc_buffer_clear(&world->waits);
	for (struct moves_guest *at = NULL; (at = moves_next(&world->moves, at)) != NULL;) {
		if (!at->dirty)
			continue;
		record_write(&world->text, at, world->now);
		for (struct handover_sample *wait = at->handover.samples; wait != NULL;
		     wait = wait->next)
			write_wait(&world->text, wait->stream, wait->time, wait->values[0].counter);
		at->dirty = false;
	}
	world->moves.dirty = false;
}

static void start(struct world *world)
{
	world->raws = (struct raws){ .slots = world->slots, .capacity = SLOTS };
	world->moves = (struct moves){ .trusts = everybody,
				       .raws = &world->raws,
				       .wait = world->waits_long ? WAIT : 0 };
}

static void kill_and_start(struct world *world)
{
	struct raws_left left = raws_leave(world->slots, SLOTS);
	struct mc_buffer text = { 0 };
	struct record_wait *waits;

	mc_buffer_add(&text, world->text.at, world->text.size);
	world->moves.raws = NULL;
	moves_done(&world->moves);
	mc_buffer_clear(&world->waits);
	memset(world->slots, 0, sizeof(world->slots));
	start(world);
	assert_int_equal(record_read(text.at, text.size, &world->moves, world->now, &waits), 0);
	for (const struct record_wait *at = waits; at != NULL; at = at->next) {
		union mc_value value = at->values[0];
		struct moves_sample sample = sample_of(at->stream, world->now, at->time, &value);

		sample.waited = true;
		moves_restore_waiting(&world->moves,
				      (struct moves_guest *)moves_find(&world->moves, "web1"),
				      &sample, NULL);
	}
	record_free_waits(waits);
	counters_resume(&world->moves, &left);
	raws_left_free(&left);
	mc_buffer_free(&text);
}

static void keep(struct world *world, const struct moves_sample *sample)
{
	moves_keep(&world->moves, sample, NULL);
	write_wait(&world->waits, sample->stream, sample->time, sample->values[0].counter);
	world->moves.dirty = true;
}

/* What writers get. */
static void store(struct world *world, int64_t value, mc_time time)
{
	if (time <= world->stored_at)
		return;
	assert_true(value >= world->stored);  /* No rate is negative, */
	assert_true(value <= world->written); /* and none is a spike. */
	world->stored = value;
	world->stored_at = time;
}

/* A batch of one host.  False: killed in it, so its sender has no reply. */
static bool take(struct world *world, const struct host *host, unsigned len)
{
	unsigned killed_at = is_killed(world) ? draw(world, len + 2) : len + 2;
	union mc_value values[BATCH];
	bool taken[BATCH];

	for (unsigned i = 0; i < len; i++) {
		const struct queued *queued = &host->samples[i];
		struct moves_sample sample = sample_of(world->processes[queued->process].stream,
						       world->now, queued->time, &values[i]);
		enum moves_verdict verdict;

		if (i == killed_at)
			return false;
		values[i].derive = queued->raw;
		verdict = moves_take(&world->moves, &sample);
		taken[i] = verdict == MOVES_TAKEN;
		if (verdict == MOVES_WAITS)
			keep(world, &sample);
	}
	if (killed_at == len)
		return false;
	if (world->moves.dirty)
		append(world);
	for (unsigned i = 0; i < len; i++)
		if (taken[i])
			store(world, values[i].derive, host->samples[i].time);
	return killed_at != len + 1;
}

/* As release.c does.  False: killed meanwhile. */
static bool release_guest(struct world *world, struct moves_guest *guest)
{
	struct handover waiting;
	bool killed = is_killed(world);

	while (moves_release(&world->moves, guest, &waiting)) {
		for (struct handover_sample *at = waiting.samples; at != NULL; at = at->next) {
			struct moves_sample sample = waited_sample(at, world->now);
			enum moves_verdict verdict = moves_take(&world->moves, &sample);

			at->interval = verdict == MOVES_TAKEN;
			if (verdict == MOVES_WAITS)
				keep(world, &sample);
		}
		if (!killed)
			append(world);
		for (struct handover_sample *at = waiting.samples; at != NULL && !killed;
		     at = at->next)
			if (at->interval != 0)
				store(world, at->values[0].derive, at->time);
		handover_free(&waiting);
		if (killed)
			return false;
	}
	return true;
}

static void release(struct world *world)
{
	struct moves_guest *guest;

	while ((guest = moves_due(&world->moves, world->now)) != NULL)
		if (!release_guest(world, guest))
			kill_and_start(world);
}

/* --- The guest and its hosts ----------------------------------------------------------- */

static void sample(struct world *world)
{
	struct process *process = &world->processes[world->len - 1];
	struct host *host = &world->hosts[process->host];

	if (host->len < QUEUE)
		host->samples[host->len++] =
			(struct queued){ world->len - 1, process->counted,
					 world->now + process->host * world->skew };
}

static void move(struct world *world)
{
	struct process *next = &world->processes[world->len];
	unsigned from = next[-1].host;

	if (world->len == PROCESSES)
		return;
	sample(world); /* What it wrote after its last sample is lost with its process. */
	next->host = (from + 1 + draw(world, HOSTS - 1)) % HOSTS;
	snprintf(next->stream, sizeof(next->stream), "g-%u uuid m host%u", world->len, next->host);
	world->len++;
	world->now += draw(world, 3) * MC_SECOND / 2;
}

static void deliver(struct world *world, struct host *host)
{
	unsigned len = host->len < BATCH ? host->len : 1 + draw(world, BATCH);

	if (len == 0)
		return;
	if (!take(world, host, len)) {
		kill_and_start(world);
		return;
	}
	host->len -= len;
	memmove(host->samples, host->samples + len, host->len * sizeof(host->samples[0]));
}

static void step(struct world *world)
{
	struct host *host = &world->hosts[draw(world, HOSTS)];
	struct process *process = &world->processes[world->len - 1];
	unsigned size;

	switch (draw(world, 12)) {
	case 0:
		move(world);
		break;
	case 1:
		host->up = !host->up;
		break;
	case 2:
		kill_and_start(world);
		break;
	case 3:
	case 4:
	case 5:
		size = draw(world, 1000);
		process->counted += size;
		world->written += size;
		break;
	case 6:
	case 7:
		sample(world);
		world->now += MC_SECOND;
		release(world);
		break;
	default:
		if (host->up)
			deliver(world, host);
	}
}

static void settle(struct world *world)
{
	for (unsigned i = 0; i < HOSTS; i++)
		while (world->hosts[i].len > 0)
			deliver(world, &world->hosts[i]);
	world->calm = true;
	for (unsigned i = 0; i < 5; i++) {
		world->now += 2 * MOVES_ARRIVES;
		release(world);
		sample(world);
		while (world->hosts[world->processes[world->len - 1].host].len > 0)
			deliver(world, &world->hosts[world->processes[world->len - 1].host]);
	}
}

static void run(unsigned seed, bool waits, mc_time skew)
{
	struct world *world = calloc(1, sizeof(*world));

	world->random = seed;
	world->now = 1000000 * MC_SECOND;
	mc_buffer_add(&world->text, RECORD_HEAD, strlen(RECORD_HEAD));
	world->waits_long = waits;
	world->skew = skew;
	start(world);
	for (unsigned i = 0; i < HOSTS; i++)
		world->hosts[i].up = true;
	snprintf(world->processes[0].stream, sizeof(world->processes[0].stream),
		 "g-0 uuid - host0");
	world->len = 1;
	sample(world);
	while (world->hosts[0].len > 0)
		deliver(world, &world->hosts[0]);
	for (unsigned i = 0; i < STEPS; i++)
		step(world);
	settle(world);
	if (world->stored != world->written)
		print_message("seed %u: %lld of %lld\n", seed, (long long)world->stored,
			      (long long)world->written);
	assert_int_equal(world->stored, world->written);
	moves_done(&world->moves);
	mc_buffer_free(&world->text);
	mc_buffer_free(&world->waits);
	free(world);
}

static void run_all(bool waits, mc_time skew)
{
	const char *seed = getenv("SEED"), *runs = getenv("RUNS");
	unsigned first = seed != NULL ? (unsigned)strtoul(seed, NULL, 10) : 1;
	unsigned len = runs != NULL ? (unsigned)strtoul(runs, NULL, 10) : 500;

	for (unsigned i = 0; i < len; i++)
		run(first + i, waits, skew);
}

static void test_kills(void **state)
{
	(void)state;
	run_all(false, 0);
}

/* Values of a new host wait for those of the old one, and a kill forgets none of them. */
static void test_kills_while_values_wait(void **state)
{
	(void)state;
	run_all(true, 0);
}

static void test_kills_while_clocks_differ(void **state)
{
	(void)state;
	run_all(true, 5 * MC_SECOND);
	run_all(true, -5 * MC_SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kills),
		cmocka_unit_test(test_kills_while_values_wait),
		cmocka_unit_test(test_kills_while_clocks_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
