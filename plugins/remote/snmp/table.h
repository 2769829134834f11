/* SPDX-License-Identifier: MIT */
/* A table of a device: rows in the order of their indexes, and what was read of
 * them in which pass.  One thread. */
#pragma once

#include <collector/kit/once.h>
#include <collector/plugin.h>

#include "formats/snmp/variable.h"
#include "plan.h"

struct cell {
	uint32_t pass; /* That it was read in; 0: never. */
	struct mc_snmp_number number;
	char *text; /* Of a column with texts; NULL: it has none. */
};

struct interface; /* State of a row for interfaces.c. */

struct row_series {
	struct mc_series *held;   /* NULL: not yet. */
	struct row_series *first; /* Of all rows that have this one. */
	uint32_t pass;            /* That it has a value of; of the first. */
	bool last;                /* It gave the last value. */
};

struct row {
	struct mc_object_id index; /* Within the row. */
	uint32_t pass;             /* That any value was read in. */
	mc_time time;              /* Of the day, and of mc_now(), when the first */
	mc_time arrived;           /* value of this pass came. */
	struct row_series *series; /* Of each <Data>; NULL: not yet. */
	struct interface *interface;
	uint32_t renamed; /* Pass that a kept column changed in. */
	bool named;       /* The columns that are kept were asked for. */
	struct cell cells[];
};

enum table_phase {
	TABLE_IDLE,
	TABLE_INDEX,  /* Finds the rows. */
	TABLE_VALUES, /* Reads rows that are known. */
	TABLE_NAMES,  /* Reads the columns that are kept. */
	TABLE_DONE,
	TABLE_FAILED,
};

struct table {
	const struct plan_table *plan;
	size_t rows_max;
	struct row **rows;
	size_t len, room, cursor;
	uint32_t pass;          /* The number of this one; not 0. */
	enum table_phase phase; /* Within it. */
	unsigned open;          /* Tasks. */
	bool known;             /* The rows are those of a whole pass. */
	bool stale;             /* Names may have changed. */
	bool changed_rows;      /* They were read in the last pass: rows may */
				/* have columns that none had before. */
	bool full;              /* There are more than rows_max. */
	bool shared;            /* Rows share a name: their states are read. */
	bool renamed;           /* Rows came or went, or are called otherwise: */
				/* which share a name is to be found. */
	mc_time named;          /* When names were read; 0: never. */
	bool changed_known;     /* The device has ifTableLastChange: */
	uint64_t changed;
	unsigned restarts;                /* Of the device. */
	unsigned limit;                   /* Rows of an answer; 0: as many as fit. */
	plan_columns absent;              /* Columns that the device has not, */
	plan_columns never;               /* and those that its version has not. */
	uint16_t sizes[PLAN_COLUMNS_MAX]; /* Bytes of a variable; 0: unknown. */
	struct mc_once failing, naming;
	struct mc_once *empty; /* Of each <Data>. */
	char **taken;          /* The same for the values of its FilterIndexOID. */
};

void table_init(struct table *, const struct plan_table *, size_t rows_max);
void table_done(struct table *);

/* The row, which is made; NULL: there are too many. */
struct row *table_row(struct table *, const struct mc_object_id *index);

/* Takes a value of the row. */
void table_take(struct table *, struct row *, unsigned column, const netsnmp_variable_list *);

/* Number of rows after 'index', up to and with 'upto', whose len may be 0: all. */
size_t table_count(const struct table *, const struct mc_object_id *index,
		   const struct mc_object_id *upto);

/* The columns that are kept were read, of all rows. */
void table_named(struct table *, mc_time now);

/* Whether they have to be. */
bool table_wants_names(const struct table *);

/* Removes the rows that were not seen in this pass. */
void table_sweep(struct table *);

/* Columns that are read in each pass, and how many of the given rows fit into that many bytes; at
 * least 1. */
plan_columns table_live(const struct table *);
unsigned table_fit(const struct table *, plan_columns columns, size_t size);

/* Whether the row has values of this pass in all these columns; names count
 * from any.  False also if it got another name in this pass. */
bool table_has(const struct table *, const struct row *, plan_columns columns);
