/* SPDX-License-Identifier: MIT */
/* Collectd's plain text protocol, for plugins that speak it over a socket or a pipe, and for their
 * clients.
 *
 * The commands are those of collectd-unixsock(5), and STATUS, EXPLAIN, HISTORY, ALERTS and
 * what is done about them, TAP, RELOAD and DUMP of our own.  All functions are pure, do not
 * allocate and may be called from any thread.
 *
 * A request is one line.  Words are separated by blanks; double quotes, which may start and end
 * anywhere in a word, keep blanks together, and within them a backslash takes the next character as
 * it is.  An identifier is "host/plugin-instance/type-instance", both instances optional.
 *
 *   GETVAL ident
 *   GETTHRESHOLD ident
 *   LISTVAL [glob [label=glob]]
 *   LISTENDED [glob [label=glob]]
 *   LISTKEEPERS [glob [label=glob]]
 *   FORGET glob [files=true]
 *   SCAN
 *   PUTVAL ident [interval=seconds] time:value[:value…] …
 *   PUTNOTIF severity=… time=… [host=… plugin=… …] message=…
 *   FLUSH [timeout=seconds] [plugin=name …] [identifier=ident …]
 *   STATUS
 *   DESCRIBE ident
 *   EXPLAIN ident
 *   HISTORY ident [from=seconds] [to=seconds] [step=seconds] [points=n] [minima=1]
 *   ALERTS
 *   PASTALERTS
 *   ACK glob [reason=…]
 *   SILENCE glob for=seconds [reason=…]
 *   UNSILENCE glob
 *   SILENCES
 *   TAP [glob]
 *   DUMP
 *
 * A reply is a line that starts with a number: below zero, it says what went wrong, else how many
 * lines follow.
 */
#pragma once

#include <collector/serve.h>

#define MC_PLAIN_NUMBER_SIZE 32 /* Room for a number or time as text. */

/* --- Requests ------------------------------------------------------------ */

enum mc_plain_verb {
	MC_PLAIN_GETVAL,
	MC_PLAIN_GETTHRESHOLD,
	MC_PLAIN_LISTVAL,
	MC_PLAIN_LISTENDED,
	MC_PLAIN_LISTKEEPERS,
	MC_PLAIN_FORGET,
	MC_PLAIN_SCAN,
	MC_PLAIN_PUTVAL,
	MC_PLAIN_PUTNOTIF,
	MC_PLAIN_FLUSH,
	MC_PLAIN_HISTORY,
	MC_PLAIN_STATUS,
	MC_PLAIN_DESCRIBE,
	MC_PLAIN_EXPLAIN,
	MC_PLAIN_ALERTS,
	MC_PLAIN_PASTALERTS,
	MC_PLAIN_ACK,
	MC_PLAIN_SILENCE,
	MC_PLAIN_UNSILENCE,
	MC_PLAIN_SILENCES,
	MC_PLAIN_TAP,
	MC_PLAIN_RELOAD,
	MC_PLAIN_DUMP,
};

struct mc_plain_context { /* Context that the meaning of a line depends on. */
	mc_time now;      /* The time "N". */
	mc_time interval; /* Interval of values without one. */
	/* The type of that name, or NULL. */
	const struct mc_type *(*find)(void *argument, const char *name);
	/* May be NULL.  PUTVAL: the type of the series of that whole name (not
	 * ended by '\0'), if it is known already; such a name is not split. */
	const struct mc_type *(*known)(void *argument, const char *name, size_t size);
	void *argument;
};

#define MC_PLAIN_POINTS_MAX 4096 /* Of an answer to HISTORY. */

struct mc_plain_span { /* 0: not given. */
	mc_time from, to, step;
	unsigned points;
	bool minima; /* Are wanted, too. */
};

struct mc_plain { /* A request.  Its strings lie in the line. */
	enum mc_plain_verb verb;

	/* GETVAL, GETTHRESHOLD, PUTVAL, DESCRIBE, EXPLAIN, HISTORY: the series, its name ended by
	 * '\0'; for GETVAL and PUTVAL also its type. */
	struct mc_name_parts name;
	const struct mc_type *type;
	bool known; /* PUTVAL: 'known' did, and of 'name' only the text is set.
		     */

	/* LISTVAL, LISTENDED, LISTKEEPERS, FORGET, TAP; NULL: everything.  ACK, SILENCE,
	 * UNSILENCE. */
	const char *glob;
	const char *reason; /* ACK, SILENCE; "": none. */
	mc_time lasting;    /* SILENCE */

	const char *label; /* LISTVAL, LISTENDED, LISTKEEPERS: "NAME=GLOB"; NULL: any. */

	bool files; /* FORGET: files, too. */

	/* PUTVAL: what mc_plain_next() has come to. */
	unsigned lists_len; /* Number of value lists. */
	struct mc_stamp stamp;
	union mc_value values[MC_SOURCES_MAX];

	struct mc_notification notification; /* PUTNOTIF; its fields are these: */
	struct mc_field fields[MC_FIELDS_MAX];

	struct mc_plain_span span; /* HISTORY */

	mc_time age; /* FLUSH: values older than this; 0: everything. */

	char error[256]; /* After a failure: the reply, without its "-1 ". */

	struct { /* The parser's own. */
		const struct mc_plain_context *context;
		char *rest, *end, *list;
		unsigned lists_seen;
	} own;
};

/* Reads one line of 'size' bytes, which it changes; line[size], where the newline was, is
 * overwritten by '\0'.  Returns false and sets only 'error' if the line is not a valid request.
 * Line and context must live as long as the request is used. */
bool mc_plain_parse(struct mc_plain *, char *line, size_t size, const struct mc_plain_context *);

/* PUTVAL: goes to the next value list, at first to the first: stamp and values
 * (one per source of the type) are set.  False at the end. */
bool mc_plain_next(struct mc_plain *);

/* FLUSH: the plugin, or identifier, named after 'previous'; the first if that
 * is NULL; NULL at the end. */
const char *mc_plain_plugin(const struct mc_plain *, const char *previous);
const char *mc_plain_identifier(const struct mc_plain *, const char *previous);

/* --- Replies ------------------------------------------------------------- */

/* These write at most 'size' bytes to 'out', the '\0' included, and return the
 * length of the text; 0, and an empty string, if it does not fit. */

/* A word as it must be written in a line: in quotes if it has to be.  Control
 * characters become blanks, so that no text breaks a line. */
size_t mc_plain_quote(char *out, size_t size, const char *text);

/* A rate as GETVAL replies it: "1.260000e+00", "NaN". */
size_t mc_plain_rate(char *out, size_t size, double);

/* Seconds with three decimals, as LISTVAL replies them: "1182204284.000". */
size_t mc_plain_time(char *out, size_t size, mc_time);

/* The shortest text that reads back as the same number; "nan", "inf". */
size_t mc_plain_gauge(char *out, size_t size, double);

/* A sample as a PUTVAL line, without newline: the lines of TAP, which can be sent to another socket
 * as they are.  Times are cut to nanoseconds, and trailing zeros left out. */
size_t mc_plain_put(char *out, size_t size, const char *name, const struct mc_type *,
		    struct mc_stamp, const union mc_value *values);

/* --- Lines of keys and values -------------------------------------------- */

/* The lines of STATUS, EXPLAIN and ALERTS: a word that says what the line is about, then pairs:
 * reader name=cpu interval=10.000 failure="cannot read '/proc'" */
struct mc_plain_line {
	char *text; /* Ended by '\0' at any time. */
	size_t size, room;
	bool cut; /* A pair did not fit, and was left out. */
};

/* Starts a line in a buffer of 'room' bytes, 1 or more. */
struct mc_plain_line mc_plain_line(char *buffer, size_t room, const char *about);
void mc_plain_add_text(struct mc_plain_line *, const char *key,
		       const char *value); /* NULL is "". */
void mc_plain_add_count(struct mc_plain_line *, const char *key, uint64_t);
void mc_plain_add_time(struct mc_plain_line *, const char *key, mc_time);

/* Reads a line: cuts off its first word (NULL if the line is empty). */
char *mc_plain_about(char **line);

/* Cuts off the next pair; false at the end, or at a word that is not a pair. */
bool mc_plain_pair(char **line, const char **key, const char **value);

/* The number of a reply's first line, and its text; false if the line is not of that form. */
bool mc_plain_status(const char *line, long *status, const char **message);
