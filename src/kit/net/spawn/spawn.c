/* SPDX-License-Identifier: MIT */
/* Facts: pidfd_open(2).  A child that has ended is a zombie until it
 * is reaped, and so its number, which is that of its group, is not used again:
 * the group is killed before. */
#include <collector/kit/spawn.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit/net/spawn/spawn_lines.h"
#include "kit/net/spawn/spawn_start.h"

#define READ_SIZE 65536
#define LINE_MAX_DEFAULT 65536
#define PATIENCE (2 * MC_SECOND) /* Between SIGTERM and SIGKILL. */
#define DRAIN_MAX 16             /* Reads of what has ended: a pipe's worth. */
#define END_ROUNDS 100           /* Of END_MS each, for a signal at the end. */
#define END_MS 10
#define ENDED SPAWN_PIPES /* The source that says so. */
#define SOURCES_LEN (SPAWN_PIPES + 1)
#define WHY_SIZE 260

struct source { /* Of events. */
	struct mc_child *child;
	struct mc_loop_file file; /* Its descriptor is -1: closed. */
};

enum life {
	RUNS,
	TOLD,   /* It has got SIGTERM. */
	KILLED, /* And SIGKILL. */
	GONE,   /* It is reaped. */
};

struct mc_child {
	struct mc_child *next;
	struct mc_spawner *spawner;
	pid_t pid; /* And of the group. */
	enum life life;
	mc_time started;
	struct mc_loop_timer timer; /* A signal is due. */
	struct source sources[SOURCES_LEN];
	struct mc_buffer input;
	size_t written;  /* Of it. */
	bool input_open; /* More may come. */
	size_t output_max, output_size;
	struct spawn_lines lines[2]; /* Of output and errors. */
	char report[WHY_SIZE];
	size_t report_size;
	void (*ended)(void *argument, const struct mc_child_end *);
	void *argument;
	struct mc_child_end end;
};

struct mc_spawner {
	char *helper;
	struct mc_loop *loop;
	struct mc_child *children;
	size_t len;
	char bytes[READ_SIZE]; /* The text read last. */
};

struct mc_spawner *mc_spawner_new(struct mc_loop *loop, const char *helper)
{
	struct mc_spawner *spawner = mc_alloc_zero(sizeof(*spawner));

	if (helper == NULL)
		helper = secure_getenv("COLLECTOR_SPAWN");
	spawner->helper = mc_alloc_copy(helper != NULL ? helper : MC_SPAWN_HELPER);
	spawner->loop = loop;
	return spawner;
}

size_t mc_spawner_len(const struct mc_spawner *spawner)
{
	return spawner->len;
}

/* --- Start and end -------------------------------------------------------- */

static void on_ready(void *source, uint32_t events);
static void on_time(void *child);

static void set_time(struct mc_child *child, mc_time due)
{
	mc_loop_set_timer(child->spawner->loop, &child->timer, due);
}

static void close_source(struct source *source)
{
	if (source->file.fd < 0)
		return;
	mc_loop_forget(source->child->spawner->loop, &source->file);
	close(source->file.fd);
	source->file.fd = -1;
}

/* The process is reaped. */
static void free_child(struct mc_child *child)
{
	for (unsigned i = 0; i < SOURCES_LEN; i++)
		close_source(&child->sources[i]);
	mc_loop_unset_timer(child->spawner->loop, &child->timer);
	mc_buffer_free(&child->input);
	for (unsigned i = 0; i < 2; i++)
		mc_buffer_free(&child->lines[i].rest);
	free(child);
}

/* Of the whole group; as long as the process is not reaped. */
static void send_signal(const struct mc_child *child, int number)
{
	kill(-child->pid, number);
}

static int watch(struct mc_child *child)
{
	int rc = 0;

	for (unsigned i = 0; i < SOURCES_LEN && rc == 0; i++) {
		struct source *source = &child->sources[i];
		uint32_t events = i != SPAWN_INPUT ? EPOLLIN : child->input.size > 0 ? EPOLLOUT : 0;

		if (source->file.fd >= 0)
			rc = mc_loop_watch(child->spawner->loop, &source->file, events);
	}
	return rc;
}

static struct mc_child *make_child(struct mc_spawner *spawner, const struct mc_program *program)
{
	struct mc_child *child = mc_alloc_zero(sizeof(*child));

	child->spawner = spawner;
	child->started = mc_now();
	child->timer = (struct mc_loop_timer){ .expired = on_time, .argument = child };
	child->output_max = program->output_max > 0 ? program->output_max : SIZE_MAX;
	child->ended = program->ended;
	child->argument = program->argument;
	child->input_open = program->input_open;
	for (unsigned i = 0; i < SOURCES_LEN; i++)
		child->sources[i] = (struct source){
			child, { .fd = -1, .ready = on_ready, .argument = &child->sources[i] }
		};
	for (unsigned i = 0; i < 2; i++)
		child->lines[i] = (struct spawn_lines){
			.fd = (int)i + 1,
			.max = program->line_max > 0 ? program->line_max : LINE_MAX_DEFAULT,
			.line = program->line,
			.argument = program->argument,
		};
	if (program->input_size > 0)
		mc_buffer_add(&child->input, program->input, program->input_size);
	return child;
}

const char *mc_spawner_helper(const struct mc_spawner *spawner)
{
	return spawner->helper;
}

int mc_spawn(struct mc_spawner *spawner, const struct mc_program *program,
	     struct mc_child **started)
{
	struct mc_child *child = make_child(spawner, program);
	int pipes[SPAWN_PIPES];
	int rc = spawn_start(spawner->helper, program, pipes, &child->pid);

	if (rc < 0) {
		free_child(child);
		return rc;
	}
	for (unsigned i = 0; i < SPAWN_PIPES; i++)
		child->sources[i].file.fd = pipes[i];
	child->sources[ENDED].file.fd = (int)syscall(SYS_pidfd_open, child->pid, 0U);
	rc = child->sources[ENDED].file.fd < 0 ? -errno : watch(child);
	if (rc < 0) {
		send_signal(child, SIGKILL);
		waitpid(child->pid, NULL, 0);
		free_child(child);
		return rc;
	}
	if (program->time_max > 0)
		set_time(child, child->started + program->time_max);
	child->next = spawner->children;
	spawner->children = child;
	spawner->len++;
	if (started != NULL)
		*started = child;
	return 0;
}

void mc_child_stop(struct mc_child *child)
{
	if (child->life != RUNS)
		return;
	send_signal(child, SIGTERM);
	child->life = TOLD;
	set_time(child, mc_now() + PATIENCE);
}

/* --- What comes and goes -------------------------------------------------- */

void mc_child_kill(struct mc_child *child)
{
	if (child->life == KILLED || child->life == GONE)
		return;
	send_signal(child, SIGKILL);
	child->life = KILLED;
	mc_loop_unset_timer(child->spawner->loop, &child->timer);
}

/* Of when the pipe takes more, or only of when it breaks. */
static void watch_input(struct mc_child *child, bool more)
{
	mc_loop_watch(child->spawner->loop, &child->sources[SPAWN_INPUT].file, more ? EPOLLOUT : 0);
}

static void write_input(struct mc_child *child)
{
	ssize_t size = write(child->sources[SPAWN_INPUT].file.fd, child->input.at + child->written,
			     child->input.size - child->written);

	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (size > 0)
		child->written += (size_t)size;
	if (child->written < child->input.size && size > 0)
		return;
	mc_buffer_clear(&child->input);
	child->written = 0;
	if (size <= 0 || !child->input_open)
		close_source(&child->sources[SPAWN_INPUT]);
	else
		watch_input(child, false);
}

void mc_child_write(struct mc_child *child, const void *bytes, size_t size)
{
	bool waits = child->input.size > 0;

	if (child->sources[SPAWN_INPUT].file.fd < 0 || !child->input_open || size == 0)
		return;
	if (child->written > 0) {
		child->input.size -= child->written;
		memmove(child->input.at, child->input.at + child->written, child->input.size);
		child->written = 0;
	}
	mc_buffer_add(&child->input, bytes, size);
	if (!waits)
		watch_input(child, true);
}

size_t mc_child_unread(const struct mc_child *child)
{
	return child->input.size - child->written;
}

void mc_child_close_input(struct mc_child *child)
{
	child->input_open = false;
	if (child->input.size == 0)
		close_source(&child->sources[SPAWN_INPUT]);
}

static void take(struct mc_child *child, unsigned pipe, size_t size)
{
	char *bytes = child->spawner->bytes;

	if (pipe == SPAWN_REPORT) {
		size_t left = sizeof(child->report) - 1 - child->report_size;

		if (size > left)
			size = left;
		memcpy(child->report + child->report_size, bytes, size);
		child->report_size += size;
		return;
	}
	if (size > child->output_max - child->output_size) {
		size = child->output_max - child->output_size;
		child->end.flooded = true;
		mc_child_kill(child);
	}
	child->output_size += size;
	spawn_lines_add(&child->lines[pipe - SPAWN_OUTPUT], bytes, size);
}

/* False: nothing comes now, or ever. */
static bool read_pipe(struct mc_child *child, unsigned pipe)
{
	struct source *source = &child->sources[pipe];
	ssize_t size;

	if (source->file.fd < 0)
		return false;
	size = read(source->file.fd, child->spawner->bytes, READ_SIZE);
	if (size > 0)
		take(child, pipe, (size_t)size);
	else if (size == 0 || (errno != EAGAIN && errno != EINTR))
		close_source(source);
	return size > 0;
}

/* The output before the end; not that of a process that has left the group and goes on. */
static void drain(struct mc_child *child)
{
	for (unsigned pipe = SPAWN_OUTPUT; pipe <= SPAWN_REPORT; pipe++)
		for (unsigned i = 0; i < DRAIN_MAX; i++)
			if (!read_pipe(child, pipe))
				break;
	for (unsigned i = 0; i < 2; i++) {
		spawn_lines_end(&child->lines[i]);
		child->end.lines_skipped += child->lines[i].skipped;
	}
}

static void read_report(struct mc_child *child)
{
	int errnum;

	child->end.why = "";
	if (child->report_size < sizeof(errnum))
		return;
	memcpy(&errnum, child->report, sizeof(errnum));
	child->end.errnum = errnum;
	child->end.why = child->report + sizeof(errnum);
}

static void remove_child(struct mc_child *child)
{
	struct mc_child **at = &child->spawner->children;

	while (*at != child)
		at = &(*at)->next;
	*at = child->next;
	child->spawner->len--;
}

static void finish(struct mc_child *child)
{
	struct mc_child_end *end = &child->end;
	siginfo_t info = { 0 };

	send_signal(child, SIGKILL);
	if (waitid(P_PIDFD, (id_t)child->sources[ENDED].file.fd, &info, WEXITED) < 0 &&
	    errno == EINTR)
		return; /* Again, at once. */
	if (info.si_code == CLD_EXITED)
		end->status = info.si_status;
	else
		end->signal = info.si_status;
	child->life = GONE; /* Before anything is called back. */
	drain(child);
	read_report(child);
	end->duration = mc_now() - child->started;
	remove_child(child);
	if (child->ended != NULL)
		child->ended(child->argument, end);
	free_child(child);
}

static void on_ready(void *argument, uint32_t events)
{
	struct source *source = argument;
	struct mc_child *child = source->child;
	ptrdiff_t which = source - child->sources;

	(void)events;
	if (which == SPAWN_INPUT)
		write_input(child);
	else if (which == ENDED)
		finish(child);
	else
		read_pipe(child, (unsigned)which);
}

static void on_time(void *argument)
{
	struct mc_child *child = argument;

	if (child->life == RUNS) {
		child->end.timed_out = true;
		mc_child_stop(child);
	} else if (child->life == TOLD) {
		mc_child_kill(child);
	}
}

/* --- The end -------------------------------------------------------------- */

/* Reaps what ends within a second of real time. */
static void reap(struct mc_spawner *spawner, struct pollfd *fds)
{
	for (unsigned round = 0; round < END_ROUNDS && spawner->len > 0;) {
		struct mc_child *child = spawner->children, *next;

		for (size_t i = 0; child != NULL; child = child->next, i++)
			fds[i] = (struct pollfd){ child->sources[ENDED].file.fd, POLLIN, 0 };
		if (poll(fds, spawner->len, END_MS) <= 0) {
			round++;
			continue;
		}
		child = spawner->children;
		for (size_t i = 0; child != NULL; child = next, i++) {
			next = child->next;
			if (fds[i].revents != 0)
				finish(child);
		}
	}
}

void mc_spawner_free(struct mc_spawner *spawner)
{
	struct pollfd *fds;

	if (spawner == NULL)
		return;
	fds = mc_alloc_array(spawner->len, sizeof(*fds));
	for (struct mc_child *child = spawner->children; child != NULL; child = child->next) {
		child->ended = NULL;
		child->lines[0].line = child->lines[1].line = NULL;
		send_signal(child, SIGTERM);
	}
	reap(spawner, fds);
	for (struct mc_child *child = spawner->children; child != NULL; child = child->next)
		send_signal(child, SIGKILL);
	reap(spawner, fds);
	while (spawner->children != NULL) { /* The kernel does not let go. */
		struct mc_child *child = spawner->children;

		spawner->children = child->next;
		free_child(child);
	}
	free(fds);
	free(spawner->helper);
	free(spawner);
}
