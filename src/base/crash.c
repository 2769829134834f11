/* SPDX-License-Identifier: MIT */
/* The line of a crash.  In a handler of signals only what signal-safety(7)
 * lists may be called, and prctl(2), which is a system call alone.  One of the
 * files with variables of their own: a handler has no argument. */
#include "base/crash.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LINE_SIZE 400
#define STACK_SIZE 32768 /* The registers alone can take 12,000 bytes. */

/* Priorities of syslog(3): critical, and of a daemon. */
#define JOURNAL_PREFIX "<2>"
#define SYSLOG_PREFIX "<26>collectord: "

static const struct {
	int number;
	const char *name;
} signals[] = {
	{ SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" },   { SIGILL, "SIGILL" },
	{ SIGFPE, "SIGFPE" },   { SIGABRT, "SIGABRT" },
};
#define SIGNALS_LEN (sizeof(signals) / sizeof(*signals))

static struct sigaction before[SIGNALS_LEN]; /* Set by crash_watch(). */
static bool journal, to_syslog;              /* Set by crash_watch(). */
static _Thread_local const char *plugin;

struct line {
	char text[LINE_SIZE];
	size_t size;
};

static void add(struct line *line, const char *text)
{
	size_t size = strlen(text), room = sizeof(line->text) - line->size;

	if (size > room)
		size = room;
	memcpy(line->text + line->size, text, size);
	line->size += size;
}

static void add_hex(struct line *line, uintptr_t number)
{
	char digits[2 * sizeof(number) + 1];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do {
		*--at = "0123456789abcdef"[number % 16];
		number /= 16;
	} while (number > 0);
	add(line, "0x");
	add(line, at);
}

/* The rest of the line, after a prefix. */
static void describe(struct line *line, size_t i, const siginfo_t *info)
{
	char thread[16 + 1] = "";

	add(line, "crashes: ");
	add(line, signals[i].name);
	if (info->si_code <= 0) {
		add(line, " sent by a process");
	} else {
		add(line, " at address ");
		add_hex(line, (uintptr_t)info->si_addr);
	}
	add(line, plugin != NULL ? ", in the plugin '" : ", in no plugin");
	if (plugin != NULL) {
		add(line, plugin);
		add(line, "'");
	}
	prctl(PR_GET_NAME, thread);
	add(line, ", thread '");
	add(line, thread);
	add(line, "'");
}

static void send_to_syslog(const struct line *line)
{
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/dev/log" };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return;
	sendto(fd, line->text, line->size, MSG_NOSIGNAL, (const struct sockaddr *)&address,
	       sizeof(address));
	close(fd);
}

static void say(size_t i, const siginfo_t *info)
{
	struct line line = { .size = 0 };

	if (journal)
		add(&line, JOURNAL_PREFIX);
	describe(&line, i, info);
	add(&line, "\n");
	/* Without standard error there is nowhere to report. */
	if (write(STDERR_FILENO, line.text, line.size) < 0)
		line.size = 0;
	if (!to_syslog)
		return;
	line.size = 0;
	add(&line, SYSLOG_PREFIX);
	describe(&line, i, info);
	send_to_syslog(&line);
}

/* A signal raised by an instruction comes again when that is retried; a sent one is sent again. */
static void handle(int number, siginfo_t *info, void *context)
{
	size_t i = 0;

	(void)context;
	while (i < SIGNALS_LEN - 1 && signals[i].number != number)
		i++;
	say(i, info);
	sigaction(number, &before[i], NULL);
	if (info->si_code <= 0)
		raise(number);
}

void crash_watch(bool stderr_is_journal, bool syslog)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	journal = stderr_is_journal;
	to_syslog = syslog;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < SIGNALS_LEN; i++)
		sigaction(signals[i].number, &action, &before[i]);
}

void *crash_stack_open(void)
{
	stack_t stack = { .ss_size = STACK_SIZE };

	stack.ss_sp =
		mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp == MAP_FAILED)
		return NULL;
	sigaltstack(&stack, NULL);
	return stack.ss_sp;
}

void crash_stack_close(void *stack)
{
	const stack_t none = { .ss_flags = SS_DISABLE };

	if (stack == NULL)
		return;
	sigaltstack(&none, NULL);
	munmap(stack, STACK_SIZE);
}

void crash_leave_open(sigset_t *set)
{
	for (size_t i = 0; i < SIGNALS_LEN; i++)
		sigdelset(set, signals[i].number);
}

const char *crash_set_plugin(const char *name)
{
	const char *last = plugin;

	plugin = name;
	return last;
}
