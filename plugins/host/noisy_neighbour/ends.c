/* SPDX-License-Identifier: MIT */
#include "ends.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#include "parse.h"
#include "subject.h"

#define MESSAGE_SIZE 320

/* As linux/pidfd.h has them; older ones do not. */
struct pidfd_info_0 {
	uint64_t mask, cgroup;
	uint32_t numbers[11]; /* Of the process, its parent and its user. */
	int32_t exit_code;
};
_Static_assert(sizeof(struct pidfd_info_0) == 64, "as the kernel has it");
#define GET_INFO _IOWR(0xFF, 11, struct pidfd_info_0)
#define INFO_EXIT (UINT64_C(1) << 3)

/* By number: not every libc has the function. */
int ends_watch(uint32_t pid)
{
	return (int)syscall(SYS_pidfd_open, (pid_t)pid, 0U);
}

bool ends_status(int pidfd, const char *stat, int *status)
{
	struct pidfd_info_0 info = { .mask = INFO_EXIT };

	if (stat != NULL)
		return parse_exit_code(stat, status);
	if (pidfd < 0 || ioctl(pidfd, GET_INFO, &info) < 0 || (info.mask & INFO_EXIT) == 0)
		return false;
	*status = info.exit_code;
	return true;
}

void ends_add(struct ends *ends, const char *name, uint32_t pid, int status)
{
	struct ends_item *item;

	MC_ARRAY_GROW(ends->items, ends->len, ends->size);
	item = &ends->items[ends->len++];
	*item = (struct ends_item){ .pid = pid, .status = status };
	snprintf(item->name, sizeof(item->name), "%s", name);
}

/* False if it has ended as it was to: by itself, or on request. */
static bool describe(const struct ends_item *end, char out[MESSAGE_SIZE])
{
	int status = end->status;

	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGTERM && WTERMSIG(status) != SIGINT) {
		snprintf(out, MESSAGE_SIZE,
			 "%s has crashed: its QEMU, process %u, was ended by signal %d (%s)",
			 end->name, end->pid, WTERMSIG(status), strsignal(WTERMSIG(status)));
		return true;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
		snprintf(out, MESSAGE_SIZE,
			 "%s has failed: its QEMU, process %u, ended with exit status %d",
			 end->name, end->pid, WEXITSTATUS(status));
		return true;
	}
	return false;
}

void ends_report(struct mc_ctx *ctx, struct ends *ends, bool guests_are_hosts)
{
	for (size_t i = 0; i < ends->len; i++) {
		const struct ends_item *end = &ends->items[i];
		struct mc_notification notification = {
			.severity = MC_FAILURE,
			.id = subject_of(end->name, guests_are_hosts, "domain_state"),
		};
		char message[MESSAGE_SIZE];

		if (!describe(end, message))
			continue;
		notification.message = message;
		mc_notify(ctx, &notification);
	}
	ends_done(ends);
}

void ends_done(struct ends *ends)
{
	free(ends->items);
	*ends = (struct ends){ 0 };
}
