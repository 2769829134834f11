/* SPDX-License-Identifier: MIT */
/* A notification as a line for Nagios's command file.  Pure function. */
#pragma once

#include <limits.h>
#include <stddef.h>

#include <collector/plugin.h>

#define COMMAND_LINE_SIZE                                                                          \
	PIPE_BUF /* So much is written whole or not at all.                                        \
		  */

#define COMMAND_LINE_HOST_SIZE 256
#define COMMAND_LINE_SERVICE_SIZE 1024

/* The host as it stands in the line; NULL is "". */
void command_line_host(const char *host, char out[COMMAND_LINE_HOST_SIZE]);

/* Writes the line, with its end; returns its size.  A message that is too long is cut. */
size_t command_line_write(const struct mc_notification *, char out[COMMAND_LINE_SIZE]);
