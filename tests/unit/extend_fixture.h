/* SPDX-License-Identifier: MIT */
/* What the core, libvirt, programs and the clock do for an extender in test_virt_extend.c. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <collector/kit/alloc.h>
#include <collector/kit/loop.h>
#include <collector/private/alerts.h>

#include "extend.h"
#include "extend_look.h"

#define LOGGED_MAX 32
#define PROGRAMS_MAX 16

static struct {
	mc_time now;
	struct mc_loop *loop;
	mc_time due; /* Of the loop's timer. */

	struct mc_program programs[PROGRAMS_MAX]; /* Those that were begun. */
	char variables[PROGRAMS_MAX][1024];
	size_t programs_len;

	/* What libvirt says, by the last letter of a disk's name. */
	uint64_t sizes[4], allocations[4];
	bool away, gone;
	const char *chain;
	const char *hanging; /* A disk about which it does not answer. */
	struct extend_look *asked;
	unsigned armed; /* Thresholds that were set. */
	uint64_t threshold;

	struct extend_look done; /* The last one. */
	unsigned done_len;

	char logged[LOGGED_MAX][256];
	size_t logged_len;
	enum mc_severity severity;
	char reason[512];
	unsigned stood;
} fake;

mc_time mc_now(void)
{
	return fake.now;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	va_list args;

	(void)ctx;
	(void)level;
	assert_in_range(fake.logged_len, 0, LOGGED_MAX - 1);
	va_start(args, fmt);
	vsnprintf(fake.logged[fake.logged_len++], sizeof(fake.logged[0]), fmt, args);
	va_end(args);
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	(void)ctx;
	(void)fmt;
	return -errnum;
}

void mc_complain(struct mc_ctx *ctx, struct mc_once *once, int errnum, const char *fmt, ...)
{
	(void)ctx;
	(void)once;
	(void)errnum;
	(void)fmt;
}

void mc_stand(struct mc_ctx *ctx, const struct mc_standing *standing)
{
	(void)ctx;
	assert_string_equal(standing->id.type, "virt_disk_extension");
	assert_string_equal(standing->id.host, "web");
	fake.severity = standing->severity;
	snprintf(fake.reason, sizeof(fake.reason), "%s", standing->reason);
	fake.stood++;
}

int mc_loop_init(struct mc_loop *loop)
{
	fake.loop = loop;
	return 0;
}

void mc_loop_done(struct mc_loop *loop)
{
	(void)loop;
}

int mc_loop_run(struct mc_loop *loop)
{
	(void)loop;
	return 0;
}

int mc_loop_watch(struct mc_loop *loop, struct mc_loop_file *file, uint32_t events)
{
	(void)loop;
	(void)file;
	(void)events;
	return 0;
}

void mc_loop_set_timer(struct mc_loop *loop, struct mc_loop_timer *timer, mc_time due)
{
	(void)loop;
	(void)timer;
	fake.due = due;
}

int mc_loop_wakeup_init(struct mc_loop_wakeup *wakeup)
{
	(void)wakeup;
	return 0;
}

void mc_loop_wakeup_done(struct mc_loop_wakeup *wakeup)
{
	(void)wakeup;
}

void mc_loop_wake(struct mc_loop_wakeup *wakeup)
{
	(void)wakeup;
}

struct mc_spawner *mc_spawner_new(struct mc_loop *loop, const char *helper)
{
	(void)loop;
	(void)helper;
	return NULL;
}

void mc_spawner_free(struct mc_spawner *spawner)
{
	(void)spawner;
}

int mc_spawn(struct mc_spawner *spawner, const struct mc_program *program, struct mc_child **child)
{
	char *text = fake.variables[fake.programs_len];

	(void)spawner;
	(void)child;
	assert_in_range(fake.programs_len, 0, PROGRAMS_MAX - 1);
	text[0] = '\0';
	for (size_t i = 0; program->env[i] != NULL; i++) {
		size_t at = strlen(text);

		snprintf(text + at, sizeof(fake.variables[0]) - at, "%s|", program->env[i]);
	}
	fake.programs[fake.programs_len++] = *program;
	return 0;
}

const char **mc_command_env(const struct mc_ctx *ctx)
{
	(void)ctx;
	return mc_alloc_zero(sizeof(char *));
}

void mc_command_init(struct mc_command *command, struct mc_ctx *ctx,
		     const struct mc_command_words *words, const char *const *env)
{
	(void)ctx;
	(void)words;
	(void)env;
	command->program = (struct mc_program){ 0 };
}

void mc_command_done(struct mc_command *command)
{
	(void)command;
}

void mc_command_check(struct mc_ctx *ctx, const struct mc_command_words *words, bool may_be_root)
{
	(void)ctx;
	(void)words;
	(void)may_be_root;
}

void mc_command_ended(struct mc_command *command, const struct mc_child_end *end, int status_max)
{
	(void)command;
	(void)end;
	(void)status_max;
}

void mc_command_say(struct mc_command *command, const char *fault, const char *line)
{
	(void)command;
	(void)fault;
	(void)line;
}

struct extend_looks *extend_look_new(const char *uri, struct mc_loop_wakeup *wakeup)
{
	(void)uri;
	(void)wakeup;
	return NULL;
}

void extend_look_free(struct mc_ctx *ctx, struct extend_looks *looks)
{
	(void)ctx;
	(void)looks;
	for (struct extend_look *next; fake.asked != NULL; fake.asked = next) {
		next = fake.asked->next;
		free(fake.asked);
	}
}

void extend_look_ask(struct mc_ctx *ctx, struct extend_looks *looks, struct extend_look *look)
{
	(void)ctx;
	(void)looks;
	look->next = fake.asked;
	fake.asked = look;
}

static void answer(struct extend_look *look)
{
	size_t disk = (size_t)(look->disk[strlen(look->disk) - 1] - 'a');
	struct watermark_disk at = { .size = fake.sizes[disk],
				     .allocation = fake.allocations[disk] };
	struct watermark_disk empty = { .size = fake.sizes[disk] };

	look->gone = fake.gone;
	if (fake.gone)
		return;
	if (fake.away) {
		snprintf(look->reason, sizeof(look->reason), "it is away");
		return;
	}
	look->answered = true;
	look->size = at.size;
	look->beyond = at.allocation >= threshold_bytes(&look->mark, &empty);
	look->threshold = threshold_bytes(&look->mark, &at);
	look->set = look->size > look->from;
	fake.armed += look->set;
	fake.threshold = look->set ? look->threshold : fake.threshold;
	snprintf(look->chain, sizeof(look->chain), "%s", fake.chain);
}

/* Not of a guest that hangs. */
struct extend_look *extend_look_take(struct mc_ctx *ctx, struct extend_looks *looks)
{
	struct extend_look **at = &fake.asked, *taken;

	(void)ctx;
	(void)looks;
	while (*at != NULL && strcmp((*at)->disk, fake.hanging) == 0)
		at = &(*at)->next;
	taken = *at;
	if (taken == NULL)
		return NULL;
	*at = taken->next;
	answer(taken);
	return taken;
}
