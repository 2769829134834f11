/* SPDX-License-Identifier: MIT */
/* State of services that are checked: their interval, and the name of the series of each label.
 * So an event whose labels come in the order of the last one costs a look-up and, per label, a
 * comparison. */
#pragma once

#include <collector/kit/map.h>
#include <collector/serve.h>

#include "formats/perfdata/perfdata.h"
#include "interval.h"

#define SERVICE_LABELS_MAX 1024

struct service_label {
	char *name;                 /* Of the series; owned. */
	struct mc_name_parts parts; /* Of that. */
	const char *label;          /* After the name; has no '\0'. */
	size_t label_size;
	const char *type;  /* A constant. */
	mc_time last;      /* Of the last event that had it. */
	uint64_t event;    /* Its number. */
	mc_time described; /* When its metadata were set. */
	char *fields;      /* As they were then, "ms;1;2;0;"; owned, or NULL. */
	size_t fields_size;
	bool ignored;
	bool contradicted; /* Its limits, by the state of the last event. */
	bool clash;        /* Another label makes the same series. */
};

struct service {
	struct mc_lru_node node; /* Its key is host, '\0', name. */
	char *host;              /* In the key. */
	char *name;              /* In the key. */
	struct interval interval;
	struct service_label *labels;
	size_t labels_len, labels_room;
	size_t next;    /* Which label is expected. */
	uint64_t event; /* How many there were. */
	bool ignored;
	char state[16]; /* The last that was no SOFT one; "": not known. */
	mc_time used;   /* Monotonic. */
};

struct services { /* All zero but for 'len_max': none. */
	struct mc_lru all;
	size_t len_max;
	struct mc_lru_node *swept; /* Where the next sweep begins; NULL: at the
				    * oldest. */
};

/* The one of that name; it is made, and '*is_new' set, if it is not there, and
 * the one that was not asked for longest forgotten if there are too many. */
struct service *service_find(struct services *, const char *host, const char *name, bool *is_new);

/* Forgets services of which nothing has come for 'timeout' intervals, as their series have ended.
 * Their interval is 'interval', or if that is 0 the one that was learned; until then it is ten
 * minutes in all.  A service that fails is remembered for a day, as its recovery is reported. */
void service_sweep(struct services *, double timeout, mc_time interval);
void service_done_all(struct services *);

/* The label of that type, or of any if 'type' is NULL; NULL: not known. */
struct service_label *service_label(struct service *, const char *label, size_t label_size,
				    const char *type);

/* Adds one that is not known.  NULL: there are too many. */
struct service_label *service_add_label(struct service *, const char *plugin,
					const struct mc_perfdata_item *, const char *type);
