/* SPDX-License-Identifier: MIT */
#include "words.h"

#include <stdio.h>
#include <time.h>

struct number {
	char text[24];
};

/* Two digits that matter, without an exponent. */
static struct number number(double value)
{
	struct number out;
	int digits = value >= 9.95 || value == 0 ? 0 : value >= 0.095 ? 1 : 2;

	snprintf(out.text, sizeof(out.text), "%.*f", digits, value);
	return out;
}

/* "14:02"; of another day with its date. */
static void moment(mc_time time, mc_time now, char *out, size_t size)
{
	time_t then = (time_t)(time / MC_SECOND), today = (time_t)(now / MC_SECOND);
	struct tm at, of_now;

	localtime_r(&then, &at);
	localtime_r(&today, &of_now);
	strftime(out, size,
		 at.tm_yday == of_now.tm_yday && at.tm_year == of_now.tm_year ? "%H:%M"
									      : "%F %H:%M",
		 &at);
}

/* "is 8.1 times its own mean" */
static void times(char out[96], const struct peer *peer)
{
	if (peer->own.mean == 0) /* NOLINT: exactly */
		snprintf(out, 96, "is %g and its own mean is 0", peer->value);
	else
		snprintf(out, 96, "is %s times its own mean", number((double)peer->ratio).text);
}

static void peers_of(char out[128], const struct group *group)
{
	snprintf(out, 128, "of %u peers the median is %s (MAD %s)", group->peers.len,
		 number((double)group->peers.median).text, number((double)group->peers.mad).text);
}

void words_news(char out[WORDS_SIZE], enum group_news news, const char *what,
		const struct peer *peer)
{
	char own[96], since[32], peers[128];

	times(own, peer);
	if (news != GROUP_ENDED) /* It may never have come to its group. */
		peers_of(peers, peer->group);
	moment(peer->out_since, peer->seen, since, sizeof(since));
	switch (news) {
	case GROUP_OUT:
		snprintf(out, WORDS_SIZE, "%s %s since %s; %s", what, own, since, peers);
		break;
	case GROUP_BACK:
		snprintf(out, WORDS_SIZE, "%s %s, as usual; %s", what, own, peers);
		break;
	case GROUP_KEPT:
		snprintf(out, WORDS_SIZE, "%s %s since %s: from now on that is its mean", what, own,
			 since);
		break;
	case GROUP_ENDED:
		snprintf(out, WORDS_SIZE, "%s has no values to compare any more", what);
		break;
	}
}

void words_state(char out[WORDS_SIZE], const struct peer *peer, uint32_t needed)
{
	const struct group *group = peer->group;
	char own[96], peers[128], since[32];

	if (group == NULL && peer->own.values >= needed) {
		snprintf(out, WORDS_SIZE,
			 "has its mean of before the restart, and waits for Settle");
		return;
	}
	if (group == NULL) {
		snprintf(out, WORDS_SIZE, "waits for its mean: %u of %u values", peer->own.values,
			 needed);
		return;
	}
	times(own, peer);
	peers_of(peers, group);
	if (!group_speaks(group)) {
		snprintf(
			out, WORDS_SIZE,
			"%s; it has %u peers with values, and fewer than MinPeers, %u, say nothing",
			own, group->peers.len, group->rule->peers_min);
	} else if (peer->stands) {
		moment(peer->out_since, peer->seen, since, sizeof(since));
		snprintf(out, WORDS_SIZE, "outlier: it %s since %s; %s", own, since, peers);
	} else {
		const struct deviation_limits limits = deviation_limits(
			&group->rule->deviation, &group->peers, peer->own.spread, 1);
		int size = snprintf(out, WORDS_SIZE, "%s; %s; an outlier is", own, peers);
		bool below = limits.low > 0, above = group->rule->deviation.above;

		if (above)
			size += snprintf(out + size, WORDS_SIZE - (size_t)size, " above %s",
					 number(limits.high).text);
		if (below)
			size += snprintf(out + size, WORDS_SIZE - (size_t)size, "%s below %s",
					 above ? " or" : "", number(limits.low).text);
		if (!above && !below)
			snprintf(out + size, WORDS_SIZE - (size_t)size,
				 " none: they differ too "
				 "much");
	}
}
