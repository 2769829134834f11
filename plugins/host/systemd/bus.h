/* SPDX-License-Identifier: MIT */
/* A conversation with systemd by the system bus: lists its units at first, follows what it reports
 * of them, and begins anew where it must (sd-bus(3), org.freedesktop.systemd1(5)).
 *
 * Thread: the loop's. */
#pragma once

#include <collector/kit/backoff.h>
#include <collector/kit/loop.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>

#include "units.h"

struct sd_bus;
struct sd_bus_message;
struct bus;

/* Questions at a time: the bus lets a client have 128. */
#define BUS_CALLS_MAX 32
#define BUS_NAME_SIZE 256 /* Of a unit, as systemd has it. */

struct bus_call { /* A question about a unit. */
	struct bus *bus;
	bool is_used;
	enum unit_fact fact;
	char name[BUS_NAME_SIZE];
};

struct bus {
	/* The caller's: */
	struct mc_loop *loop;
	const char *path; /* Of the bus' socket. */
	struct units *units;
	const struct mc_strings *names; /* Units that are wanted by name, or NULL. */
	bool lists_all;                 /* Others may be wanted, too: */
	bool (*wants)(void *argument, const char *name);
	void (*changed)(void *argument, struct unit *); /* All its facts are there. */
	void (*removed)(void *argument, struct unit *); /* It is about to be. */
	void *argument;

	/* Its own: */
	struct sd_bus *connection; /* NULL: none. */
	struct mc_loop_file file;
	struct mc_loop_timer retry, late, more, complaint;
	struct mc_backoff backoff;
	struct mc_once once;
	char owner[64]; /* systemd's name on the bus; "": not known yet. */
	char why[256];  /* The conversation ends; "": it does not. */
	char complaint_text[256];
	bool is_ready, is_reloading, is_pinged;
	unsigned lists; /* That are awaited. */
	struct bus_call calls[BUS_CALLS_MAX];
	mc_time heard;        /* The last message of systemd; 0: none. */
	mc_time known;        /* Until then the units count as known. */
	bool is_limit_logged; /* That of units. */
};

void bus_start(struct bus *);
void bus_stop(struct bus *);

/* Whether what is known of the units is how they are. */
bool bus_is_current(const struct bus *);

/* To be called now and then: makes sure that a silent systemd lives. */
void bus_look(struct bus *);
