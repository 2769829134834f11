/* SPDX-License-Identifier: MIT */
/* A name belongs to one sender at a time.  Another one takes it over if it has begun after the
 * last word of the first, which is overdue: this is a restart.  If it has begun before, both
 * lived at the same time, and it gets names of its own for as long as it lives.  As a sender
 * that exports at an interval has its first words one interval after its start, a first sender
 * that is alive has then been heard in between.
 *
 * The start is that of the points, as their age: so the clocks of senders need not be right.
 *
 * The file has a line for each: hashes of the name and of the sender, when it was heard (since
 * 1970), its interval (both in ns), and 1 if the name is its own. */
#include "identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "sender.h"

#define OVERDUE 0.9                    /* Of its interval: exports are not that exact. */
#define SILENT 3                       /* Intervals, of senders whose start is not known. */
#define INTERVAL_MAX (300 * MC_SECOND) /* As much is waited for a sender at most. */

struct key {
	uint64_t series, sender; /* Sender 0: the entry is that of the name. */
};

struct identity {
	struct mc_lru_node node;
	struct key key;
	uint64_t sender; /* The one that has the name. */
	mc_time heard, interval;
};

static struct identity *find(struct identities *identities, uint64_t series, uint64_t sender)
	MC_REQUIRES(identities->kept.lock)
{
	const struct key key = { series, sender };

	return (struct identity *)mc_lru_find(&identities->kept.entries, &key, sizeof(key));
}

static struct identity *add(struct identities *identities, uint64_t series, uint64_t sender)
	MC_REQUIRES(identities->kept.lock)
{
	struct identity *identity;

	if (identities->kept.entries.map.len >= identities->len_max) {
		identity = (struct identity *)identities->kept.entries.oldest;
		mc_lru_remove(&identities->kept.entries, &identity->node);
		free(identity);
	}
	identity = mc_alloc_zero(sizeof(*identity));
	identity->key = (struct key){ series, sender };
	mc_lru_add(&identities->kept.entries, &identity->node, &identity->key,
		   sizeof(identity->key));
	identities->kept.changed = true;
	return identity;
}

/* --- Claims ---------------------------------------------------------------- */

static void hear(struct identities *identities, struct identity *identity, mc_time now)
	MC_REQUIRES(identities->kept.lock)
{
	identity->heard = now;
	mc_lru_use(&identities->kept.entries, &identity->node);
}

/* Whether another sender, whose points have that age, has the name from now on. */
static enum mc_otlp_name judge(const struct identities *identities, const struct identity *first,
			       mc_time age, mc_time now) MC_REQUIRES(identities->kept.lock)
{
	mc_time heard = first->heard > identities->started ? first->heard : identities->started;
	double silence = (double)(now - heard), interval = (double)first->interval;

	if (age < 0) {
		if (interval < (double)identities->default_value)
			interval = (double)identities->default_value;
		return silence > SILENT * interval ? MC_OTLP_SHORT : MC_OTLP_LONG;
	}
	if (now - age <= first->heard)
		return MC_OTLP_LONG;
	if (interval > (double)INTERVAL_MAX)
		interval = (double)INTERVAL_MAX;
	return silence >= OVERDUE * interval ? MC_OTLP_SHORT : MC_OTLP_UNCLEAR;
}

static enum mc_otlp_name claim_other(struct identities *identities, struct identity *first,
				     const struct mc_otlp_claim *claim, mc_time now)
	MC_REQUIRES(identities->kept.lock)
{
	struct identity *own = NULL;
	enum mc_otlp_name name = MC_OTLP_SHORT; /* Without ephemeral attributes it has no other. */

	if (claim->sender != 0) {
		own = find(identities, claim->series, claim->sender);
		name = own != NULL ? MC_OTLP_LONG
				   : judge(identities, first, mc_otlp_age(claim->items), now);
	}
	if (name == MC_OTLP_LONG && own == NULL)
		own = add(identities, claim->series, claim->sender);
	if (own != NULL)
		hear(identities, own, now);
	if (name == MC_OTLP_SHORT) {
		first->sender = claim->sender;
		hear(identities, first, now);
		identities->kept.changed = true;
	}
	return name;
}

enum mc_otlp_name identity_claim(void *argument, const struct mc_otlp_claim *claim)
{
	struct identities *identities = argument;
	enum mc_otlp_name name = MC_OTLP_SHORT;
	mc_time now = mc_now();
	struct identity *first;

	pthread_mutex_lock(&identities->kept.lock);
	first = find(identities, claim->series, 0);
	if (first == NULL) {
		first = add(identities, claim->series, 0);
		first->sender = claim->sender;
		hear(identities, first, now);
	} else if (first->sender != claim->sender) {
		name = claim_other(identities, first, claim, now);
	} else {
		if (first->heard >= identities->started)
			first->interval = sender_learn(first->interval, now - first->heard);
		hear(identities, first, now);
	}
	pthread_mutex_unlock(&identities->kept.lock);
	return name;
}

/* --- Keeping --------------------------------------------------------------- */

static void read_lines(struct kept *kept, FILE *file) MC_NO_LOCK
{
	struct identities *identities = (struct identities *)kept;
	mc_time wall = mc_wall(), now = mc_now(), heard, interval;
	uint64_t series, sender;
	int has_name;

	while (fscanf(file, "%16" SCNx64 " %16" SCNx64 " %20" SCNd64 " %20" SCNd64 " %1d\n",
		      &series, &sender, &heard, &interval, &has_name) == 5) {
		uint64_t key = has_name ? 0 : sender;
		struct identity *identity;

		if (heard < 0 || interval < 0 || find(identities, series, key) != NULL)
			continue;
		identity = add(identities, series, key);
		identity->sender = sender;
		identity->heard = now - (heard < wall ? wall - heard : 0);
		identity->interval = interval;
	}
}

static void write_line(const struct mc_lru_node *node, mc_time epoch, FILE *file)
{
	const struct identity *identity = (const struct identity *)node;
	bool has_name = identity->key.sender == 0;

	fprintf(file, "%016" PRIx64 " %016" PRIx64 " %" PRId64 " %" PRId64 " %d\n",
		identity->key.series, has_name ? identity->sender : identity->key.sender,
		epoch + identity->heard, identity->interval, has_name);
}

static const struct kept_kind kind = { .read = read_lines, .write = write_line };

/* --- Life -------------------------------------------------------------- */

void identity_init(struct identities *identities, size_t len_max, mc_time default_value)
{
	*identities = (struct identities){
		.len_max = len_max,
		.default_value = default_value,
		.started = mc_now(),
	};
	kept_init(&identities->kept, &kind);
}

void identity_done(struct identities *identities)
{
	kept_done(&identities->kept);
}
