/* SPDX-License-Identifier: MIT */
/* The interval of a sender is learnt: a longer pause than ever is the new one,
 * a shorter one counts for as much as it lasts.  So requests that come close
 * together, as those of one cycle do, do not count.
 *
 * The file has a line for each: when it was heard (since 1970), its interval
 * (both in ns), 1 if it was up, and its name. */
#include "sender.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define LEARN 8 /* Shorter pauses until one that long is nearly forgotten. */
#define LEARN_MAX 4
#define INTERVAL_MAX (86400 * MC_SECOND)

struct sender {
	struct mc_lru_node node;
	char name[SENDER_NAME_SIZE];
	bool up, came;
	bool explained; /* Requests that will be missing before the next number. */
	mc_time heard, interval, lag, away;
	uint64_t missing, dropped;
	struct stream_gap gap;
};

static void forget(struct senders *senders, struct sender *sender) MC_REQUIRES(senders->kept.lock)
{
	mc_lru_remove(&senders->kept.entries, &sender->node);
	free(sender);
	senders->kept.changed = true;
}

static struct sender *add(struct senders *senders, const char *name) MC_REQUIRES(senders->kept.lock)
{
	struct sender *sender;

	if (senders->kept.entries.map.len >= senders->len_max)
		forget(senders, (struct sender *)senders->kept.entries.oldest);
	sender = mc_alloc_zero(sizeof(*sender));
	snprintf(sender->name, sizeof(sender->name), "%s", name);
	sender->up = true;
	sender->lag = -1;
	mc_lru_add(&senders->kept.entries, &sender->node, sender->name, strlen(sender->name));
	senders->kept.changed = true;
	return sender;
}

/* --- Hearing ------------------------------------------------------------- */

mc_time sender_learn(mc_time interval, mc_time pause)
{
	if (pause >= interval)
		return pause;
	return interval -
	       (mc_time)((double)(interval - pause) * (double)pause / (LEARN * (double)interval));
}

static void record(struct sender *sender, mc_time pause)
{
	sender->interval = sender_learn(sender->interval, pause);
}

/* Of a silence little is learnt: it may have been an outage, or the pauses of
 * one who is not known well yet. */
static void count_seen(struct senders *senders, struct sender *sender, mc_time now)
	MC_REQUIRES(senders->kept.lock)
{
	mc_time pause = now - sender->heard;

	if (sender->up) {
		if (sender->heard >= senders->started)
			record(sender, pause);
		return;
	}
	record(sender, pause < LEARN_MAX * sender->interval ? pause : LEARN_MAX * sender->interval);
	sender->up = sender->came = true;
	sender->away = pause;
	senders->kept.changed = true;
}

/* A batch that needs several requests has its number on the last, but says what
 * was dropped before it on the first. */
static void judge_gap(struct sender *sender, const struct sender_news *news)
{
	sender->explained |= news->stated;
	if (!news->numbered)
		return;
	if (news->gap.last > 0 && !sender->explained) {
		sender->gap = news->gap;
		sender->missing += news->gap.last - news->gap.first + 1;
	}
	sender->explained = false;
}

void sender_heard(struct senders *senders, const char *name, const struct sender_news *news)
{
	mc_time now = mc_now();
	struct sender *sender;

	pthread_mutex_lock(&senders->kept.lock);
	sender = (struct sender *)mc_lru_find(&senders->kept.entries, name, strlen(name));
	if (sender != NULL) {
		count_seen(senders, sender, now);
		mc_lru_use(&senders->kept.entries, &sender->node);
	} else {
		sender = add(senders, name);
	}
	sender->heard = now;
	if (sender->interval == 0)
		sender->interval = news->interval > 0 ? news->interval : senders->default_value;
	if (news->newest != 0)
		sender->lag = mc_wall() - news->newest;
	sender->dropped += news->dropped;
	judge_gap(sender, news);
	pthread_mutex_unlock(&senders->kept.lock);
}

/* --- Looking ------------------------------------------------------------- */

/* Nobody can be heard while this collector is not there. */
static bool is_silent(const struct senders *senders, const struct sender *sender, mc_time now)
	MC_REQUIRES(senders->kept.lock)
{
	mc_time since = sender->heard > senders->started ? sender->heard : senders->started;

	return senders->silent_after > 0 &&
	       (double)(now - since) > senders->silent_after * (double)sender->interval;
}

static void look_at(struct senders *senders, struct sender *sender, mc_time now,
		    struct sender_view *view) MC_REQUIRES(senders->kept.lock)
{
	bool went = sender->up && is_silent(senders, sender, now);

	if (went) {
		sender->up = false;
		senders->kept.changed = true;
	}
	*view = (struct sender_view){
		.up = sender->up,
		.silence = now - sender->heard,
		.interval = sender->interval,
		.lag = sender->lag,
		.went = went,
		.came = sender->came,
		.away = sender->away,
		.missing = sender->missing,
		.gap = sender->gap,
		.dropped = sender->dropped,
	};
	memcpy(view->name, sender->name, sizeof(view->name));
	sender->came = false;
	sender->missing = sender->dropped = 0;
}

struct sender_view *sender_look(struct senders *senders, size_t *len)
{
	mc_time now = mc_now();
	struct sender_view *views;
	struct sender *sender;

	*len = 0;
	pthread_mutex_lock(&senders->kept.lock);
	while ((sender = (struct sender *)senders->kept.entries.oldest) != NULL &&
	       now - sender->heard > SENDER_FORGET)
		forget(senders, sender);
	views = mc_alloc_array(senders->kept.entries.map.len + 1, sizeof(*views));
	for (struct mc_lru_node *n = senders->kept.entries.oldest; n != NULL; n = n->newer)
		look_at(senders, (struct sender *)n, now, &views[(*len)++]);
	pthread_mutex_unlock(&senders->kept.lock);
	return views;
}

/* --- Keeping ------------------------------------------------------------- */

static void read_lines(struct kept *kept, FILE *file) MC_NO_LOCK
{
	struct senders *senders = (struct senders *)kept;
	mc_time wall = mc_wall(), now = mc_now(), heard, interval;
	char name[SENDER_NAME_SIZE];
	struct sender *sender;
	int up;

	while (fscanf(file, "%20" SCNd64 " %20" SCNd64 " %1d %127s\n", &heard, &interval, &up,
		      name) == 4) {
		/* The clock has been set back since: it was just now. */
		if (heard > wall && heard - wall <= SENDER_FORGET)
			heard = wall;
		if (heard > wall || wall - heard > SENDER_FORGET || interval <= 0 ||
		    interval > INTERVAL_MAX ||
		    mc_lru_find(&senders->kept.entries, name, strlen(name)) != NULL)
			continue;
		sender = add(senders, name);
		sender->heard = now - (wall - heard);
		sender->interval = interval;
		sender->up = up != 0;
	}
}

static void write_line(const struct mc_lru_node *node, mc_time epoch, FILE *file)
{
	const struct sender *sender = (const struct sender *)node;

	fprintf(file, "%" PRId64 " %" PRId64 " %d %s\n", epoch + sender->heard, sender->interval,
		sender->up, sender->name);
}

static const struct kept_kind kind = { .read = read_lines, .write = write_line };

/* --- Life -------------------------------------------------------------- */

void sender_init(struct senders *senders, size_t len_max, double silent_after,
		 mc_time default_value)
{
	*senders = (struct senders){
		.len_max = len_max,
		.silent_after = silent_after,
		.default_value = default_value,
		.started = mc_now(),
	};
	kept_init(&senders->kept, &kind);
}

void sender_done(struct senders *senders)
{
	kept_done(&senders->kept);
}
