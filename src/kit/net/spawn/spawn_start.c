/* SPDX-License-Identifier: MIT */
/* Facts: posix_spawn(3), pipe(7). */
#include "kit/net/spawn/spawn_start.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#define OPTIONS_MAX 16 /* Arguments of collector-spawn itself. */

struct ends { /* Of the pipes: ours, and the program's; -1: none. */
	int ours[SPAWN_PIPES], its[SPAWN_PIPES];
};

static void close_all(int fds[SPAWN_PIPES])
{
	for (unsigned i = 0; i < SPAWN_PIPES; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static int open_pipe(struct ends *ends, unsigned i)
{
	int fds[2];
	bool it_reads = i == SPAWN_INPUT;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	ends->its[i] = fds[it_reads ? 0 : 1];
	ends->ours[i] = fds[it_reads ? 1 : 0];
	return fcntl(ends->ours[i], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

static int open_pipes(const struct mc_program *program, struct ends *ends)
{
	int rc = 0;

	for (unsigned i = 0; i < SPAWN_PIPES; i++)
		ends->ours[i] = ends->its[i] = -1;
	if (program->input_size == 0 && !program->input_open) {
		ends->its[SPAWN_INPUT] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		rc = ends->its[SPAWN_INPUT] < 0 ? -errno : 0;
	}
	for (unsigned i = 0; i < SPAWN_PIPES && rc == 0; i++)
		if (ends->its[i] < 0)
			rc = open_pipe(ends, i);
	if (rc < 0) {
		close_all(ends->ours);
		close_all(ends->its);
	}
	return rc;
}

/* Its ends become 0 to 3: where one is in the way of another, it is the later
 * one, which was copied before. */
static int set_files(posix_spawn_file_actions_t *actions, const struct ends *ends)
{
	int rc = posix_spawn_file_actions_init(actions);

	for (int i = 0; i < SPAWN_PIPES && rc == 0; i++)
		rc = posix_spawn_file_actions_adddup2(actions, ends->its[i], i);
	return rc;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t all, none;
	int rc = posix_spawnattr_init(attributes);

	sigfillset(&all);
	sigemptyset(&none);
	if (rc == 0)
		rc = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID |
								  POSIX_SPAWN_SETSIGDEF |
								  POSIX_SPAWN_SETSIGMASK);
	if (rc == 0)
		rc = posix_spawnattr_setsigdefault(attributes, &all);
	if (rc == 0)
		rc = posix_spawnattr_setsigmask(attributes, &none);
	return rc;
}

struct words {
	char parent[16], memory[24];
	const char **argv;
};

static void make_argv(const char *helper, const struct mc_program *program, struct words *words)
{
	size_t len = 0, at = 0;

	while (program->argv[len] != NULL)
		len++;
	words->argv = mc_alloc_array(OPTIONS_MAX + len + 1, sizeof(*words->argv));
	snprintf(words->parent, sizeof(words->parent), "%ld", (long)getpid());
	snprintf(words->memory, sizeof(words->memory), "%" PRIu64, program->memory_max);
	words->argv[at++] = helper;
	words->argv[at++] = "-p";
	words->argv[at++] = words->parent;
	if (program->memory_max > 0) {
		words->argv[at++] = "-m";
		words->argv[at++] = words->memory;
	}
	if (program->user != NULL) {
		words->argv[at++] = "-u";
		words->argv[at++] = program->user;
	}
	if (program->group != NULL) {
		words->argv[at++] = "-g";
		words->argv[at++] = program->group;
	}
	if (program->never_root)
		words->argv[at++] = "-n";
	if (program->may_gain_rights)
		words->argv[at++] = "-r";
	words->argv[at++] = "--";
	for (size_t i = 0; i < len; i++)
		words->argv[at++] = program->argv[i];
}

/* posix_spawn() promises not to change what its prototype lets it. */
static char *const *as_it_wants(const char *const *strings)
{
	union {
		const char *const *given;
		char *const *wanted;
	} same = { .given = strings };

	return same.wanted;
}

static int start(const char *helper, const struct mc_program *program, const struct ends *ends,
		 pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	struct words words;
	int rc = set_files(&actions, ends);

	if (rc != 0)
		return -rc;
	rc = set_attributes(&attributes);
	if (rc == 0) {
		make_argv(helper, program, &words);
		rc = posix_spawn(pid, helper, &actions, &attributes, as_it_wants(words.argv),
				 program->env != NULL ? as_it_wants(program->env) : environ);
		free(words.argv);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

int spawn_start(const char *helper, const struct mc_program *program, int pipes[SPAWN_PIPES],
		pid_t *pid)
{
	struct ends ends;
	int rc = open_pipes(program, &ends);

	if (rc < 0)
		return rc;
	rc = start(helper, program, &ends, pid);
	close_all(ends.its);
	if (rc < 0)
		close_all(ends.ours);
	else
		memcpy(pipes, ends.ours, sizeof(ends.ours));
	return rc;
}
