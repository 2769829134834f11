/* SPDX-License-Identifier: MIT */
/* Peers: series that are compared with each other, round by round.  The caller locks.
 *
 * A round of a group is an interval of its series: it is whole when a value comes that is of the
 * next one.  Values have their own times, none of which is ahead of the clock; so hosts may have
 * phases of their own and clocks that differ, and a day can be replayed. */
#pragma once

#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "deviation.h"

struct group;
struct peer;

struct group_rule { /* Of all groups of a block. */
	struct deviation_rule deviation;
	unsigned rounds;    /* In a row, until a peer is reported, and until it is over. */
	unsigned peers_min; /* In a smaller group nobody is out. */
	double share_max;   /* Part of the group that may be out at the same time; with more, the
			     * group itself moves. */
	double change_min;  /* Part of the group's level that a peer's change is at least. */
	mc_time keep;       /* How long a peer stands out; then its level is its mean. */
};

enum group_news { GROUP_OUT, GROUP_BACK, GROUP_KEPT, GROUP_ENDED };

/* Has a peer's news: 'peer' and its group are as in the round.  Called by group_take() and
 * group_leave(). */
typedef void group_tell(void *argument, enum group_news news, const struct peer *peer);

struct peer { /* A source of a series; part of a struct of the caller. */
	struct deviation_own own;
	struct group *group; /* NULL: it learns its mean. */
	size_t index;
	double value; /* The last one. */
	float ratio;  /* That of 'value'. */
	mc_time seen; /* Time of the last value, also an unknown one; 0: none. */
	mc_time out_since;
	unsigned out, in; /* Rounds in a row; 'in' only while it stands. */
	bool stands;      /* It has been reported. */
};

struct group {
	struct mc_map_node node;       /* The caller's. */
	const struct group_rule *rule; /* Lives longer than the group. */
	mc_time interval;
	struct deviation_peers peers; /* Of the last round. */
	double level;          /* The mean that nine of ten do not exceed, in the last round. */
	size_t standing, held; /* Peers that stand, and that do not as too many would. */

	mc_time begin; /* Of this round; 0: none yet. */

	size_t len, room;
	struct peer **members;
	float *ratios; /* In this round; NaN: none. */
	bool *watched; /* Those that are out, or stand. */
	float *scratch;
};

/* Adds a peer that has a mean, and may stand already; and takes it out, GROUP_ENDED if it stands.
 */
void group_join(struct group *, struct peer *);
void group_leave(struct peer *, group_tell *, void *argument);

/* Frees what the group has, not the group. */
void group_done(struct group *);

/* Takes a known value of a peer.  False: it is older than the round before, and nothing else
 * happens. */
bool group_take(struct peer *, mc_time, double value, group_tell *, void *argument);

/* Whether the group is large enough to say something. */
static inline bool group_speaks(const struct group *group)
{
	return group->peers.len >= group->rule->peers_min;
}
