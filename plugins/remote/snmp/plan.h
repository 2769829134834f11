/* SPDX-License-Identifier: MIT */
/* The requests for a device, derived from Collect: for each interval the single values and the
 * tables.  Hosts that collect the same have one plan.  Constant once it is made; one thread makes
 * it. */
#pragma once

#include <collector/plugin.h>

#include "formats/snmp/object_id.h"
#include "options.h"

#define PLAN_COLUMNS_MAX 64 /* Of a table: bits of plan_columns. */
typedef uint64_t plan_columns;
#define PLAN_NONE (-1)

struct plan_column {
	struct mc_object_id id;
	bool text; /* Its values are parts of names, or compared. */
};

/* Where a part of a name comes from. */
struct plan_instance {
	bool wanted;        /* A row gives it; else it is 'fixed', or none. */
	int column;         /* PLAN_NONE: it is the index of the row. */
	const char *prefix; /* May be NULL. */
	const char *fixed;  /* May be NULL. */
};

/* A <Data> as the plan has it. */
struct plan_data {
	const struct data_options *options;
	const struct mc_type *type;
	struct plan_instance host, plugin_instance, type_instance;
	int filter;                 /* Its column, or PLAN_NONE. */
	int index;                  /* The single value that is the index of */
				    /* the one row that is taken; PLAN_NONE. */
	int label;                  /* The name of that row; or PLAN_NONE. */
	int values[MC_SOURCES_MAX]; /* Columns, or numbers of single values. */
	unsigned values_len;
	plan_columns columns; /* That a row has to have. */
};

struct plan_table {
	struct plan_column *columns;
	unsigned columns_len;
	plan_columns kept;     /* Names, which need not be read each time. */
	plan_columns optional; /* That rows may lack. */
	plan_columns wide;     /* Of 64 bits, which version 1 has not. */
	int state;             /* ifOperStatus, read only where rows share a
				* name; PLAN_NONE. */
	bool interfaces_table; /* Its rows are interfaces, of IF-MIB. */
	struct plan_data *data;
	unsigned data_len;
	const struct interfaces_options **interfaces;
	unsigned interfaces_len;
};

struct plan_group {
	mc_time interval; /* 0: that of the host. */
	struct mc_object_id *singles;
	unsigned singles_len;
	struct plan_data *data; /* Whose values are singles. */
	unsigned data_len;
	struct plan_table *tables;
	unsigned tables_len;
};

struct plan {
	struct mc_strings collect; /* The configuration's. */
	struct plan_group *groups;
	unsigned groups_len;
};

/* Turns a name of an object into its number; false: it cannot.  '*id' is freed by the plan. */
typedef bool plan_resolve(void *argument, const char *name, struct mc_object_id *id);

struct plan_source {
	struct mc_ctx *ctx;
	const struct snmp_options *options;
	plan_resolve *resolve;
	void *argument;
};

/* A plan for what the host is to collect.  Impossible items are left out, and logged. */
struct plan *plan_new(const struct plan_source *, struct mc_strings collect);
void plan_free(struct plan *);
