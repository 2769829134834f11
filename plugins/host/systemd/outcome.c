/* SPDX-License-Identifier: MIT */
#include "outcome.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct number {
	int number;
	const char *name;
};

/* systemd.exec(5), "Process Exit Codes". */
static const struct number statuses[] = {
	{ 1, "FAILURE" },
	{ 2, "INVALIDARGUMENT" },
	{ 3, "NOTIMPLEMENTED" },
	{ 4, "NOPERMISSION" },
	{ 5, "NOTINSTALLED" },
	{ 6, "NOTCONFIGURED" },
	{ 7, "NOTRUNNING" },
	{ 64, "USAGE" },
	{ 65, "DATAERR" },
	{ 66, "NOINPUT" },
	{ 67, "NOUSER" },
	{ 68, "NOHOST" },
	{ 69, "UNAVAILABLE" },
	{ 70, "SOFTWARE" },
	{ 71, "OSERR" },
	{ 72, "OSFILE" },
	{ 73, "CANTCREAT" },
	{ 74, "IOERR" },
	{ 75, "TEMPFAIL" },
	{ 76, "PROTOCOL" },
	{ 77, "NOPERM" },
	{ 78, "CONFIG" },
	{ 200, "CHDIR" },
	{ 201, "NICE" },
	{ 202, "FDS" },
	{ 203, "EXEC" },
	{ 204, "MEMORY" },
	{ 205, "LIMITS" },
	{ 206, "OOM_ADJUST" },
	{ 207, "SIGNAL_MASK" },
	{ 208, "STDIN" },
	{ 209, "STDOUT" },
	{ 210, "CHROOT" },
	{ 211, "IOPRIO" },
	{ 212, "TIMERSLACK" },
	{ 213, "SECUREBITS" },
	{ 214, "SETSCHEDULER" },
	{ 215, "CPUAFFINITY" },
	{ 216, "GROUP" },
	{ 217, "USER" },
	{ 218, "CAPABILITIES" },
	{ 219, "CGROUP" },
	{ 220, "SETSID" },
	{ 221, "CONFIRM" },
	{ 222, "STDERR" },
	{ 224, "PAM" },
	{ 225, "NETWORK" },
	{ 226, "NAMESPACE" },
	{ 227, "NO_NEW_PRIVILEGES" },
	{ 228, "SECCOMP" },
	{ 229, "SELINUX_CONTEXT" },
	{ 230, "PERSONALITY" },
	{ 231, "APPARMOR_PROFILE" },
	{ 232, "ADDRESS_FAMILIES" },
	{ 233, "RUNTIME_DIRECTORY" },
	{ 235, "CHOWN" },
	{ 236, "SMACK_PROCESS_LABEL" },
	{ 237, "KEYRING" },
	{ 238, "STATE_DIRECTORY" },
	{ 239, "CACHE_DIRECTORY" },
	{ 240, "LOGS_DIRECTORY" },
	{ 241, "CONFIGURATION_DIRECTORY" },
	{ 242, "NUMA_POLICY" },
	{ 243, "CREDENTIALS" },
	{ 245, "BPF" },
};

static const struct number signals[] = {
	{ SIGHUP, "HUP" },   { SIGINT, "INT" },   { SIGQUIT, "QUIT" },     { SIGILL, "ILL" },
	{ SIGTRAP, "TRAP" }, { SIGABRT, "ABRT" }, { SIGBUS, "BUS" },       { SIGFPE, "FPE" },
	{ SIGKILL, "KILL" }, { SIGUSR1, "USR1" }, { SIGSEGV, "SEGV" },     { SIGUSR2, "USR2" },
	{ SIGPIPE, "PIPE" }, { SIGALRM, "ALRM" }, { SIGTERM, "TERM" },     { SIGXCPU, "XCPU" },
	{ SIGXFSZ, "XFSZ" }, { SIGSYS, "SYS" },   { SIGVTALRM, "VTALRM" },
};

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static const char *name_of(const struct number *numbers, size_t len, int number)
{
	for (size_t i = 0; i < len; i++)
		if (numbers[i].number == number)
			return numbers[i].name;
	return NULL;
}

/* "status 1/FAILURE" */
static void add(char *text, size_t size, const char *what, int number, const char *name)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s %d%s%s", what, number, name != NULL ? "/" : "",
		 name != NULL ? name : "");
}

static void add_text(char *text, size_t size, const char *what)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s", what);
}

/* The status is that of the main process, which another result is not about: of a command before
 * the start, or of the limit of starts. */
void outcome_text(const struct outcome *outcome, const char *unit, char *text, size_t size)
{
	const char *result = outcome->result;
	int status = outcome->status;
	bool has_signal = outcome->code == CLD_KILLED || outcome->code == CLD_DUMPED;
	bool has_status =
		strcmp(result, "exit-code") == 0 && outcome->code == CLD_EXITED && status != 0;

	snprintf(text, size, "%s has failed", unit);
	if (result[0] == '\0' || strcmp(result, "success") == 0)
		return;
	add_text(text, size, ": ");
	if (!has_signal || strcmp(result, "signal") != 0) {
		add_text(text, size, result);
		add_text(text, size, has_signal || has_status ? ", " : "");
	}
	if (has_signal)
		add(text, size, "signal", status, name_of(signals, LEN(signals), status));
	else if (has_status)
		add(text, size, "status", status, name_of(statuses, LEN(statuses), status));
}
