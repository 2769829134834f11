/* SPDX-License-Identifier: MIT */
/* From a received packet to samples.
 *
 * This is the path that costs: per value list one look at the series' name,
 * which the codec has put together, and one copy of the values.  Whatever is
 * new or wrong leaves it at once. */
#include "take.h"

#include <string.h>

#include <collector/binary.h>
#include <collector/control.h>

#include "clock.h"

#define YEAR (366 * 24 * 3600 * MC_SECOND)
#define GRACE (30 * MC_SECOND) /* Of clocks, beside two intervals. */

struct taking { /* One packet. */
	struct take *take;
	const struct take_origin *origin;
	struct mc_batch *batch;
	enum network_level trust; /* What the packet has proven so far. */
	const struct users_entry *user;
	const char *host; /* The one that was last compared with the rules. */
	bool host_good;
	struct times_place *times; /* Of that host; NULL: not asked. */
	bool over;                 /* Nothing more is taken of it. */
	unsigned accepted, rejected;
	struct mc_binary binary;
};

static void refuse(struct taking *taking, unsigned reason, const char *about)
{
	taking->rejected++;
	count_refuse(taking->take->count, taking->take->ctx,
		     (enum count_reason)reason, taking->origin->sender, about);
}

static void refuse_rest(struct taking *taking, unsigned reason,
			const char *about)
{
	taking->over = true;
	refuse(taking, reason, about);
}

/* --- Who sends ----------------------------------------------------------- */

/* Signatures are checked only where there are keys, as in collectd. */
static void unseal(struct taking *taking, enum mc_binary_item item)
{
	struct mc_binary *binary = &taking->binary;
	const struct mc_binary_seal *seal = &binary->seal;
	const struct users *users = taking->origin->users;
	bool sealed = item == MC_BINARY_ENCRYPTED;

	if (taking->trust != NETWORK_NONE) {
		refuse_rest(taking, MC_BINARY_MISPLACED, NULL);
		return;
	}
	if (users->path == NULL) {
		if (sealed)
			refuse_rest(taking, COUNT_NO_KEYS, NULL);
		return;
	}
	taking->user = users_find(users, seal->user, seal->user_size);
	if (taking->user == NULL) {
		refuse_rest(taking, COUNT_USER, NULL);
		return;
	}
	if (sealed ? !crypt_decrypt(taking->user->key, seal)
		   : !crypt_verify(taking->user->key, seal)) {
		refuse_rest(taking, COUNT_FORGED, taking->user->name);
		return;
	}
	taking->trust = sealed ? NETWORK_ENCRYPT : NETWORK_SIGN;
	if (sealed)
		mc_binary_open(binary, seal->covered + MC_BINARY_SUM_SIZE,
			       seal->covered_size - MC_BINARY_SUM_SIZE);
}

static bool trusted(const struct taking *taking)
{
	const struct take_origin *origin = taking->origin;
	const struct allow *allow = &taking->take->allow;

	if (taking->trust >= origin->level &&
	    (taking->trust > NETWORK_NONE || allow->len == 0))
		return true;
	return allow_has(allow, origin->sender);
}

/* Whether this packet may speak for the host that holds now: looked at once
 * for each part that names one. */
static bool look_at_host(struct taking *taking, const char *host)
{
	if (taking->host == NULL && !trusted(taking)) {
		refuse_rest(taking, COUNT_UNSIGNED, host);
		return false;
	}
	taking->host = host;
	taking->host_good =
		taking->user == NULL || users_may_send(taking->user, host);
	if (taking->host_good && taking->user != NULL &&
	    taking->take->times.path != NULL)
		taking->times = times_find(&taking->take->times,
					   taking->user->name, host);
	return taking->host_good;
}

static inline bool may_send(struct taking *taking)
{
	const char *host = taking->binary.id.host;

	return host == taking->host ? taking->host_good
				    : look_at_host(taking, host);
}

/* --- When ---------------------------------------------------------------- */

static bool time_good(const struct taking *taking, struct mc_stamp stamp)
{
	mc_time window = taking->take->window;
	mc_time away = stamp.time - taking->origin->now;

	if (window == 0) {
		if (taking->origin->level == NETWORK_NONE)
			return true;
		window = 2 * stamp.interval + GRACE;
	}
	return away <= window && away >= -window;
}

/* --- Items --------------------------------------------------------------- */

static bool may_make(const struct taking *taking)
{
	const char *user = taking->user != NULL ? taking->user->name : NULL;

	return sender_may_make(&taking->take->sender,
			       sender_key(taking->origin->sender, user),
			       clock_read(CLOCK_MONOTONIC));
}

/* Whether times of series are remembered: of what is signed. */
static bool remembers(const struct taking *taking)
{
	return taking->user != NULL && taking->take->newest.places != NULL;
}

static uint64_t series_of(const struct taking *taking)
{
	return newest_series(&taking->take->newest, taking->binary.name.name,
			     taking->binary.name_size);
}

/* Makes a series that is new, or finds one whose name has to be changed, which
 * is no new one each time. */
static struct mc_series *new_series(struct taking *taking, mc_time time)
{
	struct mc_binary *binary = &taking->binary;
	const struct mc_type *type =
		mc_type_find(taking->take->ctx, binary->id.type);
	struct mc_series *series = mc_find_named(taking->batch, &binary->name);

	if (series != NULL)
		return series;
	if (type == NULL) {
		refuse(taking, COUNT_TYPE, binary->id.type);
		return NULL;
	}
	if (!mc_binary_is(binary, type)) {
		refuse(taking, COUNT_MISMATCH, binary->id.type);
		return NULL;
	}
	if (remembers(taking) &&
	    newest_has(&taking->take->newest, series_of(taking), time)) {
		refuse(taking, COUNT_REPLAYED, binary->name.name);
		return NULL;
	}
	if (!may_make(taking)) {
		refuse(taking, COUNT_SENDER, binary->name.name);
		return NULL;
	}
	series = mc_series_named(taking->batch, &binary->name);
	if (series == NULL)
		refuse(taking, COUNT_SERIES, binary->name.name);
	return series;
}

static void take_values(struct taking *taking)
{
	struct mc_binary *binary = &taking->binary;
	struct mc_stamp stamp = binary->stamp;
	struct mc_series *series;

	if (!may_send(taking)) {
		if (!taking->over)
			refuse(taking, COUNT_HOST, binary->id.host);
		return;
	}
	if (stamp.time == 0)
		stamp.time = taking->origin->now;
	if (stamp.interval == 0)
		stamp.interval = taking->take->ctx->interval;
	if (stamp.interval > YEAR) {
		refuse(taking, COUNT_INTERVAL, binary->id.host);
		return;
	}
	if (!time_good(taking, stamp)) {
		refuse(taking, COUNT_TIME, binary->id.host);
		return;
	}
	if (taking->times != NULL && !times_take(taking->times, stamp.time)) {
		refuse(taking, COUNT_REPLAYED, binary->id.host);
		return;
	}
	series = mc_find(taking->batch, binary->name.name, binary->name_size);
	if (series == NULL)
		series = new_series(taking, stamp.time);
	if (series == NULL)
		return;
	if (!mc_binary_is(binary, mc_type(series))) {
		refuse(taking, COUNT_MISMATCH, binary->id.type);
		return;
	}
	mc_put_at(taking->batch, series, stamp, binary->values,
		  binary->values_len);
	if (remembers(taking))
		newest_note(&taking->take->newest, series_of(taking),
			    stamp.time);
	taking->accepted++;
}

static void take_notice(struct taking *taking)
{
	struct mc_notice *notice = &taking->binary.notice;
	struct mc_stamp stamp = { notice->time, taking->take->ctx->interval };

	if (!may_send(taking)) {
		if (!taking->over)
			refuse(taking, COUNT_HOST, notice->id.host);
		return;
	}
	if (!time_good(taking, stamp)) {
		refuse(taking, COUNT_TIME, notice->id.host);
		return;
	}
	if (taking->times != NULL && !times_take(taking->times, stamp.time)) {
		refuse(taking, COUNT_REPLAYED, notice->id.host);
		return;
	}
	if (seen_add(taking->take->seen, notice))
		mc_notify(taking->take->ctx, notice);
	else
		refuse(taking, COUNT_REPEATED, notice->id.host);
}

static void take_items(struct taking *taking)
{
	enum mc_binary_item item;

	while (!taking->over &&
	       (item = mc_binary_next(&taking->binary)) != MC_BINARY_END) {
		switch (item) {
		case MC_BINARY_VALUES:
			take_values(taking);
			break;
		case MC_BINARY_NOTICE:
			take_notice(taking);
			break;
		case MC_BINARY_SIGNED:
		case MC_BINARY_ENCRYPTED:
			unseal(taking, item);
			break;
		case MC_BINARY_FAULT:
			refuse_rest(taking, taking->binary.fault, NULL);
			break;
		case MC_BINARY_END:
			break;
		}
	}
}

void take_packet(struct take *take, const struct take_origin *origin,
		 struct mc_batch *batch, unsigned char *packet, size_t size)
{
	struct taking taking; /* Too large to be cleared for each packet. */

	taking.take = take;
	taking.origin = origin;
	taking.batch = batch;
	taking.trust = NETWORK_NONE;
	taking.user = NULL;
	taking.host = NULL;
	taking.host_good = false;
	taking.times = NULL;
	taking.over = false;
	taking.accepted = taking.rejected = 0;
	mc_binary_open(&taking.binary, packet, size);
	take_items(&taking);
	take->count->accepted += taking.accepted;
	take->count->rejected += taking.rejected;
}
