/* SPDX-License-Identifier: MIT */
/* pidfd_open(2), which is called by its number, for a program under valgrind 3.19, which does not
 * know it: to be preloaded.  A thread waits for the process, and closes a pipe then. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct watch {
	pid_t pid;
	int fd;
};

long syscall(long number, ...);

static void *watch_main(void *argument)
{
	struct watch *watch = argument;
	siginfo_t info;

	while (waitid(P_PID, (id_t)watch->pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
		;
	close(watch->fd);
	free(watch);
	return NULL;
}

static int pipe_of(pid_t pid)
{
	struct watch *watch = malloc(sizeof(*watch));
	pthread_t thread;
	int fds[2];

	if (watch == NULL || pipe2(fds, O_CLOEXEC) != 0)
		return -1;
	*watch = (struct watch){ pid, fds[1] };
	if (pthread_create(&thread, NULL, watch_main, watch) != 0)
		return -1;
	pthread_detach(thread);
	return fds[0];
}

long syscall(long number, ...)
{
	long (*other)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_pidfd_open)
		return pipe_of((pid_t)a[0]);
	return other(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
