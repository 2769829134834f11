/* SPDX-License-Identifier: MIT */
/* A loop under a stopped clock, without an engine. */
#pragma once

#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <collector/kit/loop.h>
#include <collector/serve.h>

#include "base/clock.h"

static int loop_stop_fd; /* Readable: the instance must stop. */
static char loop_log[2048];

/* In the place of those of the engine. */
mc_time mc_now(void)
{
	return clock_now();
}

int mc_stop_fd(struct mc_ctx *ctx)
{
	(void)ctx;
	return loop_stop_fd;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	size_t size = strlen(loop_log);
	va_list args;

	(void)ctx, (void)level;
	va_start(args, fmt);
	vsnprintf(loop_log + size, sizeof(loop_log) - size, fmt, args);
	va_end(args);
	size = strlen(loop_log);
	snprintf(loop_log + size, sizeof(loop_log) - size, "\n");
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	(void)ctx, (void)fmt;
	return errnum != 0 ? -errnum : -EINVAL;
}

/* Appends to a text of 'room' bytes. */
static inline void loop_lab_append(char *text, size_t room, const char *more, size_t size)
{
	size_t at = strlen(text);

	snprintf(text + at, room - at, "%.*s", (int)size, more);
}

struct loop_lab {
	struct mc_loop loop;
	struct mc_loop_wakeup wakeup; /* So that a round does not wait. */
};

static void loop_lab_end(void *loop)
{
	mc_loop_end(loop);
}

static inline void loop_lab_open(struct loop_lab *lab)
{
	*lab = (struct loop_lab){ 0 };
	clock_stop(1000 * MC_SECOND, 0);
	loop_log[0] = '\0';
	loop_stop_fd = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(mc_loop_init(&lab->loop), 0);
	lab->wakeup.woken = loop_lab_end;
	lab->wakeup.argument = &lab->loop;
	assert_int_equal(mc_loop_wakeup_init(&lab->wakeup), 0);
	assert_int_equal(mc_loop_watch_wakeup(&lab->loop, &lab->wakeup), 0);
}

static inline void loop_lab_close(struct loop_lab *lab)
{
	mc_loop_done(&lab->loop);
	mc_loop_wakeup_done(&lab->wakeup);
	close(loop_stop_fd);
}

/* One round: all that is ready, and due. */
static inline void loop_lab_round(struct loop_lab *lab)
{
	mc_loop_wake(&lab->wakeup);
	assert_int_equal(mc_loop_run(&lab->loop), 0);
}

/* As many as a conversation of a few steps needs. */
static inline void loop_lab_rounds(struct loop_lab *lab)
{
	for (int i = 0; i < 8; i++)
		loop_lab_round(lab);
}

static inline void loop_lab_step(struct loop_lab *lab, mc_time by)
{
	clock_step(by);
	loop_lab_rounds(lab);
}
