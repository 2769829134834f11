/* SPDX-License-Identifier: MIT */
/* kit/base/bisection.h - ranges of things that are on their way to a receiver, which may refuse all
 * of a request because of one of them.  In libkit.  One thread at a time.
 *
 * Ranges are a stack.  A range that is refused is replaced by its halves; if all of the first half
 * is taken, the second is known to be refused and is halved without being sent.  So one bad thing
 * of 1,000 takes 22 requests at most.  Where very many are bad this ends after a time: the caller
 * then refuses ranges as a whole. */
#pragma once

#include <collector/plugin.h>

struct mc_bisection_range {
	size_t from, len;
	bool doubtful; /* It was sent, and may be stored though there was no such answer. */
	bool refused;  /* As a whole: at least one of its things is bad. */
	bool first;    /* A half of a refused range; ... */
	bool second;   /* ... the other one: if all of the first is taken, it is refused. */
	bool suspect;  /* Of things that were refused before: less time is spent on them. */
	int why;       /* It is refused; in the caller's terms. */
};

struct mc_bisection {                      /* All zero: empty. */
	struct mc_bisection_range *ranges; /* The next one last. */
	size_t len, room;
	mc_time until, suspects_until; /* Then ranges are not halved any more; 0: none was. */
};

/* Forgets all ranges, and how long halving took. */
void mc_bisection_clear(struct mc_bisection *);
void mc_bisection_done(struct mc_bisection *);

/* Puts a range on top; an empty one is left out. */
void mc_bisection_push(struct mc_bisection *, const struct mc_bisection_range *);

/* The range on top; NULL if it is empty. */
static inline struct mc_bisection_range *mc_bisection_next(struct mc_bisection *bisection)
{
	return bisection->len > 0 ? &bisection->ranges[bisection->len - 1] : NULL;
}

/* Takes away the range on top. */
struct mc_bisection_range mc_bisection_pop(struct mc_bisection *);

/* A range that was taken away is taken by the receiver. */
void mc_bisection_taken(struct mc_bisection *, const struct mc_bisection_range *);

/* Puts a range that was taken away back, as refused. */
void mc_bisection_refused(struct mc_bisection *, const struct mc_bisection_range *, int why);

/* Puts the halves of a refused range, which was taken away, on top.  False, and nothing is done, if
 * halving has taken too long. */
bool mc_bisection_halve(struct mc_bisection *, const struct mc_bisection_range *);

/* Nothing is sent for a while: that is not the time of halving. */
static inline void mc_bisection_wait(struct mc_bisection *bisection)
{
	bisection->until = bisection->suspects_until = 0;
}
