/* SPDX-License-Identifier: MIT */
/* Differences between two daemons that measure the same host: names, sources, values, times.  Fed
 * with what both answer for a while, then judged.  Pure: asks nobody. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define DIFFERENCES_MAX 100000 /* Series; further ones are counted alone. */
#define DIFFERENCES_SOURCES_MAX 32

enum difference_verdict {
	DIFFERENCE_NONE,
	DIFFERENCE_MISSING,  /* This daemon does not have it. */
	DIFFERENCE_TYPE,     /* It has other sources. */
	DIFFERENCE_LATE,     /* It has its values more than an interval later. */
	DIFFERENCE_APART,    /* Its values are apart by more than 5 %. */
	DIFFERENCE_ACCEPTED, /* It is missing or otherwise, and may be. */
	DIFFERENCE_EXTRA,    /* The other daemon does not have it. */
	DIFFERENCE_RECEIVED, /* It is missing, and so is all of its host. */
	DIFFERENCE_STILL,    /* It had no new value meanwhile. */
	DIFFERENCE_VERDICTS,
};

/* "missing", "other type", ... */
extern const char *const differences_words[DIFFERENCE_VERDICTS];

enum difference_side { DIFFERENCE_THEIRS, DIFFERENCE_OURS };

struct difference_mean { /* Of a source. */
	double sum, squares;
	unsigned len;
};

struct difference_has { /* One side of a series. */
	bool there, moved;
	double first, last; /* Times, in seconds since 1970. */
	double counted;     /* Time of the value that was counted last. */
	unsigned sources_len;
	char *sources; /* Their names, "rx tx"; NULL: not known. */
	struct difference_mean *means;
};

struct difference_series {
	char *name;
	struct difference_has sides[2];
	double interval; /* Least time between two values of theirs; 0: not known. */
	double lag;      /* Longest time by which ours was later. */
	enum difference_verdict verdict;
	unsigned source; /* That is apart, and the means there. */
	double theirs, ours;
};

struct differences { /* All zero: none. */
	struct difference_series **items;
	size_t items_len, items_room;
	void *names, *hosts;  /* Trees of tsearch(3): of all, and of ours. */
	bool names_only;      /* Theirs is a list of names. */
	const char *accepted; /* "PLUGIN,PLUGIN"; NULL: none. */
	size_t skipped;       /* Beyond DIFFERENCES_MAX. */
	size_t len[DIFFERENCE_VERDICTS];
};

void differences_done(struct differences *);

/* A side has a series, whose last value is of that time; 0: not known. */
void differences_seen(struct differences *, enum difference_side, const char *name, double time);

/* Whether a side has a value that is not counted yet. */
bool differences_is_new(const struct difference_series *, enum difference_side);

/* A side has these values, "SOURCE=NUMBER" each; those of one time count once. */
void differences_values(struct difference_series *, enum difference_side, char *const *lines,
			size_t len);

/* Sets the verdicts, and counts them. */
void differences_judge(struct differences *);

/* Whether there is one that somebody has to look at. */
bool differences_any(const struct differences *);
