/* SPDX-License-Identifier: MIT */
/* A message of ovsdb-server (RFC 7047): the rows that were asked for, or "echo". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/kit/map.h>

#include "counters.h"

#define ANSWER_UUID_SIZE 36
#define ANSWER_WHY_SIZE 256

/* The question: all bridges, their ports, and the interfaces of these. */
extern const char answer_question[];

enum answer_kind {
	ANSWER_ROWS,
	ANSWER_ECHO,  /* The server asks whether we are there; "id" is to be sent back. */
	ANSWER_ERROR, /* The question is refused, as 'why' says. */
	ANSWER_OTHER, /* It is for nobody. */
	ANSWER_BAD,   /* It is no message. */
};

struct answer_uuids { /* References to rows. */
	char (*items)[ANSWER_UUID_SIZE + 1];
	size_t len;
};

struct answer_row {
	struct mc_map_node node; /* By its UUID. */
	struct answer_row *next; /* Of its table. */
	char uuid[ANSWER_UUID_SIZE + 1];
	char *name;
	struct answer_uuids uuids; /* Of the ports, or the interfaces. */
	struct counters *counters; /* Of an interface. */
};

enum answer_table { ANSWER_BRIDGES, ANSWER_PORTS, ANSWER_INTERFACES, ANSWER_TABLES };

struct answer {
	enum answer_kind kind;
	struct answer_row *rows[ANSWER_TABLES];
	struct mc_map by_uuid[ANSWER_TABLES];
	char why[ANSWER_WHY_SIZE];
	char id[ANSWER_WHY_SIZE];
};

/* Reads a whole message; answer_free() follows in any case. */
void answer_read(struct answer *, const char *text, size_t size);
void answer_free(struct answer *);

/* The row of that reference; NULL: none. */
const struct answer_row *answer_find(const struct answer *, enum answer_table, const char *uuid);
