/* SPDX-License-Identifier: MIT */
/* Questions to systemd and to the bus, which fail together: one that cannot be asked, or that is
 * refused, ends the conversation.  Thread: the loop's. */
#pragma once

#include <systemd/sd-bus.h>

#include "bus.h"

#define QUESTION_SYSTEMD "org.freedesktop.systemd1"
#define QUESTION_PATH "/org/freedesktop/systemd1"
#define QUESTION_UNITS QUESTION_PATH "/unit"
#define QUESTION_MANAGER "org.freedesktop.systemd1.Manager"
#define QUESTION_PROPERTIES "org.freedesktop.DBus.Properties"
#define QUESTION_BUS "org.freedesktop.DBus"
#define QUESTION_BUS_PATH "/org/freedesktop/DBus"

/* The conversation ends, when the library has returned.  The first reason counts. */
void question_give_up(struct bus *, const char *fmt, ...) MC_PRINTF(2, 3);

/* A question to the bus, if the interface is its own, else to systemd.  NULL: given up. */
sd_bus_message *question_new(struct bus *, const char *path, const char *interface,
			     const char *member);

/* Sends the message, and frees it. */
void question_ask(struct bus *, sd_bus_message *, sd_bus_message_handler_t answered,
		  void *argument);

/* Whether the answer is an error; the conversation is given up then. */
bool question_failed(struct bus *, sd_bus_message *answer, const char *what);
