/* SPDX-License-Identifier: MIT */
/* Other threads wake a loop: eventfd(2). */
#include <collector/kit/loop.h>

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void on_wake(void *argument, uint32_t events)
{
	struct mc_loop_wakeup *wakeup = argument;
	eventfd_t count;

	(void)events;
	/* Before the callback: what others add from here on wakes the loop again. */
	eventfd_read(wakeup->file.fd, &count);
	wakeup->woken(wakeup->argument);
}

int mc_loop_wakeup_init(struct mc_loop_wakeup *wakeup)
{
	wakeup->file = (struct mc_loop_file){
		.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.ready = on_wake,
		.argument = wakeup,
	};
	return wakeup->file.fd < 0 ? -errno : 0;
}

void mc_loop_wakeup_done(struct mc_loop_wakeup *wakeup)
{
	/* 0: it was never made. */
	if (wakeup->file.fd > 0)
		close(wakeup->file.fd);
	wakeup->file.fd = -1;
}

void mc_loop_wake(struct mc_loop_wakeup *wakeup)
{
	int error = errno;

	/* Of a full counter, which is readable all the same, it fails. */
	eventfd_write(wakeup->file.fd, 1);
	errno = error;
}
