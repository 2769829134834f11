/* SPDX-License-Identifier: MIT */
#include "handlers.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/writer.h>

#include "notice.h"

#define OUTPUT_MAX ((size_t)1 << 20) /* Which nobody reads. */

static void take_end(void *argument, const struct mc_child_end *end)
{
	struct handler *handler = argument;

	handler->all->running--;
	mc_command_ended(&handler->command, end, 0);
}

int handlers_start(struct handlers *handlers, struct mc_ctx *ctx, const struct mc_blocks *all,
		   const char *const *env)
{
	const struct mc_command_words *words = all->items;

	pthread_mutex_init(&handlers->lock, NULL);
	handlers->items = mc_alloc_array(all->len, sizeof(*handlers->items));
	handlers->len = all->len;
	for (size_t i = 0; i < all->len; i++) {
		struct handler *handler = &handlers->items[i];
		struct mc_program *program = &handler->command.program;

		handler->all = handlers;
		mc_command_init(&handler->command, ctx, &words[i], env);
		program->time_max = handlers->time_max;
		program->output_max = OUTPUT_MAX;
		program->ended = take_end;
		program->argument = handler;
	}
	return mc_loop_wakeup_init(&handlers->wakeup);
}

static char *take(struct handlers *handlers)
{
	char *text = NULL;

	pthread_mutex_lock(&handlers->lock);
	if (handlers->waiting_len > 0) {
		text = handlers->waiting[handlers->first];
		handlers->first = (handlers->first + 1) % HANDLERS_WAITING_MAX;
		handlers->waiting_len--;
	}
	pthread_mutex_unlock(&handlers->lock);
	return text;
}

unsigned handlers_stop(struct handlers *handlers)
{
	unsigned lost = 0;
	char *text;

	if (handlers->items == NULL)
		return 0;
	while ((text = take(handlers)) != NULL) {
		free(text);
		lost++;
	}
	for (size_t i = 0; i < handlers->len; i++)
		mc_command_done(&handlers->items[i].command);
	free(handlers->items);
	handlers->items = NULL;
	mc_loop_wakeup_done(&handlers->wakeup);
	pthread_mutex_destroy(&handlers->lock);
	return lost;
}

bool handlers_add(struct handlers *handlers, struct mc_ctx *ctx,
		  const struct mc_notification *notification)
{
	char *text = notice_text(ctx, notification);
	bool fits;

	pthread_mutex_lock(&handlers->lock);
	fits = handlers->waiting_len < HANDLERS_WAITING_MAX;
	if (fits)
		handlers->waiting[(handlers->first + handlers->waiting_len++) %
				  HANDLERS_WAITING_MAX] = text;
	pthread_mutex_unlock(&handlers->lock);
	if (fits)
		mc_loop_wake(&handlers->wakeup);
	else
		free(text);
	return fits;
}

static void start_all(struct handlers *handlers, struct mc_spawner *spawner, const char *text)
{
	for (size_t i = 0; i < handlers->len; i++) {
		struct mc_command *command = &handlers->items[i].command;

		command->program.input = text;
		command->program.input_size = strlen(text);
		if (mc_command_start(command, spawner, NULL))
			handlers->running++;
	}
}

void handlers_work(struct handlers *handlers, struct mc_spawner *spawner)
{
	char *text;

	/* All programs of a notification are started at once. */
	while (handlers->running < handlers->running_max && (text = take(handlers)) != NULL) {
		start_all(handlers, spawner, text);
		free(text);
	}
}
