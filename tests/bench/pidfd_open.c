/* SPDX-License-Identifier: MIT */
/* pidfd_open(2) for a program under valgrind 3.19, which does not know it: to
 * be preloaded.  A thread waits for the process, and closes a pipe then. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct watch {
	pid_t pid;
	int fd;
};

int pidfd_open(pid_t pid, unsigned flags);

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

int pidfd_open(pid_t pid, unsigned flags)
{
	struct watch *watch = malloc(sizeof(*watch));
	pthread_t thread;
	int fds[2];

	(void)flags;
	if (watch == NULL || pipe2(fds, O_CLOEXEC) != 0)
		return -1;
	*watch = (struct watch){ pid, fds[1] };
	if (pthread_create(&thread, NULL, watch_main, watch) != 0)
		return -1;
	pthread_detach(thread);
	return fds[0];
}
