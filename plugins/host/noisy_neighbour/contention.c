/* SPDX-License-Identifier: MIT */
#include "contention.h"

#include <math.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "top.h"

#define WEIGHT (1.0 / 60)          /* Of an interval in a mean that is whole, ... */
#define WEIGHT_ABOVE (WEIGHT / 15) /* ... and of one that is far above it. */
#define WEIGHT_RECENT (1.0 / 10)   /* In a quick mean. */
#define GROWTH 1.5                 /* Times the mean is more than usual, */
#define MUCH 2.0                   /* and is enough to make others wait; */
#define ALSO_SLOW 2.0              /* ... and a request takes longer than usual. */
#define ALSO_PART (1.0 / 3)        /* Of the others are slow, too, if it is the storage. */
#define SHARE_MIN 0.5              /* Those who are named have that together, ... */
#define SHARE_STAYS 0.25           /* ... and while they stand, that. */
#define UNKNOWN_MAX 10             /* Intervals without a request, after which it waits no more. */
#define LATE 2         /* Intervals by which a disk may be slow after a neighbour began. */
#define LATE_HITS 3    /* More of them, if it was later. */
#define VALUE_MAX 1e18 /* Larger ones are no measurements. */

/* Differences of that size a second are nobody's load. */
static const double slack[CONTENTION_MEASURES] = { 65536, 2 };

static bool is_number(double value)
{
	return value >= 0 && value <= VALUE_MAX;
}

static bool has_grown(double value, double mean, double times, enum contention_measure measure)
{
	return value > times * mean + slack[measure];
}

static bool has_more(const struct contention_disk *disk, double times)
{
	for (unsigned i = 0; i < CONTENTION_MEASURES; i++)
		if (has_grown(disk->use[i], disk->means[i], times, i))
			return true;
	return false;
}

/* The use of a neighbour before: the usual one, or that of just before, if it was less. */
static double before(const struct contention_disk *disk, enum contention_measure measure)
{
	return fmin(disk->means[measure], disk->recent[measure]);
}

static bool has_begun(const struct contention_disk *disk)
{
	for (unsigned i = 0; i < CONTENTION_MEASURES; i++)
		if (has_grown(disk->use[i], before(disk, i), MUCH, i))
			return true;
	return false;
}

/* --- A disk ----------------------------------------------------------------- */

static void add_to_mean(double *mean, uint32_t *len, double value, double limit)
{
	double weight = WEIGHT;

	if (*len < CONTENTION_LEARN) {
		weight = 1.0 / (*len + 1);
	} else if (value > limit) {
		value = limit;
		weight = WEIGHT_ABOVE;
	}
	*mean += weight * (value - *mean);
	if (*len < UINT32_MAX)
		++*len;
}

/* The interval that has just ended is not in the means: it is compared with them. */
static void add_last(struct contention_disk *disk, const struct contention_rule *rule)
{
	uint32_t uses = disk->uses;
	double weight = fmax(WEIGHT_RECENT, 1.0 / (uses + 1.0));

	if (!disk->is_known)
		return;
	for (unsigned i = 0; i < CONTENTION_MEASURES; i++) {
		disk->recent[i] += weight * (disk->use[i] - disk->recent[i]);
		disk->uses = uses;
		add_to_mean(&disk->means[i], &disk->uses, disk->use[i],
			    GROWTH * disk->means[i] + slack[i]);
	}
	if (!isnan(disk->latency))
		add_to_mean(&disk->mean_latency, &disk->latencies, disk->latency,
			    rule->factor * disk->mean_latency + rule->latency_min / 2);
}

static void count(struct contention_disk *disk)
{
	bool is_quick = !isnan(disk->latency) && disk->latency <= ALSO_SLOW * disk->mean_latency;

	if (disk->uses < CONTENTION_LEARN)
		disk->grown = disk->uses + 1; /* It was not there before. */
	else
		disk->grown = has_begun(disk) ? disk->grown + 1 : 0;
	disk->since_quick = is_quick ? 0 : disk->since_quick + 1;
}

void contention_follow(struct contention_disk *disk, const struct contention_rule *rule,
		       double bytes, double requests, double latency)
{
	add_last(disk, rule);
	disk->is_known = is_number(bytes) && is_number(requests);
	disk->use[CONTENTION_BYTES] = disk->is_known ? bytes : 0;
	disk->use[CONTENTION_REQUESTS] = disk->is_known ? requests : 0;
	disk->latency = disk->is_known && is_number(latency) ? latency : NAN;
	count(disk);
}

static bool is_slow(const struct contention_disk *disk, double least, double factor)
{
	return disk->latencies >= CONTENTION_LEARN && disk->latency > least &&
	       disk->latency > factor * disk->mean_latency;
}

bool contention_waits(const struct contention_disk *disk, const struct contention_rule *rule,
		      bool is_bad)
{
	double part = is_bad ? 0.5 : 1, factor = 1 + (rule->factor - 1) * part;

	if (!disk->is_known || !is_slow(disk, rule->latency_min * part, factor))
		return false;
	return !has_more(disk, GROWTH);
}

/* --- A storage -------------------------------------------------------------- */

struct use { /* Of a guest. */
	unsigned guest;
	bool is_new;
	uint32_t grown; /* The shortest of its disks; 0: none. */
	double use[CONTENTION_MEASURES], before[CONTENTION_MEASURES];
};

struct contention_view {
	struct use *uses; /* By guest. */
	size_t len;
	double sums[CONTENTION_MEASURES];
	struct top all[CONTENTION_MEASURES], grown[CONTENTION_MEASURES]; /* Numbers of uses. */
	size_t judged, slow; /* Disks that do as always, and those of them that are slow. */
};

static int compare(const void *a, const void *b)
{
	const struct use *left = a, *right = b;

	return (left->guest > right->guest) - (left->guest < right->guest);
}

/* Guests may have several disks there. */
static void merge(struct contention_view *view)
{
	size_t len = 0;

	if (view->len == 0)
		return;
	qsort(view->uses, view->len, sizeof(*view->uses), compare);
	for (size_t i = 1; i < view->len; i++) {
		struct use *use = &view->uses[len], *next = &view->uses[i];

		if (next->guest != use->guest) {
			view->uses[++len] = *next;
			continue;
		}
		use->is_new |= next->is_new;
		if (use->grown == 0 || (next->grown > 0 && next->grown < use->grown))
			use->grown = next->grown;
		for (unsigned j = 0; j < CONTENTION_MEASURES; j++) {
			use->use[j] += next->use[j];
			use->before[j] += next->before[j];
		}
	}
	view->len = len + 1;
}

static void rank(struct contention_view *view)
{
	for (size_t i = 0; i < view->len; i++)
		for (unsigned j = 0; j < CONTENTION_MEASURES; j++) {
			const struct use *use = &view->uses[i];
			double mean = use->is_new ? 0 : use->before[j];

			view->sums[j] += use->use[j];
			if (use->use[j] <= slack[j])
				continue;
			top_add(&view->all[j], TOP_MAX, i, use->use[j]);
			if (has_grown(use->use[j], mean, MUCH, j))
				top_add(&view->grown[j], TOP_MAX, i, use->use[j]);
		}
}

/* One that does more than usual is slower because of that. */
static void count_slow(struct contention_view *view, const struct contention_disk *disk)
{
	if (disk->latencies < CONTENTION_LEARN || isnan(disk->latency) || has_more(disk, GROWTH))
		return;
	view->judged++;
	view->slow += is_slow(disk, 0, ALSO_SLOW);
}

struct contention_view *contention_view_new(const struct contention_disk *const *disks, size_t len)
{
	struct contention_view *view = mc_alloc_zero(sizeof(*view));

	view->uses = mc_alloc_array(len + 1, sizeof(*view->uses));
	for (size_t i = 0; i < len; i++) {
		const struct contention_disk *disk = disks[i];
		struct use *use = &view->uses[view->len];

		if (!disk->is_known)
			continue;
		*use = (struct use){ .guest = disk->guest,
				     .is_new = disk->uses < CONTENTION_LEARN,
				     .grown = disk->grown };
		for (unsigned j = 0; j < CONTENTION_MEASURES; j++) {
			use->use[j] = disk->use[j];
			use->before[j] = before(disk, j);
		}
		view->len++;
		count_slow(view, disk);
	}
	merge(view);
	rank(view);
	return view;
}

void contention_view_free(struct contention_view *view)
{
	if (view == NULL)
		return;
	free(view->uses);
	free(view);
}

/* --- Whose a wait is -------------------------------------------------------- */

static double own_use(const struct contention_view *view, unsigned guest,
		      enum contention_measure measure)
{
	const struct use key = { .guest = guest };
	const struct use *own = bsearch(&key, view->uses, view->len, sizeof(*view->uses), compare);

	return own != NULL ? own->use[measure] : 0;
}

/* Returns the part of those who are named. */
static double name_by(const struct contention_view *view, const struct contention_disk *disk,
		      bool is_bad, struct contention_answer *answer)
{
	enum contention_measure measure = answer->measure;
	const struct top *top = is_bad ? &view->all[measure] : &view->grown[measure];
	double own = own_use(view, disk->guest, measure), sum = 0;
	bool is_late = true;

	for (size_t i = 0; i < top->len && answer->shares_len < CONTENTION_SHARES_MAX; i++) {
		const struct use *use = &view->uses[top->items[i].user];
		double part = use->use[measure] / view->sums[measure];

		if (use->guest == disk->guest)
			continue;
		if (part < CONTENTION_NAMED_MIN || use->use[measure] <= own)
			break;
		answer->shares[answer->shares_len++] =
			(struct contention_share){ use->guest, part };
		sum += part;
		is_late = is_late && use->grown > disk->since_quick + LATE;
	}
	answer->is_late = is_late;
	return sum;
}

void contention_blame(const struct contention_view *view, const struct contention_disk *disk,
		      bool is_bad, struct contention_answer *answer)
{
	double best = is_bad ? SHARE_STAYS : SHARE_MIN;

	*answer = (struct contention_answer){ 0 };
	if ((double)view->slow < ALSO_PART * (double)view->judged)
		return;
	for (unsigned i = 0; i < CONTENTION_MEASURES; i++) {
		struct contention_answer one = { .measure = i };
		double part = name_by(view, disk, is_bad, &one);

		if (part < best)
			continue;
		best = part;
		*answer = one;
	}
}

bool contention_take(struct contention_verdict *verdict, const struct contention_rule *rule,
		     bool is_known, const struct contention_answer *answer)
{
	bool is_bad = answer->shares_len > 0;
	unsigned hits = rule->hits + (is_bad && answer->is_late ? LATE_HITS : 0);

	if (!is_known && ++verdict->unknown < UNKNOWN_MAX)
		return false;
	if (is_known)
		verdict->unknown = 0;
	if (is_bad == verdict->is_bad) {
		verdict->hits = 0;
		return false;
	}
	if (++verdict->hits < hits)
		return false;
	verdict->is_bad = is_bad;
	verdict->hits = 0;
	return true;
}
