/* SPDX-License-Identifier: MIT */
#include "question.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ANSWER_NEVER UINT64_MAX

void question_give_up(struct bus *bus, const char *fmt, ...)
{
	va_list args;

	if (bus->why[0] != '\0')
		return;
	va_start(args, fmt);
	vsnprintf(bus->why, sizeof(bus->why), fmt, args);
	va_end(args);
}

/* A systemd that is not there is not to be started. */
void question_ask(struct bus *bus, sd_bus_message *message, sd_bus_message_handler_t answered,
		  void *argument)
{
	int rc = sd_bus_message_set_auto_start(message, 0);

	if (rc >= 0)
		rc = sd_bus_call_async(bus->connection, NULL, message, answered, argument,
				       ANSWER_NEVER);
	if (rc < 0)
		question_give_up(bus, "cannot ask it: %s", strerror(-rc));
	sd_bus_message_unref(message);
}

sd_bus_message *question_new(struct bus *bus, const char *path, const char *interface,
			     const char *member)
{
	sd_bus_message *message = NULL;
	bool is_bus = strcmp(interface, QUESTION_BUS) == 0;
	int rc = sd_bus_message_new_method_call(bus->connection, &message,
						is_bus ? QUESTION_BUS : QUESTION_SYSTEMD, path,
						interface, member);

	if (rc < 0)
		question_give_up(bus, "cannot ask it: %s", strerror(-rc));
	return rc < 0 ? NULL : message;
}

bool question_failed(struct bus *bus, sd_bus_message *message, const char *what)
{
	const sd_bus_error *error = sd_bus_message_get_error(message);

	if (error == NULL)
		return false;
	question_give_up(bus, "%s: %s", what,
			 error->message != NULL ? error->message : error->name);
	return true;
}
