/* SPDX-License-Identifier: MIT */
#include "group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

/* A round begins so much before its first value, in parts of an interval, as readers are not
 * exact. */
#define EARLY 16

/* A peer that is out must come so much nearer to be in again. */
#define NEARER 0.5

/* Means that the level of a group is found by. */
#define LEVEL_SAMPLES 128

/* Number that may be out at the same time in any group. */
#define OUT_MIN 2

/* --- Members ------------------------------------------------------------------ */

static void grow(struct group *group)
{
	size_t room = group->room == 0 ? 16 : group->room * 2;

	group->members = mc_alloc_resize(group->members, room, sizeof(*group->members));
	group->ratios = mc_alloc_resize(group->ratios, room, sizeof(*group->ratios));
	group->watched = mc_alloc_resize(group->watched, room, sizeof(*group->watched));
	group->scratch = mc_alloc_resize(group->scratch, room, sizeof(*group->scratch));
	group->room = room;
}

void group_join(struct group *group, struct peer *peer)
{
	if (group->len == group->room)
		grow(group);
	peer->group = group;
	peer->index = group->len;
	group->members[group->len] = peer;
	group->ratios[group->len] = NAN;
	group->watched[group->len++] = peer->stands;
	group->standing += peer->stands;
}

void group_leave(struct peer *peer, group_tell *tell, void *argument)
{
	struct group *group = peer->group;
	size_t last;

	if (group == NULL)
		return;
	if (peer->stands) {
		group->standing--;
		tell(argument, GROUP_ENDED, peer);
	}
	last = --group->len;
	group->members[peer->index] = group->members[last];
	group->ratios[peer->index] = group->ratios[last];
	group->watched[peer->index] = group->watched[last];
	group->members[peer->index]->index = peer->index;
	peer->group = NULL;
	peer->stands = false;
	peer->out = peer->in = 0;
}

void group_done(struct group *group)
{
	free(group->members);
	free(group->ratios);
	free(group->watched);
	free(group->scratch);
}

/* --- The end of a round -------------------------------------------------------- */

/* Whether the change is one beside the level of the group, not only beside its own. */
static bool is_large(const struct group *group, const struct peer *peer)
{
	double change = fabs((double)(peer->ratio - group->peers.median)) * peer->own.mean;

	if (peer->own.mean == 0) /* NOLINT: exactly */
		change = peer->value;
	return change >= group->rule->change_min * group->level;
}

/* Counts the round of a peer that has a ratio; returns whether it is out. */
static bool count_round(struct group *group, struct peer *peer)
{
	double part = peer->stands ? NEARER : 1;
	bool out = deviation_side(&peer->own, &group->rule->deviation, &group->peers, peer->ratio,
				  part) != DEVIATION_NONE &&
		   is_large(group, peer);

	if (!out) {
		peer->out = 0;
		peer->in += peer->stands;
		return false;
	}
	if (peer->out == 0 && !peer->stands)
		peer->out_since = peer->seen;
	peer->out++;
	peer->in = 0;
	return true;
}

/* Those that the group alone, without their own spread, does not show to be in. */
static size_t count_rounds(struct group *group)
{
	const struct deviation_limits limits =
		deviation_limits(&group->rule->deviation, &group->peers, 0, 1);
	size_t out = 0;

	for (size_t i = 0; i < group->len; i++) {
		double ratio = (double)group->ratios[i];
		bool may_be = ratio > limits.high || ratio < limits.low; /* NaN: no. */

		if ((!may_be && !group->watched[i]) || isnan(ratio))
			continue;
		out += count_round(group, group->members[i]);
		group->watched[i] = group->members[i]->stands || group->members[i]->out > 0;
	}
	return out;
}

static void end_standing(struct group *group, struct peer *peer)
{
	group->standing--;
	peer->stands = false;
	peer->out = peer->in = 0;
	group->watched[peer->index] = false;
}

static void look_at_standing(struct group *group, struct peer *peer, group_tell *tell,
			     void *argument)
{
	if (peer->in >= group->rule->rounds) {
		tell(argument, GROUP_BACK, peer);
		end_standing(group, peer);
	} else if (peer->seen - peer->out_since >= group->rule->keep) {
		tell(argument, GROUP_KEPT, peer);
		end_standing(group, peer);
		peer->own.mean = peer->value / (double)fmaxf(group->peers.median, 0.01F);
	}
}

static void look_at(struct group *group, struct peer *peer, bool many, group_tell *tell,
		    void *argument)
{
	if (peer->stands) {
		look_at_standing(group, peer, tell, argument);
	} else if (peer->out >= group->rule->rounds && many) {
		group->held++;
	} else if (peer->out >= group->rule->rounds) {
		peer->stands = true;
		group->standing++;
		tell(argument, GROUP_OUT, peer);
	}
}

static void judge(struct group *group, group_tell *tell, void *argument)
{
	size_t out = count_rounds(group);
	bool many = out > OUT_MIN && (double)out > group->rule->share_max * group->peers.len;

	group->held = 0;
	for (size_t i = 0; i < group->len; i++)
		if (group->watched[i])
			look_at(group, group->members[i], many, tell, argument);
}

/* Of some: it need not be exact. */
static double find_level(const struct group *group)
{
	size_t step = group->len / LEVEL_SAMPLES + 1, len = 0;
	float means[LEVEL_SAMPLES];

	for (size_t i = 0; i < group->len; i += step)
		means[len++] = (float)group->members[i]->own.mean;
	return len > 0 ? (double)deviation_rank(means, len, len * 9 / 10) : 0;
}

static void end_round(struct group *group, group_tell *tell, void *argument)
{
	size_t len = 0;

	for (size_t i = 0; i < group->len; i++) {
		group->scratch[len] = group->ratios[i];
		len += !isnan(group->ratios[i]);
	}
	group->level = find_level(group);
	if (len > 0)
		group->peers = deviation_peers_of(group->scratch, len);
	else
		group->peers.len = 0;
	if (group_speaks(group))
		judge(group, tell, argument);
	for (size_t i = 0; i < group->len; i++)
		group->ratios[i] = NAN;
}

/* --- Values -------------------------------------------------------------------- */

bool group_take(struct peer *peer, mc_time time, double value, group_tell *tell, void *argument)
{
	struct group *group = peer->group;

	if (time < group->begin - 2 * group->interval)
		return false;
	if (group->begin == 0)
		group->begin = time - group->interval / EARLY;
	if (time >= group->begin + group->interval) {
		end_round(group, tell, argument);
		group->begin += group->interval;
		if (time >= group->begin + group->interval) /* There was a gap. */
			group->begin = time - group->interval / EARLY;
	}
	peer->value = value;
	peer->seen = time;
	peer->ratio = deviation_ratio(&peer->own, value);
	if (isnan(peer->ratio))
		return true;
	group->ratios[peer->index] = peer->ratio;
	if (!peer->stands && group->peers.len > 0)
		deviation_follow(&peer->own, &group->rule->deviation, &group->peers, value,
				 peer->ratio);
	else if (!peer->stands)
		deviation_learn(&peer->own, value);
	return true;
}
