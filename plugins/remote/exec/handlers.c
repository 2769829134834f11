/* SPDX-License-Identifier: MIT */
#include "handlers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/writer.h>

#define OUTPUT_MAX ((size_t)1 << 20) /* Which nobody reads. */

/* "Name: value", unless it is empty.  Nothing in it may end the line. */
static void add_field(struct mc_buffer *out, const char *name, const char *value)
{
	size_t start;

	if (value == NULL || *value == '\0')
		return;
	mc_buffer_add(out, name, strlen(name));
	mc_buffer_add(out, ": ", 2);
	start = out->size;
	mc_buffer_add(out, value, strlen(value));
	for (size_t i = start; i < out->size; i++)
		if (out->at[i] == '\n' || out->at[i] == '\r')
			out->at[i] = ' ';
	mc_buffer_add(out, "\n", 1);
}

/* A notification as programs read it; to be freed. */
static char *text_of(const struct mc_notification *notification)
{
	const struct mc_id *id = &notification->id;
	struct mc_buffer out = { 0 };
	mc_time ms = notification->time / MC_MILLISECOND;
	char time[48];

	snprintf(time, sizeof(time), "%" PRId64 ".%03" PRId64, ms / 1000, ms % 1000);
	add_field(&out, "Severity", mc_severity_name(notification->severity));
	add_field(&out, "Time", time);
	add_field(&out, "Host", id->host);
	add_field(&out, "Plugin", id->plugin);
	add_field(&out, "PluginInstance", id->plugin_instance);
	add_field(&out, "Type", id->type);
	add_field(&out, "TypeInstance", id->type_instance);
	for (unsigned i = 0; i < notification->fields_len; i++)
		add_field(&out, notification->fields[i].name, notification->fields[i].value);
	mc_buffer_add(&out, "\n", 1);
	if (notification->message != NULL)
		mc_buffer_add(&out, notification->message, strlen(notification->message));
	mc_buffer_add(&out, "\n", 1);
	return out.at;
}

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

bool handlers_add(struct handlers *handlers, const struct mc_notification *notification)
{
	char *text = text_of(notification);
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
