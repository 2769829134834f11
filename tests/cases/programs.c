/* SPDX-License-Identifier: MIT */
#include "programs.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"

#include "mistake.h"
#include "shown.h"

enum { PROGRAMS_MAX = 16 };

struct programs {
	const char *folder;
	pid_t pids[PROGRAMS_MAX];
	unsigned len;
};

struct programs *programs_new(const char *folder)
{
	struct programs *programs = alloc_zero(sizeof(*programs));

	programs->folder = folder;
	return programs;
}

void programs_free(struct programs *programs)
{
	for (unsigned i = 0; i < programs->len; i++) {
		kill(-programs->pids[i], SIGKILL);
		waitpid(programs->pids[i], NULL, 0);
	}
	free(programs);
}

/* 'output': its standard output and error. */
static pid_t begin(const struct programs *programs, const char *command, int output)
{
	pid_t pid = fork();

	if (pid < 0)
		mistake_errno("fork");
	if (pid > 0)
		return pid;
	setpgid(0, 0);
	if (chdir(programs->folder) != 0 || dup2(output, STDOUT_FILENO) < 0 ||
	    dup2(output, STDERR_FILENO) < 0)
		_exit(126);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

void programs_run(struct programs *programs, const char *command, FILE *out)
{
	FILE *output = tmpfile();
	int status = 0;
	size_t size;
	char *bytes;
	pid_t pid;

	if (output == NULL)
		mistake_errno("tmpfile");
	pid = begin(programs, command, fileno(output));
	if (waitpid(pid, &status, 0) != pid)
		mistake_errno(command);
	fseek(output, 0, SEEK_END);
	size = (size_t)ftell(output);
	rewind(output);
	bytes = alloc_zero(size + 1);
	size = fread(bytes, 1, size, output);
	fclose(output);
	shown_print(out, "| ", bytes, size);
	free(bytes);
	if (status != 0)
		fprintf(out, "* status %d\n",
			WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

void programs_begin(struct programs *programs, const char *command)
{
	pid_t pid;

	if (programs->len == PROGRAMS_MAX)
		mistake_errno(command);
	pid = begin(programs, command, STDERR_FILENO);
	setpgid(pid, pid);
	programs->pids[programs->len++] = pid;
}
