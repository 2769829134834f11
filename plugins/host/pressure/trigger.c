/* SPDX-License-Identifier: MIT */
#include "trigger.h"

#include <collector/check.h>
#include <collector/kit/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const resources[] = { "cpu", "memory", "io", "irq", NULL };
static const char *const levels[] = { "some", "full", NULL };
static const char *const severities[] = { "WARNING", "FAILURE", NULL };

/* --- Options -------------------------------------------------------------- */

static const struct mc_option options[] = {
	{ .name = "",
	  MC_OPT_WORD(struct trigger, resource),
	  .words = resources,
	  .required = true,
	  .help = "What tasks wait for." },
	{ .name = "Level",
	  MC_OPT_WORD(struct trigger, level),
	  .words = levels,
	  .default_value = "some",
	  .help = "Whether some task or all tasks at once wait." },
	{ .name = "Stall",
	  MC_OPT_TIME(struct trigger, stall),
	  .min = 0.001,
	  .max = 10,
	  .default_value = "0.15",
	  .help = "Seconds of waiting in a window that are too many." },
	{ .name = "Window",
	  MC_OPT_TIME(struct trigger, window),
	  .min = 0.5,
	  .max = 10,
	  .default_value = "2",
	  .help = "Seconds in which waiting is added up." },
	{ .name = "Severity",
	  MC_OPT_WORD(struct trigger, severity),
	  .words = severities,
	  .default_value = "WARNING",
	  .help = "Severity of the notification." },
	{ .name = "Calm",
	  MC_OPT_TIME(struct trigger, calm),
	  .min = 1,
	  .max = 86400,
	  .default_value = "30",
	  .help = "Seconds without too much waiting after which it is over." },
	{ 0 }
};

const struct mc_block trigger_block = { sizeof(struct trigger), options };

void trigger_check(struct mc_ctx *ctx, const struct mc_blocks *triggers)
{
	struct trigger *items = triggers->items;

	if (triggers->len > TRIGGERS_MAX)
		mc_check_error(ctx, triggers, "is given more than %d times", TRIGGERS_MAX);
	for (size_t i = 0; i < triggers->len; i++) {
		if (items[i].stall >= items[i].window)
			mc_check_error(ctx, &items[i].stall, "must be less than Window");
		if (items[i].calm < items[i].window)
			mc_check_error(ctx, &items[i].calm, "must not be less than Window");
	}
}

/* --- Notifications -------------------------------------------------------- */

static void notify(struct mc_ctx *ctx, const struct trigger *trigger, enum mc_severity severity,
		   const char *message)
{
	const struct mc_notification notification = {
		.severity = severity,
		.id = MC_ID(.plugin_instance = resources[trigger->resource],
			    .type = "pressure_stall", .type_instance = levels[trigger->level]),
		.message = message,
	};

	mc_notify(ctx, &notification);
}

static double seconds(mc_time time)
{
	return (double)time / (double)MC_SECOND;
}

void trigger_event(struct mc_ctx *ctx, struct trigger *trigger, mc_time now)
{
	char message[128];

	trigger->over_until = now + trigger->calm;
	if (trigger->over)
		return;
	trigger->over = true;
	snprintf(message, sizeof(message), "%s tasks waited for %s for %g s or more within %g s",
		 trigger->level == 0 ? "some" : "all", resources[trigger->resource],
		 seconds(trigger->stall), seconds(trigger->window));
	notify(ctx, trigger, trigger->severity == 0 ? MC_WARNING : MC_FAILURE, message);
}

mc_time trigger_look(struct mc_ctx *ctx, struct trigger *trigger, mc_time now)
{
	char message[128];

	if (!trigger->over)
		return -1;
	if (now < trigger->over_until)
		return trigger->over_until - now;
	trigger->over = false;
	snprintf(message, sizeof(message),
		 "%s tasks have waited for %s for less than %g s within %g s, "
		 "for %g s",
		 trigger->level == 0 ? "some" : "all", resources[trigger->resource],
		 seconds(trigger->stall), seconds(trigger->window), seconds(trigger->calm));
	notify(ctx, trigger, MC_OKAY, message);
	return -1;
}

/* --- The kernel ----------------------------------------------------------- */

/* The descriptor of a trigger; -1, and a line in the log, without one. */
static int watch(struct mc_ctx *ctx, const struct trigger *trigger)
{
	char name[32], path[4096], text[64];
	int fd, size;

	snprintf(name, sizeof(name), "/proc/pressure/%s", resources[trigger->resource]);
	fd = open(mc_path(ctx, name, path, sizeof(path)), O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		mc_log(ctx, MC_WARN, "cannot watch '%s': %s", name, strerror(errno));
		return -1;
	}
	size = snprintf(text, sizeof(text), "%s %" PRId64 " %" PRId64, levels[trigger->level],
			trigger->stall / 1000, trigger->window / 1000);
	if (write(fd, text, (size_t)size + 1) < 0) {
		mc_log(ctx, MC_WARN, "cannot watch '%s': the kernel refuses '%s': %s", name, text,
		       strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

static void handle(struct mc_ctx *ctx, struct trigger *trigger, struct pollfd *poll_fd)
{
	if (poll_fd->revents & POLLPRI)
		trigger_event(ctx, trigger, mc_now());
	if (poll_fd->revents & (POLLERR | POLLNVAL)) {
		mc_log(ctx, MC_WARN, "the kernel no longer watches '%s'",
		       resources[trigger->resource]);
		close(poll_fd->fd);
		poll_fd->fd = -1;
	}
}

/* When one of them may be over; INT64_MAX: none is under way. */
static mc_time look_at_all(struct mc_ctx *ctx, const struct mc_blocks *triggers)
{
	struct trigger *items = triggers->items;
	mc_time next = INT64_MAX, now = mc_now();

	for (size_t i = 0; i < triggers->len; i++) {
		mc_time time = trigger_look(ctx, &items[i], now);

		if (time >= 0 && now + time < next)
			next = now + time;
	}
	return next;
}

int trigger_run(struct mc_ctx *ctx, const struct mc_blocks *triggers)
{
	struct trigger *items = triggers->items;
	size_t len = triggers->len;
	struct pollfd poll_fds[TRIGGERS_MAX];
	int rc;

	if (len > TRIGGERS_MAX)
		len = TRIGGERS_MAX;
	for (size_t i = 0; i < len; i++)
		poll_fds[i] = (struct pollfd){ .fd = watch(ctx, &items[i]), .events = POLLPRI };
	while ((rc = mc_wait(ctx, poll_fds, len, look_at_all(ctx, triggers))) >= 0)
		for (size_t i = 0; i < len; i++)
			handle(ctx, &items[i], &poll_fds[i]);
	for (size_t i = 0; i < len; i++)
		if (poll_fds[i].fd >= 0)
			close(poll_fds[i].fd);
	return rc == -ECANCELED ? 0 : mc_fail(ctx, -rc, "cannot wait for pressure");
}
