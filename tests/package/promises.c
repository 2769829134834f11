/* SPDX-License-Identifier: MIT */
/* Tries what an intruder in the collector might, under the collector's unit, and prints "WHAT:
 * done" or "WHAT: REASON" for each, then "end".  See inside/promises. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static void tell(const char *what, int rc)
{
	printf("%s: %s\n", what, rc >= 0 ? "done" : strerror(errno));
}

static int make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd >= 0)
		unlink(path);
	return fd;
}

/* In a child, as success would be its end. */
static int execute(const char *path)
{
	int status, pipes[2], errnum = 0;
	pid_t child;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -1;
	child = fork();
	if (child == 0) {
		execl(path, path, (char *)NULL);
		if (write(pipes[1], &errno, sizeof(errno)) < 0)
			_exit(2);
		_exit(1);
	}
	close(pipes[1]);
	if (read(pipes[0], &errnum, sizeof(errnum)) != sizeof(errnum))
		errnum = 0;
	waitpid(child, &status, 0);
	errno = errnum;
	return errnum == 0 ? 0 : -1;
}

int main(void)
{
	static const char *const outside[] = {
		"/etc/x",  "/usr/x", "/var/lib/x",       "/root/x",
		"/home/x", "/run/x", "/etc/collector/x", "/sys/kernel/x",
	};
	static const char *const own[] = {
		"/var/lib/collector/x",
		"/var/log/collector/x",
		"/run/collector/x",
	};
	struct perf_event_attr perf = { .size = sizeof(perf) };
	char text[64];

	for (size_t i = 0; i < LEN(outside); i++) {
		snprintf(text, sizeof(text), "write %s", outside[i]);
		tell(text, make(outside[i]));
	}
	for (size_t i = 0; i < LEN(own); i++) {
		snprintf(text, sizeof(text), "write own %s", own[i]);
		tell(text, make(own[i]));
	}
	tell("execute /bin/sh", execute("/bin/sh"));
	tell("execute own file", execute("/var/lib/collector/own"));
	tell("ptrace", (int)ptrace(PTRACE_ATTACH, 1, NULL, NULL));
	tell("signal", kill(1, SIGHUP));
	tell("raw socket", socket(AF_INET, SOCK_RAW, IPPROTO_TCP));
	tell("packet socket", socket(AF_PACKET, SOCK_RAW, 0));
	tell("write and execute", mmap(NULL, 4096, PROT_WRITE | PROT_EXEC,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
					  ? -1
					  : 0);
	tell("mount", mount("none", "/tmp", "tmpfs", 0, NULL));
	tell("namespace", unshare(CLONE_NEWUSER));
	tell("become root", setuid(0));
	tell("read /etc/shadow", open("/etc/shadow", O_RDONLY));
	tell("open /dev/mem", open("/dev/mem", O_RDWR));
	tell("set the clock", clock_settime(CLOCK_REALTIME, &(struct timespec){ 1, 0 }));
	tell("setuid file", chmod("/var/lib/collector/own", 04755));
	tell("load a module", (int)syscall(SYS_init_module, "", 0, ""));
	tell("trace by perf", (int)syscall(SYS_perf_event_open, &perf, 0, -1, -1, 0));
	tell("log of the kernel", klogctl(3, text, sizeof(text)));
	tell("name of the host", sethostname("intruder", 8));
	puts("end");
	return 0;
}
