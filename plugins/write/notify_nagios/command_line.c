/* SPDX-License-Identifier: MIT */
#include "command_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/check_result.h"

void command_line_host(const char *host, char out[COMMAND_LINE_HOST_SIZE])
{
	snprintf(out, COMMAND_LINE_HOST_SIZE, "%s", host != NULL ? host : "");
	for (char *c = out; *c != '\0'; c++)
		if (*c == ';')
			*c = '_';
}

size_t command_line_write(const struct mc_notification *notification, char out[COMMAND_LINE_SIZE])
{
	const char *message = notification->message != NULL ? notification->message : "";
	char host[COMMAND_LINE_HOST_SIZE], service[COMMAND_LINE_SERVICE_SIZE];
	size_t size;
	int written;

	command_line_host(notification->id.host, host);
	mc_check_result_service(&notification->id, service, sizeof(service));
	written = snprintf(out, COMMAND_LINE_SIZE - 1,
			   "[%" PRId64 "] PROCESS_SERVICE_CHECK_RESULT;%s;%s;"
			   "%d;%s",
			   notification->time / MC_SECOND, host, service,
			   mc_check_result_state(notification->severity), message);
	size = (size_t)written < COMMAND_LINE_SIZE - 1 ? (size_t)written : COMMAND_LINE_SIZE - 2;
	for (size_t i = 0; i < size; i++)
		if (out[i] == '\n' || out[i] == '\r')
			out[i] = ' ';
	out[size] = '\n';
	return size + 1;
}
