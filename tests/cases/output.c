/* SPDX-License-Identifier: MIT */
#undef _FORTIFY_SOURCE /* Its forms of the functions that are replaced here. */

#include "output.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "mistake.h"

static int before[2] = { STDOUT_FILENO, STDERR_FILENO }; /* As a process has one of each. */
static const char syslog_file[] = "CASE_SYSLOG";         /* In the environment. */

static int divert(int fd, const char *folder, const char *name)
{
	char path[PATH_MAX];
	int file, kept = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = open(path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0666);
	if (kept < 0 || file < 0 || dup2(file, fd) < 0)
		mistake_errno(path);
	close(file);
	return kept;
}

/* Of libasan and libubsan, if they are linked. */
__attribute__((weak)) void __sanitizer_set_report_fd(void *fd);

void output_divert(const char *folder)
{
	char path[PATH_MAX];

	fflush(stdout);
	before[0] = divert(STDOUT_FILENO, folder, "stdout");
	before[1] = divert(STDERR_FILENO, folder, "stderr");
	if (__sanitizer_set_report_fd != NULL)
		__sanitizer_set_report_fd((void *)(uintptr_t)before[1]);
	if (realpath(folder, path) == NULL)
		mistake_errno(folder);
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/syslog");
	setenv(syslog_file, path, 1);
}

void output_restore(void)
{
	fflush(stdout);
	for (int i = 0; i < 2; i++)
		dup2(before[i], STDOUT_FILENO + i);
	close(before[0]); /* Sanitizers have the other. */
	unsetenv(syslog_file);
}

int output_error(void)
{
	return before[1];
}

/* These stand in for those of libc, also for plugins, which are loaded after them. */
static void log_line(int priority, const char *format, va_list arguments)
{
	const char *path = getenv(syslog_file);
	FILE *out = path != NULL ? fopen(path, "a") : NULL;

	if (out == NULL)
		return;
	fprintf(out, "<%d> ", priority);
	vfprintf(out, format, arguments);
	fputc('\n', out);
	fclose(out);
}

__attribute__((visibility("default"))) void syslog(int priority, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_line(priority, format, arguments);
	va_end(arguments);
}

void __syslog_chk(int priority, int flag, const char *format, ...);

__attribute__((visibility("default"))) void __syslog_chk(int priority, int flag, const char *format,
							 ...)
{
	va_list arguments;

	(void)flag;
	va_start(arguments, format);
	log_line(priority, format, arguments);
	va_end(arguments);
}
