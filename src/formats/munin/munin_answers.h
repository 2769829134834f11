/* SPDX-License-Identifier: MIT */
/* Answers of one plugin of Munin to "config" and "fetch", line by line: its fields, which are
 * remembered, and the values of the last answer.
 *
 * The memory of a plugin is bounded; a line beyond that counts as invalid.  No function logs.  One
 * thread at a time. */
#pragma once

#include <collector/kit/map.h>
#include <collector/metadata.h>
#include <collector/metric.h>

#include "formats/munin/munin.h"

#define MC_MUNIN_FIELDS_MAX 4096 /* Of a plugin, and values of an answer. */

/* Bytes of metadata that wait for values of their fields.  Beyond that fields get only their own
 * attributes, not those of their graph, of which each has a copy. */
#define MC_MUNIN_METADATA_SIZE ((size_t)512 << 10)

struct munin_line;

struct mc_munin_field {
	struct mc_map_node node;
	const char *name; /* After its service. */
	bool configured;  /* "config" has described it, or had the chance. */
	bool seen;        /* In an answer since the end of the last "config". */
	enum mc_kind kind;
	double min, max; /* NaN: none. */
	uint64_t config; /* Number of the one that said these last. */
	mc_time taken;   /* Of its last value that was taken; 0: none was. */
	/* New settings of "config" since its last value was taken; may be NULL. */
	struct mc_metadata *metadata;
	size_t metadata_size;             /* In bytes. */
	struct munin_line *lines;         /* Of the present graph. */
	struct mc_munin_field *described; /* The next one that has lines. */
	char service[];                   /* With '\0', then the name with '\0': the key. */
};

struct mc_munin_value {
	struct mc_munin_field *field;
	double number;   /* NaN: unknown. */
	mc_time time;    /* 0: now. */
	char digits[40]; /* As in struct mc_munin. */
};

struct mc_munin_override { /* A line of "config" that counts instead of the plugin's. */
	const char *service;
	const char *field; /* NULL: of the graph; limits are then those of fields without any. */
	const char *key, *text;
};

struct mc_munin_answers {   /* All zero: nothing has been answered. */
	bool with_metadata; /* Set by the caller. */
	/* The same, beside metadata; they stay with the caller. */
	const struct mc_munin_override *overrides;
	size_t overrides_len;
	size_t fields_max;    /* Largest number of fields; 0: MC_MUNIN_FIELDS_MAX. */
	bool is_config;       /* The present answer is to "config". */
	uint64_t configs;     /* Whole answers to it. */
	bool wants_config;    /* There is a field that it has not described. */
	bool aligned;         /* Times are to be multiples of 'interval'. */
	mc_time interval;     /* From update_rate; 0: none given. */
	struct mc_map fields; /* Of struct mc_munin_field. */
	struct mc_munin_value *values;
	size_t values_len, values_room;
	const char *plugin; /* Of the present answer. */
	char *service;      /* That lines are of. */
	/* Its attributes and those of its fields, in the present answer. */
	struct munin_line *graph;
	struct mc_munin_field *described;
	size_t metadata_size; /* Of all fields. */
};

/* An answer of the plugin of that name, which lives as long as its values, begins; "": the plugin
 * is not known.  Values of the one before are forgotten. */
void mc_munin_answers_begin(struct mc_munin_answers *, const char *plugin, bool is_config);

/* Takes a line, which it changes.  False: it cannot be used. */
bool mc_munin_answers_line(struct mc_munin_answers *, char *line);

/* The answer is whole; values may be read until the next one begins.  That to "config" forgets
 * fields that have been in no answer since the last one, and what it does not say again of others.
 * If that answer is cut, the next has to be one to "config", too. */
void mc_munin_answers_end(struct mc_munin_answers *);

/* For an answer that mixes "config" and values, as that to "spoolfetch": the settings of the
 * fields of the present values, and of the service, are complete. */
void mc_munin_answers_tell(struct mc_munin_answers *);

/* A value of that field becomes one of its series, which has got its metadata:
 * they are freed.  It is 'interval' after the one before, unless it was away.
 * Then the series may have ended, and with it its metadata: "config" is wanted
 * again.  'now' is monotonic. */
void mc_munin_answers_take(struct mc_munin_answers *, struct mc_munin_field *, mc_time now,
			   mc_time interval);

/* Frees what the last answer needed: its values are gone, its fields stay. */
void mc_munin_answers_forget(struct mc_munin_answers *);

/* Frees all that it has. */
void mc_munin_answers_done(struct mc_munin_answers *);

/* The value as one of its kind; false: it cannot be one, or nothing is known of
 * a counter.  A gauge out of the field's range is NaN. */
bool mc_munin_value_fill(const struct mc_munin_value *, union mc_value *out);

/* Labels of the series of a field: its plugin, which may have several services, the field, and the
 * label that people know it by.  Returns how many there are; they live as long as the field's
 * metadata. */
#define MC_MUNIN_LABELS_MAX 3
size_t mc_munin_labels(const struct mc_munin_answers *, const struct mc_munin_field *,
		       struct mc_metric_label out[MC_MUNIN_LABELS_MAX]);

/* "gauge", "derive", "counter" or "absolute". */
const char *mc_munin_type_name(enum mc_kind kind);
