/* SPDX-License-Identifier: MIT */
/* Reports what a guest suffers, and because of whom: as series, in words, and as an alert.
 *
 * The reader of a resource finds the culprits.  When it has looked at its resource it calls
 * report_take() for each guest that suffers, and then report_end(): a guest that was not taken is
 * well.  So a read costs nothing as long as nobody suffers, and a resource that was not looked at
 * stays as it is. */
#pragma once

#include <collector/kit/lock.h>
#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "verdict.h"

#define REPORT_CULPRITS_MAX 3
#define REPORT_NAME_SIZE 256
#define REPORT_TEXT_SIZE 1024

enum resource {
	RESOURCE_CPU,
	RESOURCE_DISK,
	RESOURCE_LINK,
	RESOURCE_MEMORY,
	RESOURCES_LEN,
};

enum culprit_kind {
	CULPRIT_GUEST,
	CULPRIT_GROUP, /* A control group. */
	CULPRIT_HOST,  /* All of this host that is no guest. */
};

struct culprit {
	enum culprit_kind kind;
	const char *name; /* Of the guest or the control group; of the host it is not looked at. */
	double part;      /* 0.31 is 31 %. */
	const char *note; /* Added in words: ", which grew by 2.1 GiB in 60 s"; NULL: nothing. */
};

struct finding { /* Of a guest that suffers. */
	enum resource resource;
	const char *guest;
	const char *text;     /* In words, after its name. */
	double part;          /* How bad it is, for the rule. */
	const char *share_of; /* The whole of the culprits' parts, in words after the first of them:
			       * "of the bytes on sda are of"; NULL: of its own time. */
	struct culprit culprits[REPORT_CULPRITS_MAX]; /* The largest first. */
	size_t culprits_len;
};

struct report_entry; /* A guest and a resource: as many as there are guests, at most. */

struct report {
	struct mc_ctx *ctx;
	bool guests_are_hosts;
	struct verdict_rule rules[RESOURCES_LEN];
	/* One thread reports; under the lock it changes what people are shown: which entries there
	 * are, and their sentences. */
	pthread_mutex_t lock;
	struct mc_map map;             /* Of entries, by resource and name. */
	struct report_entry **entries; /* In the order in which they came. */
	size_t entries_len, entries_room;
};

/* "cpu", "disk", "link", "memory". */
extern const char *const report_resources[RESOURCES_LEN];

/* All zero before; the rules are set by the caller.  No function but report_explain() may be called
 * by another thread than that of the reads. */
void report_init(struct report *, struct mc_ctx *ctx, bool guests_are_hosts);
void report_done(struct report *);

/* One that suffers no more, and has not for a while, is forgotten. */
void report_take(struct report *, const struct finding *finding, struct mc_batch *out);
void report_end(struct report *, enum resource resource, struct mc_batch *out);

/* The part from which on the reader has to find culprits: a smaller one is good in any case. */
double report_least(const struct report *, enum resource resource);

/* Forgets guests that are not among those names, as they have ended: their series have a last 0,
 * but there is no notification.  The names are in any order, and are sorted. */
void report_forget_others(struct report *, const char **names, size_t names_len,
			  struct mc_batch *out);

/* Prints the sentences about the guest of the series, one for each resource.  Thread: any. */
struct mc_answer;
void report_explain(struct report *, const struct mc_series *series, struct mc_answer *answer);

/* The sentence: "web1 waits 38 % of the time for CPU 3: 31 % 'backup7', 5 % control group
 * system.slice/apt.service".  Pure. */
void report_sentence(const struct finding *finding, char out[REPORT_TEXT_SIZE]);
