/* SPDX-License-Identifier: MIT */
/* From a received packet to samples.
 *
 * This is the path that costs: per value list one look at the series' name, which the codec has put
 * together, and one copy of the values.  Whatever is new or wrong leaves it at once. */
#include "ingest.h"

#include <string.h>

#include <collector/control.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "formats/binary/binary.h"

#define YEAR (366 * 24 * 3600 * MC_SECOND)
#define GRACE (30 * MC_SECOND) /* Of clocks, beside two intervals. */

struct ingesting { /* One packet. */
	struct take *take;
	const struct take_origin *origin;
	struct mc_batch *batch;
	enum network_level trust; /* The proof of the packet so far. */
	const struct users_entry *user;
	const char *host; /* The one that was last compared with the rules. */
	bool host_good;
	struct times_slot *times; /* Of that host; NULL: not asked. */
	bool over;                /* Nothing more is taken of it. */
	unsigned accepted, rejected;
	struct mc_binary binary;
};

static void refuse(struct ingesting *ingesting, unsigned reason, const char *about)
{
	ingesting->rejected++;
	count_refuse(ingesting->take->count, ingesting->take->ctx, (enum count_reason)reason,
		     ingesting->origin->sender, about);
}

static void refuse_rest(struct ingesting *ingesting, unsigned reason, const char *about)
{
	ingesting->over = true;
	refuse(ingesting, reason, about);
}

/* --- The sender ----------------------------------------------------------- */

/* Signatures are checked only where there are keys, as in collectd. */
static void unseal(struct ingesting *ingesting, enum mc_binary_item item)
{
	struct mc_binary *binary = &ingesting->binary;
	const struct mc_binary_envelope *envelope = &binary->envelope;
	const struct users *users = ingesting->origin->users;
	bool enveloped = item == MC_BINARY_ENCRYPTED;

	if (ingesting->trust != NETWORK_NONE) {
		refuse_rest(ingesting, MC_BINARY_MISPLACED, NULL);
		return;
	}
	if (users->path == NULL) {
		if (enveloped)
			refuse_rest(ingesting, COUNT_NO_KEYS, NULL);
		return;
	}
	ingesting->user = users_find(users, envelope->user, envelope->user_size);
	if (ingesting->user == NULL) {
		refuse_rest(ingesting, COUNT_USER, NULL);
		return;
	}
	if (enveloped ? !crypt_decrypt(ingesting->user->key, envelope)
		      : !crypt_verify(ingesting->user->key, envelope)) {
		refuse_rest(ingesting, COUNT_FORGED, ingesting->user->name);
		return;
	}
	ingesting->trust = enveloped ? NETWORK_ENCRYPT : NETWORK_SIGN;
	if (enveloped)
		mc_binary_open(binary, envelope->covered + MC_BINARY_SUM_SIZE,
			       envelope->covered_size - MC_BINARY_SUM_SIZE);
}

static bool trusted(const struct ingesting *ingesting)
{
	const struct take_origin *origin = ingesting->origin;
	const struct allow *allow = &ingesting->take->allow;

	if (ingesting->trust >= origin->level &&
	    (ingesting->trust > NETWORK_NONE || allow->len == 0))
		return true;
	return allow_has(allow, origin->sender);
}

/* Whether this packet may speak for the host that holds now: looked at once
 * for each part that names one. */
static bool look_at_host(struct ingesting *ingesting, const char *host)
{
	if (ingesting->host == NULL && !trusted(ingesting)) {
		refuse_rest(ingesting, COUNT_UNSIGNED, host);
		return false;
	}
	ingesting->host = host;
	ingesting->host_good = ingesting->user == NULL || users_may_send(ingesting->user, host);
	if (ingesting->host_good && ingesting->user != NULL && ingesting->take->times.path != NULL)
		ingesting->times = times_find(&ingesting->take->times, ingesting->user->name, host);
	return ingesting->host_good;
}

static inline bool may_send(struct ingesting *ingesting)
{
	const char *host = ingesting->binary.id.host;

	return host == ingesting->host ? ingesting->host_good : look_at_host(ingesting, host);
}

/* --- When ---------------------------------------------------------------- */

static bool time_good(const struct ingesting *ingesting, struct mc_stamp stamp)
{
	mc_time window = ingesting->take->window;
	mc_time away = stamp.time - ingesting->origin->now;

	if (window == 0) {
		if (ingesting->origin->level == NETWORK_NONE)
			return true;
		window = 2 * stamp.interval + GRACE;
	}
	return away <= window && away >= -window;
}

/* --- Items --------------------------------------------------------------- */

static bool may_make(const struct ingesting *ingesting)
{
	const char *user = ingesting->user != NULL ? ingesting->user->name : NULL;

	return mc_sender_limit_may_make(&ingesting->take->sender,
					mc_sender_limit_key(ingesting->origin->sender, user),
					mc_now());
}

/* Whether times of series are remembered: of what is signed. */
static bool remembers(const struct ingesting *ingesting)
{
	return ingesting->user != NULL && ingesting->take->newest.slots != NULL;
}

static uint64_t series_of(const struct ingesting *ingesting)
{
	return newest_series(&ingesting->take->newest, ingesting->binary.name.name,
			     ingesting->binary.name_size);
}

/* Makes a series that is new, or finds one whose name has to be changed, which does not count as
 * new each time. */
static struct mc_series *new_series(struct ingesting *ingesting, mc_time time)
{
	struct mc_binary *binary = &ingesting->binary;
	const struct mc_type *type = mc_type_find(ingesting->take->ctx, binary->id.type);
	struct mc_series *series = mc_find_named(ingesting->batch, &binary->name);

	if (series != NULL)
		return series;
	if (type == NULL) {
		refuse(ingesting, COUNT_TYPE, binary->id.type);
		return NULL;
	}
	if (!mc_binary_is(binary, type)) {
		refuse(ingesting, COUNT_MISMATCH, binary->id.type);
		return NULL;
	}
	if (remembers(ingesting) &&
	    newest_has(&ingesting->take->newest, series_of(ingesting), time)) {
		refuse(ingesting, COUNT_REPLAYED, binary->name.name);
		return NULL;
	}
	if (!may_make(ingesting)) {
		refuse(ingesting, COUNT_SENDER, binary->name.name);
		return NULL;
	}
	mc_charge(ingesting->batch, ingesting->take->quotas[ingesting->user != NULL]);
	series = mc_series_named(ingesting->batch, &binary->name);
	if (series == NULL)
		refuse(ingesting, COUNT_SERIES, binary->name.name);
	return series;
}

static void take_values(struct ingesting *ingesting)
{
	struct mc_binary *binary = &ingesting->binary;
	struct mc_stamp stamp = binary->stamp;
	struct mc_series *series;

	if (!may_send(ingesting)) {
		if (!ingesting->over)
			refuse(ingesting, COUNT_HOST, binary->id.host);
		return;
	}
	if (stamp.time == 0)
		stamp.time = ingesting->origin->now;
	if (stamp.interval == 0)
		stamp.interval = ingesting->take->ctx->interval;
	if (stamp.interval > YEAR) {
		refuse(ingesting, COUNT_INTERVAL, binary->id.host);
		return;
	}
	if (!time_good(ingesting, stamp)) {
		refuse(ingesting, COUNT_TIME, binary->id.host);
		return;
	}
	if (ingesting->times != NULL && !times_take(ingesting->times, stamp.time)) {
		refuse(ingesting, COUNT_REPLAYED, binary->id.host);
		return;
	}
	series = mc_find_for(ingesting->batch, binary->name.name, binary->name_size);
	if (series == NULL)
		series = new_series(ingesting, stamp.time);
	if (series == NULL)
		return;
	if (!mc_binary_is(binary, mc_type(series))) {
		refuse(ingesting, COUNT_MISMATCH, binary->id.type);
		return;
	}
	mc_put_at(ingesting->batch, series, stamp, binary->values, binary->values_len);
	if (remembers(ingesting))
		newest_note(&ingesting->take->newest, series_of(ingesting), stamp.time);
	ingesting->accepted++;
}

/* Anybody can make up an address, but not a signature. */
static struct mc_notice_sender notice_sender(const struct ingesting *ingesting)
{
	const char *user = ingesting->user != NULL ? ingesting->user->name : NULL;

	return (struct mc_notice_sender){ mc_sender_limit_key(ingesting->origin->sender, user),
					  user != NULL };
}

static void pass_on(struct ingesting *ingesting, const struct mc_notification *notification)
{
	struct take *take = ingesting->take;

	if (mc_notice_limit_takes(&take->notices, notice_sender(ingesting), notification, mc_now()))
		mc_notify(take->ctx, notification);
	else
		refuse(ingesting, COUNT_STORM, notification->id.host);
}

static void take_notification(struct ingesting *ingesting)
{
	struct mc_notification *notification = &ingesting->binary.notification;
	struct mc_stamp stamp = { notification->time, ingesting->take->ctx->interval };

	if (!may_send(ingesting)) {
		if (!ingesting->over)
			refuse(ingesting, COUNT_HOST, notification->id.host);
		return;
	}
	if (!time_good(ingesting, stamp)) {
		refuse(ingesting, COUNT_TIME, notification->id.host);
		return;
	}
	if (ingesting->times != NULL && !times_take(ingesting->times, stamp.time)) {
		refuse(ingesting, COUNT_REPLAYED, notification->id.host);
		return;
	}
	switch (seen_add(ingesting->take->seen, notification, mc_now())) {
	case SEEN_NEW:
		pass_on(ingesting, notification);
		break;
	case SEEN_BEFORE:
		refuse(ingesting, COUNT_REPEATED, notification->id.host);
		break;
	case SEEN_TOO_MANY:
		refuse(ingesting, COUNT_NOTICES, notification->id.host);
		break;
	}
}

static void take_items(struct ingesting *ingesting)
{
	enum mc_binary_item item;

	while (!ingesting->over && (item = mc_binary_next(&ingesting->binary)) != MC_BINARY_END) {
		switch (item) {
		case MC_BINARY_VALUES:
			take_values(ingesting);
			break;
		case MC_BINARY_NOTICE:
			take_notification(ingesting);
			break;
		case MC_BINARY_SIGNED:
		case MC_BINARY_ENCRYPTED:
			unseal(ingesting, item);
			break;
		case MC_BINARY_FAULT:
			refuse_rest(ingesting, ingesting->binary.fault, NULL);
			break;
		case MC_BINARY_END:
			break;
		}
	}
}

void ingest_packet(struct take *take, const struct take_origin *origin, struct mc_batch *batch,
		   unsigned char *packet, size_t size)
{
	struct ingesting ingesting; /* Too large to be cleared for each packet. */

	ingesting.take = take;
	ingesting.origin = origin;
	ingesting.batch = batch;
	ingesting.trust = NETWORK_NONE;
	ingesting.user = NULL;
	ingesting.host = NULL;
	ingesting.host_good = false;
	ingesting.times = NULL;
	ingesting.over = false;
	ingesting.accepted = ingesting.rejected = 0;
	mc_binary_open(&ingesting.binary, packet, size);
	take_items(&ingesting);
	take->count->accepted += ingesting.accepted;
	take->count->rejected += ingesting.rejected;
}
