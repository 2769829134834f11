/* SPDX-License-Identifier: MIT */
/* Steps that are about the daemon, the clock and files are here, those that are
 * about connections in peer.c.  A read and the stop run in a thread of their
 * own: the peer may have to answer meanwhile. */
#include "steps.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/thread.h"
#include "engine/change/engine.h"

#include "describe.h"
#include "draw.h"
#include "feed.h"
#include "fetch.h"
#include "mistake.h"
#include "output.h"
#include "peer.h"
#include "places.h"
#include "programs.h"
#include "settle.h"
#include "shown.h"
#include "stage.h"

#define LINE_SIZE 65536
#define AWAIT_LIMIT (20 * MC_SECOND) /* Of real time. */
#define CLOSED_MAX 256               /* Lines about connections that are sorted together. */

enum job_kind { JOB_READ, JOB_STOP };

struct job { /* What may block. */
	struct stage *stage;
	pthread_t thread;
	enum job_kind kind;
	bool begun;
	_Atomic bool ended;
	bool stopped; /* What the stop returned. */
};

struct steps {
	struct stage *stage;
	struct peer *peer;
	struct programs *programs;
	struct stage_sink received;
	struct job read, stop;
	struct fetch *fetch; /* Under way; NULL: none. */
};

/* --- After a step ---------------------------------------------------------- */

/* Until nothing comes any more. */
static bool calm(struct steps *steps)
{
	bool any = false;

	for (unsigned idle = 0; idle < 2; idle++) {
		if (!settle())
			fprintf(steps->stage->out, "* does not settle\n");
		if (!steps->stop.begun)
			stage_wake_writers(steps->stage);
		while (peer_take(steps->peer, steps->received.file)) {
			idle = 0;
			any = true;
		}
	}
	return any;
}

static int compare_numbers(const void *a, const void *b)
{
	unsigned one = *(const unsigned *)a, other = *(const unsigned *)b;

	return (one > other) - (one < other);
}

/* Prints the connections of the lines at the begin of a text that say that one is closed, and
 * returns what follows.  Which of several is closed first is chance: they are in the order of their
 * numbers. */
static const char *print_closed(const char *text, FILE *out)
{
	unsigned numbers[CLOSED_MAX], len = 0;
	int size;

	for (; len < CLOSED_MAX; text += size, len++) {
		size = 0;
		if (sscanf(text, "* connection %u is closed%n", &numbers[len], &size) != 1 ||
		    size == 0 || text[size++] != '\n')
			break;
	}
	qsort(numbers, len, sizeof(numbers[0]), compare_numbers);
	for (unsigned i = 0; i < len; i++)
		fprintf(out, "* connection %u is closed\n", numbers[i]);
	return text;
}

static void print_received(const char *text, FILE *out)
{
	while (*text != '\0') {
		size_t size;

		text = print_closed(text, out);
		size = strcspn(text, "\n");
		size += text[size] == '\n';
		fwrite(text, 1, size, out);
		text += size;
	}
}

static void show(struct steps *steps)
{
	struct stage_sink *received = &steps->received;
	struct stage *stage = steps->stage;

	fputc('\0', received->file);
	fflush(received->file);
	print_received(received->text, stage->out);
	rewind(received->file);
	stage_show(stage);
}

static bool has_come(struct steps *steps)
{
	struct stage *stage = steps->stage;

	fflush(stage->log.file);
	fflush(stage->samples.file);
	fflush(stage->notifications.file);
	return stage->log.size + stage->samples.size + stage->notifications.size > 0;
}

/* --- Jobs ----------------------------------------------------------------- */

static void *do_job(void *argument)
{
	struct job *job = argument;

	if (job->kind == JOB_READ)
		engine_read_once(job->stage->engine);
	else
		job->stopped = stage_stop(job->stage);
	job->ended = true;
	return NULL;
}

static void begin_job(struct job *job, struct stage *stage, enum job_kind kind)
{
	*job = (struct job){ .stage = stage, .kind = kind, .begun = true };
	if (pthread_create(&job->thread, NULL, do_job, job) != 0)
		mistake_errno("thread");
}

static void join_job(struct job *job)
{
	if (!job->begun)
		return;
	pthread_join(job->thread, NULL);
	job->begun = false;
}

/* A read that has ended is joined before, so that it happens before the stop. */
static void begin_stop(struct steps *steps)
{
	if (steps->read.ended)
		join_job(&steps->read);
	begin_job(&steps->stop, steps->stage, JOB_STOP);
}

/* --- Steps ---------------------------------------------------------------- */

static void step_read(struct steps *steps, char *words)
{
	(void)words;
	if (steps->read.begun && !steps->read.ended) {
		fprintf(steps->stage->out, "* the read before still lasts\n");
		return;
	}
	join_job(&steps->read);
	stage_next_root(steps->stage);
	begin_job(&steps->read, steps->stage, JOB_READ);
}

/* "[host/]plugin/type VALUES [TIME]", several of them between " ; ". */
static void step_put(struct steps *steps, char *words)
{
	char *text = NULL, *rest = words, *one;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while ((one = strsep(&rest, ";")) != NULL) {
		const char *name, *values, *time;

		one += strspn(one, " ");
		name = strsep(&one, " ");
		values = one != NULL ? strsep(&one, " ") : "";
		time = one != NULL && *one != '\0' ? strsep(&one, " ") : "N";
		fprintf(out, "PUTVAL %s%s %s:%s\n",
			strchr(name, '/') == strrchr(name, '/') ? "host/" : "", name, time, values);
	}
	fclose(out);
	if (feed_lines(steps->stage->feed, text) < 0)
		mistake(words, "cannot be put");
	free(text);
	calm(steps);
	stage_forget(steps->stage);
}

/* "failure plugin=... message=...", as PUTNOTIF; the time is now. */
static void step_notify(struct steps *steps, char *words)
{
	char line[LINE_SIZE];

	snprintf(line, sizeof(line), "PUTNOTIF time=%lld severity=%s\n",
		 (long long)(clock_wall() / MC_SECOND), words);
	if (feed_lines(steps->stage->feed, line) < 0)
		mistake(words, "cannot be notified");
	calm(steps);
	stage_forget(steps->stage);
}

/* Seconds. */
static void step_wait(struct steps *steps, char *words)
{
	(void)steps;
	clock_step((mc_time)(strtod(words, NULL) * (double)MC_SECOND));
}

/* See draw.h. */
static void step_draw(struct steps *steps, char *words)
{
	draw(steps->stage->feed, words, steps->stage->out);
}

/* See describe.h. */
static void step_describe(struct steps *steps, char *words)
{
	describe(steps->stage->feed, words, steps->stage->out);
}

/* See fetch.h. */
static void step_fetch(struct steps *steps, char *words)
{
	if (steps->fetch != NULL)
		mistake(words, "the fetch before is not over");
	steps->fetch = fetch_begin(steps->stage->feed, words);
}

/* For what happens in real time: until something is seen. */
static void step_await(struct steps *steps, char *words)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	mc_time until = thread_time() + AWAIT_LIMIT;

	(void)words;
	while (!calm(steps) && !has_come(steps)) {
		if (thread_time() >= until) {
			fprintf(steps->stage->out, "* nothing comes\n");
			return;
		}
		nanosleep(&pause, NULL);
	}
}

static void step_flush(struct steps *steps, char *words)
{
	(void)words;
	engine_flush(steps->stage->engine);
}

static void step_reopen(struct steps *steps, char *words)
{
	(void)words;
	engine_reopen(steps->stage->engine);
}

/* A script without this step begins with it. */
static void step_start(struct steps *steps, char *words)
{
	(void)words;
	stage_start(steps->stage);
}

/* Keys and certificates for the configuration, see secrets.h. */
static void step_certificates(struct steps *steps, char *words)
{
	(void)words;
	peer_make_certificates(steps->peer);
}

/* Has been done before all threads. */
static void step_network(struct steps *steps, char *words)
{
	(void)steps, (void)words;
}

static void step_stop(struct steps *steps, char *words)
{
	(void)words;
	begin_stop(steps);
}

/* A file of the folder, or of the fake root. */
static void step_show(struct steps *steps, char *words)
{
	const struct stage *stage = steps->stage;
	const struct places *places = stage->setup->places;
	char path[PATH_MAX + 64], *bytes;
	size_t size;

	if (words[0] == '/')
		snprintf(path, sizeof(path), "%s", words);
	else
		snprintf(path, sizeof(path), "%s/%s", places_folder(places), words);
	bytes = shown_file(path, &size);
	if (bytes == NULL)
		fprintf(stage->out, "* cannot read: %s\n", strerror(errno));
	else
		shown_print(stage->out, "| ", bytes, size);
	free(bytes);
}

static void step_run(struct steps *steps, char *words)
{
	programs_run(steps->programs, words, steps->stage->out);
}

static void step_begin(struct steps *steps, char *words)
{
	programs_begin(steps->programs, words);
}

static void step_repeat(struct steps *steps, char *words);

/* Whether there is such a step, which is done then. */
static bool take_step(struct steps *steps, char *line)
{
	static const struct {
		const char *verb;
		void (*step)(struct steps *, char *words);
	} all[] = {
		{ "await", step_await },
		{ "begin", step_begin },
		{ "certificates", step_certificates },
		{ "describe", step_describe },
		{ "draw", step_draw },
		{ "fetch", step_fetch },
		{ "flush", step_flush },
		{ "network", step_network },
		{ "notify", step_notify },
		{ "put", step_put },
		{ "read", step_read },
		{ "reopen", step_reopen },
		{ "repeat", step_repeat },
		{ "run", step_run },
		{ "show", step_show },
		{ "start", step_start },
		{ "stop", step_stop },
		{ "wait", step_wait },
	};
	const size_t size = strlen(line);
	char *words = line;
	const char *verb = strsep(&words, " ");

	if (words == NULL)
		words = line + size;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(verb, all[i].verb) == 0) {
			all[i].step(steps, words);
			return true;
		}
	return peer_step(steps->peer, verb, words, steps->received.file);
}

/* "TIMES STEP". */
static void step_repeat(struct steps *steps, char *words)
{
	char *step = words;
	unsigned long times = strtoul(strsep(&step, " "), NULL, 10);

	for (unsigned long i = 0; i < times && step != NULL; i++) {
		char *copy = alloc_copy(step);

		if (!take_step(steps, copy))
			mistake(step, "no such step");
		free(copy);
	}
}

/* --- All of them ---------------------------------------------------------- */

static void do_line(struct steps *steps, const char *line)
{
	char *filled = places_fill(steps->stage->setup->places, line);

	fprintf(steps->stage->out, "> %s\n", line);
	if (!take_step(steps, filled))
		mistake(line, "no such step");
	free(filled);
	calm(steps);
	show(steps);
	if (fetch_end(steps->fetch, false, steps->stage->out))
		steps->fetch = NULL;
}

/* Whatever the steps have left.  The stop has waits in real time. */
static bool end(struct steps *steps)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	if (!steps->stop.begun) {
		fprintf(steps->stage->out, "> stop\n");
		begin_stop(steps);
	}
	for (unsigned i = 0; !steps->stop.ended; i++) {
		calm(steps);
		nanosleep(&pause, NULL);
		if (i > 50) /* It waits for an answer that does not come. */
			clock_step(MC_SECOND);
	}
	calm(steps);
	show(steps);
	peer_leave(steps->peer);
	fetch_end(steps->fetch, true, steps->stage->out);
	join_job(&steps->read);
	join_job(&steps->stop);
	return steps->stop.stopped;
}

static bool has_start(FILE *script, char *line)
{
	bool found = false;

	while (!found && fgets(line, LINE_SIZE, script) != NULL)
		found = strcmp(line, "start\n") == 0;
	rewind(script);
	return found;
}

void steps_run(struct stage *stage, FILE *script)
{
	struct steps steps = {
		.stage = stage,
		.peer = peer_new(stage->setup->places),
		.programs = programs_new(places_folder(stage->setup->places)),
	};
	char *line = alloc_zero(LINE_SIZE);
	int here = open(".", O_PATH | O_CLOEXEC);
	bool stopped;

	if (here < 0 || chdir(places_folder(stage->setup->places)) != 0)
		mistake_errno("chdir");
	output_divert(".");
	steps.received.file = open_memstream(&steps.received.text, &steps.received.size);
	if (!has_start(script, line))
		do_line(&steps, "start");
	while (fgets(line, LINE_SIZE, script) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] != '#' && line[0] != '\0')
			do_line(&steps, line);
	}
	stopped = end(&steps);
	show(&steps);
	stage_done(stage, stopped);
	peer_free(steps.peer);
	programs_free(steps.programs);
	fclose(steps.received.file);
	free(steps.received.text);
	free(line);
	output_restore();
	if (fchdir(here) != 0)
		mistake_errno("fchdir");
	close(here);
}
