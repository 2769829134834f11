/* SPDX-License-Identifier: MIT */
/* collector/judge.h - for plugins that judge series: which of them are taken, under which name,
 * which writers get them, and in which state they are.
 *
 *   before the store   admit(): is it taken, and under which name?
 *   after it           route(): which writers get it?
 *
 * Both are asked once for a series, and again after each reload; the answer is kept with the
 * series.  So it must depend on nothing but the series and the options.  That of route() may
 * depend on metadata of the series, too: when these have changed it is asked again.  A judge sees
 * single samples only if it asks for them.
 *
 * A judge may also be a writer: write() sees every value with its rate, and ended() which series
 * have fallen silent (<collector/writer.h>).  A judge never gets samples that it has committed:
 * series that it derives, by mc_begin() and mc_commit() of <collector/serve.h> in write() or by
 * read(), go to all others.
 */
#pragma once

#include <collector/metadata.h>
#include <collector/writer.h>

#pragma GCC visibility push(default)

struct mc_admission;
struct mc_answer;
struct mc_arrivals;
struct mc_judge_state;
struct mc_route;

struct mc_judge { /* A constant; struct mc_plugin points to it. */
	/* All callbacks may be NULL, and are called from start() to stop(), by whatever thread
	 * commits a batch, several at once, and beside all others: they change the plugin's state
	 * only under its own lock, do not wait, and commit nothing.
	 *
	 * During a reload, between stop() of a judge and start() of the one in its place, series
	 * keep their former answers; new series are taken as they are until the end of the
	 * reload. */

	/* Decides about the samples of 'series' by the functions below; if none is called they are
	 * taken as they are.  A later judge sees the name that an earlier one has given, and no
	 * series that it drops. */
	void (*admit)(struct mc_ctx *ctx, const struct mc_series *series,
		      struct mc_admission *admission);

	/* After mc_admit_each(): looks at samples of a batch, which have no rates yet, and their
	 * old names.  It may change their values and times, drop some, and give some another name,
	 * which later judges are not asked about. */
	void (*admit_samples)(struct mc_ctx *ctx, struct mc_arrivals *arrivals);

	/* Decides by the functions below which writers get the samples of 'series'; if none is
	 * called all do.  Of several judges each can only take writers away.  Asked again for
	 * series that a writer takes from the journal, where series are under their new names. */
	void (*route)(struct mc_ctx *ctx, const struct mc_series *series, struct mc_route *route);

	/* After mc_route_each(): the same for one sample, which has rates, on
	 * top of what was decided for its series. */
	void (*route_sample)(struct mc_ctx *ctx, const struct mc_sample *sample,
			     struct mc_route *route);

	/* Answer people by mc_explain(), mc_add_threshold() and mc_add_alert(): about a series;
	 * with the thresholds for the series of that name, which need not exist; with all series
	 * in a bad state.  A reload waits for them.  Thread: any, as above. */
	void (*explain)(struct mc_ctx *ctx, const struct mc_series *series,
			struct mc_answer *answer);
	void (*thresholds)(struct mc_ctx *ctx, const struct mc_id *id, struct mc_answer *answer);
	void (*alerts)(struct mc_ctx *ctx, struct mc_answer *answer);

	/* Returns by how many rules it judges values.  Thread: any, as above. */
	size_t (*rules)(struct mc_ctx *ctx);

	/* Takes the state of a series as its own, without a notification, of which another
	 * collector has heard by mc_report_state(); see <collector/private/judge_states.h>.
	 * False: it is not in its terms.  Thread: any, as above. */
	bool (*adopt)(struct mc_ctx *ctx, const struct mc_judge_state *state);
};

/* --- What admit() decides ----------------------------------------------- */

/* Drops all samples of the series.  They are counted. */
void mc_admit_drop(struct mc_admission *admission);

/* Has the samples stored and written as those of the series 'id', of the same type.  A NULL part
 * of 'id' stays as it is, "" removes an instance.  False, with no effect, if the name is invalid.
 * Samples are refused while it cannot be made, as at the limit of series. */
bool mc_admit_as(struct mc_admission *admission, struct mc_id id);

/* Has admit_samples() called for all samples of the series. */
void mc_admit_each(struct mc_admission *admission);

struct mc_arrivals { /* Samples that admit_samples() looks at, in their order. */
	struct mc_sample *const *samples;
	size_t len;
	mc_time time; /* When the batch was made: costs less than a look at the clock. */
};

/* As mc_admit_drop() and mc_admit_as(), for one sample. */
void mc_admit_drop_sample(struct mc_arrivals *arrivals, size_t number);
bool mc_admit_sample_as(struct mc_arrivals *arrivals, size_t number, struct mc_id id);

/* Rejects the sample, with a reply to its sender, as if it were too old.  'why' is static, and goes
 * on from its name: "is older than the last". */
void mc_admit_refuse_sample(struct mc_arrivals *arrivals, size_t number, const char *why);

/* The sample has come after newer ones of its series: the store does not get it, nor does
 * route_sample(), and of writers only those that mc_accept_late().  Without such a writer it is
 * rejected, as above. */
void mc_admit_late_sample(struct mc_arrivals *arrivals, size_t number, const char *why);

/* --- What route() and route_sample() decide ------------------------------ */

/* Has only those writers get it that are named so, by one call each: "csv", "rrdtool.fast".  A
 * writer of that name need not exist.  Writers that show what they have asked for (on_request) get
 * it in any case, but for those that mc_obey_routes(). */
void mc_route_to(struct mc_route *route, const char *writer);

/* Has no writer get it. */
void mc_route_none(struct mc_route *route);

/* Has route_sample() called for each sample.  Thread: route()'s. */
void mc_route_each(struct mc_route *route);

/* Whether the sample comes from the journal: it was routed when it was new, and its notifications
 * have been sent. */
bool mc_route_again(const struct mc_route *route);

/* When the sample was committed; for one from the journal, the original time. route_sample(). */
mc_time mc_route_time(const struct mc_route *route);

/* The judge reports when the series falls silent, instead of the core.  Thread: route()'s. */
void mc_route_report(struct mc_route *route);

struct mc_copy {
	struct mc_series *series;     /* Its own, or by mc_route_series(). */
	const union mc_value *values; /* As of struct mc_sample: raw, then as
				       * many rates; NULL: the same. */
	const char *const *writers;   /* Receivers; NULL: all. */
	unsigned writers_len;
};

/* Has writers get the sample as one of another series, or with other values; the functions above
 * decide whether they get the original, too.  The copy is not in the store, and no judge is asked
 * about it.  The journal keeps it with its receivers: so this does nothing for a sample from the
 * journal.  Thread: route_sample()'s. */
void mc_route_copy(struct mc_route *route, const struct mc_copy *copy);

/* The series of the sample with another name, as in mc_admit_as(); NULL, counted as refused, if it
 * cannot be made.  It lives for this call; mc_hold() keeps it.  Thread: route_sample()'s. */
struct mc_series *mc_route_series(struct mc_route *route, struct mc_id id);

/* --- States -------------------------------------------------------------- */

/* State of a series; the worse, the larger. */
enum mc_state {
	MC_STATE_UNKNOWN, /* No judge has set one. */
	MC_STATE_OKAY,
	MC_STATE_WARNING,
	MC_STATE_FAILURE,
};
#define MC_STATES 4

/* Sets the state of 'series' that collectorctl, mc_latest() and mc_state() show; of several judges
 * the last one counts.  It is forgotten when the series ends, and all states are when a judge is
 * stopped or replaced by a reload: so a judge sets it with each value, which costs little if it is
 * the same.  Thread: any, while the series lives. */
static inline void mc_set_state(struct mc_series *series, enum mc_state state);
static inline enum mc_state mc_state(const struct mc_series *series);

/* "FAILURE".  Thread: any. */
const char *mc_state_name(enum mc_state state);

/* The core's own: stores a state that differs. */
void mc_change_state(struct mc_series *series, enum mc_state state);

/* It is a byte after two pointers. */
static inline enum mc_state mc_state(const struct mc_series *series)
{
	const uint8_t *state = (const uint8_t *)series + 2 * sizeof(const void *);

	return (enum mc_state)__atomic_load_n(state, __ATOMIC_RELAXED);
}

static inline void mc_set_state(struct mc_series *series, enum mc_state state)
{
	if (mc_state(series) != state)
		mc_change_state(series, state);
}

/* --- Answers of explain(), thresholds() and alerts() ------------------------
 *
 * Each is copied. */

/* A line about the series: "shortterm: WARNING above 10".  Without the name of the judge, which is
 * shown beside it.  Control characters become blanks; a line is cut to MC_EXPLANATION_SIZE. */
#define MC_EXPLANATION_SIZE 1024
void mc_explain(struct mc_answer *answer, const char *fmt, ...) MC_PRINTF(2, 3);

struct mc_threshold {
	struct mc_id id;    /* Series it applies to; NULL or "": any. */
	const char *source; /* NULL or "": any. */
	struct mc_bounds warning, failure;
	double hysteresis; /* How far within the bounds a value must be to recover. */
	int64_t hits;      /* Values in a row that must be beyond the bounds. */
};
void mc_add_threshold(struct mc_answer *answer, const struct mc_threshold *);

struct mc_alert {
	const char *series;  /* Its whole name; it may have ended. */
	enum mc_state state; /* Worse than MC_STATE_OKAY. */
	bool missing;        /* Because it has no values any more. */
	mc_time since;       /* Begin of the state, since 1970. */
	const char *reason;  /* "shortterm is 12, above 10". */
	const char *rule;    /* Its name: "df_full"; or NULL. */
	const char *advice;  /* Hint at the cause, a sentence; or NULL. */

	/* The core's own: by a person, with the reason; NULL: it is not.  Its notifications are
	 * kept from people until then; 0: they are not. */
	const char *acknowledged;
	mc_time acknowledged_since, silenced_until;
};
void mc_add_alert(struct mc_answer *answer, const struct mc_alert *);

#pragma GCC visibility pop
