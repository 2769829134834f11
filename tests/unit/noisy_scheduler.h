/* SPDX-License-Identifier: MIT */
/* A scheduler for tests: tasks on CPUs in turns of some milliseconds, moved when another CPU has
 * less to do; and the truth: who ran on a CPU while which task waited there. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define NOISY_TASKS 24
#define NOISY_CPUS 8
#define NOISY_TURN 0.004  /* Seconds. */
#define NOISY_BALANCE 0.1 /* Between two looks at all queues. */

struct noisy_task {
	uint64_t allowed;
	double demand; /* Wants to run this part of each 100 ms; above 1: always. */
	double quota;  /* May run this part of each 100 ms; 0: as it likes. */
	bool is_stopped;
	int cpu;     /* On whose queue it is. */
	double got;  /* In this period. */
	double fair; /* What it has run, for turns. */
	double run, wait;
	double because[NOISY_TASKS]; /* The truth. */
};

struct noisy {
	struct noisy_task tasks[NOISY_TASKS];
	unsigned tasks_len, cpus_len;
	double busy[NOISY_CPUS], now, period, balance;
	unsigned random;
};

static inline unsigned noisy_random(struct noisy *noisy)
{
	noisy->random = noisy->random * 1103515245 + 12345;
	return noisy->random >> 16 & 0x7fff;
}

static inline bool noisy_wants(const struct noisy_task *task)
{
	return !task->is_stopped && task->got < task->demand * 0.1;
}

static inline bool noisy_is_held(const struct noisy_task *task)
{
	return task->quota > 0 && task->got >= task->quota * 0.1;
}

static inline unsigned noisy_queue(const struct noisy *noisy, unsigned cpu)
{
	unsigned len = 0;

	for (unsigned i = 0; i < noisy->tasks_len; i++)
		len += noisy->tasks[i].cpu == (int)cpu && noisy_wants(&noisy->tasks[i]) &&
		       !noisy_is_held(&noisy->tasks[i]);
	return len;
}

/* One task that waits goes where there is less to do, or for a change as much. */
static inline void noisy_move(struct noisy *noisy, unsigned margin)
{
	unsigned first = noisy_random(noisy) % noisy->tasks_len;

	for (unsigned i = 0; i < noisy->tasks_len; i++) {
		struct noisy_task *task = &noisy->tasks[(first + i) % noisy->tasks_len];

		for (unsigned cpu = 0; cpu < noisy->cpus_len && noisy_wants(task); cpu++)
			if ((task->allowed >> cpu & 1) != 0 &&
			    noisy_queue(noisy, cpu) + margin <
				    noisy_queue(noisy, (unsigned)task->cpu)) {
				task->cpu = (int)cpu;
				return;
			}
	}
}

static inline void noisy_turn(struct noisy *noisy, unsigned cpu)
{
	struct noisy_task *runs = NULL;

	for (unsigned i = 0; i < noisy->tasks_len; i++) {
		struct noisy_task *task = &noisy->tasks[i];

		if (task->cpu == (int)cpu && noisy_wants(task) && !noisy_is_held(task) &&
		    (runs == NULL || task->fair < runs->fair))
			runs = task;
	}
	for (unsigned i = 0; i < noisy->tasks_len; i++) {
		struct noisy_task *task = &noisy->tasks[i];

		if (task->cpu != (int)cpu || !noisy_wants(task) || task == runs)
			continue;
		task->wait += NOISY_TURN;
		if (runs != NULL && !noisy_is_held(task))
			task->because[runs - noisy->tasks] += NOISY_TURN;
	}
	if (runs == NULL)
		return;
	runs->run += NOISY_TURN;
	runs->got += NOISY_TURN;
	runs->fair += NOISY_TURN;
	noisy->busy[cpu] += NOISY_TURN;
}

/* Runs for so long; counters are those of this time. */
static inline void noisy_run(struct noisy *noisy, double seconds)
{
	double end = noisy->now + seconds;

	for (unsigned i = 0; i < noisy->tasks_len; i++) {
		struct noisy_task *task = &noisy->tasks[i];

		task->run = task->wait = 0;
		for (unsigned j = 0; j < NOISY_TASKS; j++)
			task->because[j] = 0;
	}
	for (unsigned cpu = 0; cpu < noisy->cpus_len; cpu++)
		noisy->busy[cpu] = 0;
	for (; noisy->now < end - NOISY_TURN / 2; noisy->now += NOISY_TURN) {
		if ((noisy->period += NOISY_TURN) >= 0.1) {
			noisy->period = 0;
			for (unsigned i = 0; i < noisy->tasks_len; i++)
				noisy->tasks[i].got = 0;
		}
		noisy_move(noisy, 1);
		if ((noisy->balance += NOISY_TURN) >= NOISY_BALANCE) {
			noisy->balance = 0;
			noisy_move(noisy, 0);
		}
		for (unsigned cpu = 0; cpu < noisy->cpus_len; cpu++)
			noisy_turn(noisy, cpu);
	}
}
