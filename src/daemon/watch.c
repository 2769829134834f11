/* SPDX-License-Identifier: MIT */
/* The work of the main thread while the engine runs. */
#include "daemon/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <collector/control.h>
#include <collector/private/recorded.h>

#include "base/clock.h"
#include "base/log.h"
#include "daemon/process/watchdog.h"

#define STATUS_FIRST (10 * MC_SECOND)    /* When all have read for once. */
#define STATUS_INTERVAL (60 * MC_SECOND) /* Between two reports for systemctl. */

static void ending_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
}

void watch_prepare(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void watch_begin(void)
{
	sigset_t set;

	ending_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static int open_signals(void)
{
	sigset_t set;
	int fd;

	ending_signals(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* From now on they do what they do to any process. */
static void release_signals(void)
{
	sigset_t set;

	ending_signals(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* --- What is due now and then ----------------------------------------- */

static void sooner(mc_time *next, mc_time due)
{
	if (due < *next)
		*next = due;
}

static mc_time do_flushes(struct instances *instances, mc_time now)
{
	mc_time next = CLOCK_NEVER;

	for (size_t i = 0; i < instances->len; i++) {
		struct member *member = &instances->items[i];

		if (member->flush_interval == 0)
			continue;
		if (member->flush_due == 0)
			member->flush_due = now + member->flush_interval;
		if (member->flush_due <= now) {
			mc_flush(member->ctx, member->ctx->name, member->flush_timeout, NULL);
			member->flush_due = now + member->flush_interval;
		}
		sooner(&next, member->flush_due);
	}
	return next;
}

struct dues { /* clock_now() */
	mc_time status;
	bool shown;    /* How many series there are, ... */
	size_t series; /* ... whose number this was. */
};

/* The status for systemctl, if it differs from the last one sent. */
static void tell_status(struct watch *watch, struct dues *dues, mc_time now)
{
	size_t series = engine_series(watch->engine);

	if (!dues->shown || series != dues->series)
		systemd_say(watch->systemd, "STATUS=running: %zu series", series);
	dues->status = now + (dues->shown ? STATUS_INTERVAL : STATUS_FIRST);
	dues->shown = true;
	dues->series = series;
}

static mc_time do_status(struct watch *watch, struct dues *dues, mc_time now)
{
	if (watch->systemd->fd < 0)
		return CLOCK_NEVER;
	if (dues->status <= now)
		tell_status(watch, dues, now);
	return dues->status;
}

/* For poll(2), rounded up. */
static int wait_ms(mc_time next, mc_time now)
{
	mc_time ms;

	if (next == CLOCK_NEVER)
		return -1;
	ms = (next - now + MC_MILLISECOND - 1) / MC_MILLISECOND;
	return ms < 0 ? 0 : ms > 3600000 ? 3600000 : (int)ms;
}

/* --- Signals ---------------------------------------------------------- */

static void dump(struct engine *engine)
{
	char where[MC_DUMP_WHERE_SIZE];

	if (engine_dump(engine, "SIGUSR2", where, sizeof(where)) < 0)
		log_warn("SIGUSR2: no plugin can dump what it has recorded");
}

/* False when it is time to stop. */
static bool take_signal(struct watch *watch, const struct signalfd_siginfo *info)
{
	switch (info->ssi_signo) {
	case SIGHUP:
		engine_reopen(watch->engine);
		log_note("logs reopened");
		watch->reload(watch->argument);
		return true;
	case SIGUSR1:
		engine_flush(watch->engine);
		log_note("flush of all writers requested");
		return true;
	case SIGUSR2:
		dump(watch->engine);
		return true;
	default:
		log_note("stopping: %s from process %u",
			 info->ssi_signo == SIGINT ? "SIGINT" : "SIGTERM", info->ssi_pid);
		return false;
	}
}

int watch_run(struct watch *watch)
{
	struct pollfd signals = { .fd = open_signals(), .events = POLLIN };
	struct signalfd_siginfo info;
	struct dues dues = { 0 };
	struct watchdog watchdog;
	bool more = true;
	int rc;

	if (signals.fd < 0)
		return signals.fd;
	rc = watchdog_start(&watchdog, watch->systemd, watch->engine);
	if (rc < 0)
		log_error("cannot feed the watchdog of systemd: %s", strerror(-rc));
	while (more) {
		mc_time now = clock_now(), next = do_flushes(watch->instances, now);

		sooner(&next, do_status(watch, &dues, now));
		watchdog_turn(&watchdog, true);
		poll(&signals, 1, wait_ms(next, now));
		watchdog_turn(&watchdog, false);
		/* One a turn: many of them delay nothing that is due. */
		if (read(signals.fd, &info, sizeof(info)) == sizeof(info))
			more = take_signal(watch, &info);
		engine_tidy(watch->engine);
	}
	watchdog_stop(&watchdog);
	close(signals.fd);
	release_signals();
	return 0;
}
