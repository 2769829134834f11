/* SPDX-License-Identifier: MIT */
/* Writing the binary protocol: what holds already in a packet is left out, as collectd does it. */
#include "formats/binary/binary_part.h"

#include "base/text.h"

#define NUMBER_SIZE (BINARY_HEAD_SIZE + sizeof(uint64_t))
#define MESSAGE_MAX 255 /* collectd throws away what is longer. */
#define TEXT_SIZE(text_size) (BINARY_HEAD_SIZE + (text_size) + 1)
#define MASK(name) (1u << (name))

static const uint16_t name_types[] = { BINARY_HOST, BINARY_PLUGIN, BINARY_PLUGIN_INSTANCE,
				       BINARY_TYPE, BINARY_TYPE_INSTANCE };

/* 2^-30 s, rounded: that is finer than a nanosecond, so nothing is lost. */
static uint64_t to_hr(mc_time time)
{
	uint64_t rest;

	if (time <= 0)
		return 0;
	rest = time % MC_SECOND;
	return ((uint64_t)(time / MC_SECOND) << 30) + ((rest << 30) + MC_SECOND / 2) / MC_SECOND;
}

static unsigned char *store_number(unsigned char *at, enum binary_part type, uint64_t number)
{
	return binary_store64(binary_store_head(at, type, NUMBER_SIZE), number);
}

static unsigned char *store_text(unsigned char *at, enum binary_part type, const char *text,
				 size_t size)
{
	at = binary_store_head(at, type, TEXT_SIZE(size));
	memcpy(at, text, size);
	at[size] = '\0';
	return at + size + 1;
}

/* --- Series -------------------------------------------------------------- */

static size_t values_head_size(const struct mc_type *type)
{
	return BINARY_HEAD_SIZE + sizeof(uint16_t) + type->sources_len;
}

size_t mc_binary_series_size(const struct mc_id *id, const struct mc_type *type)
{
	return sizeof(struct mc_binary_series) + 5 * TEXT_SIZE(0) + strlen(id->host) +
	       strlen(id->plugin) + strlen(id->plugin_instance) + strlen(id->type) +
	       strlen(id->type_instance) + values_head_size(type);
}

void mc_binary_series_init(struct mc_binary_series *series, const struct mc_id *id,
			   const struct mc_type *type)
{
	const char *texts[] = { id->host, id->plugin, id->plugin_instance, id->type,
				id->type_instance };
	unsigned char *at = series->bytes;

	series->type = type;
	for (unsigned i = 0; i < 5; i++) {
		at = store_text(at, name_types[i], texts[i], strlen(texts[i]));
		series->ends[i] = at - series->bytes;
	}
	at = binary_store_head(at, BINARY_VALUES,
			       BINARY_HEAD_SIZE + sizeof(uint16_t) +
				       type->sources_len * BINARY_VALUE_SIZE);
	at = binary_store16(at, type->sources_len);
	for (unsigned i = 0; i < type->sources_len; i++)
		*at++ = type->sources[i].kind;
	series->ends[5] = at - series->bytes;
}

/* --- Values -------------------------------------------------------------- */

/* State at the start of a packet: no part is set, which is the same as "" for each. */
static const struct mc_binary_series unsaid = {
	.ends = { 5, 10, 15, 20, 25 },
	.bytes = { 0,
		   BINARY_HOST,
		   0,
		   5,
		   0,
		   0,
		   BINARY_PLUGIN,
		   0,
		   5,
		   0,
		   0,
		   BINARY_PLUGIN_INSTANCE,
		   0,
		   5,
		   0,
		   0,
		   BINARY_TYPE,
		   0,
		   5,
		   0,
		   0,
		   BINARY_TYPE_INSTANCE,
		   0,
		   5,
		   0 },
};

void mc_binary_start(struct mc_binary_packet *packet, void *bytes, size_t room)
{
	packet->bytes = bytes;
	packet->size = 0;
	packet->room = room;
	packet->lists_len = 0;
	packet->own.series = &unsaid;
	packet->own.stamp = (struct mc_stamp){ 0 };
}

void mc_binary_rest(struct mc_binary_packet *packet)
{
	const struct mc_binary_series *series = packet->own.series;
	size_t size;

	if (series == NULL || series == &unsaid || series == &packet->own.kept)
		return;
	size = sizeof(*series) + series->ends[TYPE_INSTANCE];
	if (size <= sizeof(packet->own.kept_room))
		memcpy(packet->own.kept_room, series, size);
	packet->own.series = size <= sizeof(packet->own.kept_room) ? &packet->own.kept : NULL;
}

static unsigned part_at(const struct mc_binary_series *series, unsigned name)
{
	return name == HOST ? 0 : series->ends[name - 1];
}

/* Which parts of the name differ, and their size.  Kept out of the way of what is usual. */
static __attribute__((noinline)) unsigned changed_names(const struct mc_binary_series *last,
							const struct mc_binary_series *series,
							size_t *size)
{
	unsigned changed = 0;

	for (unsigned i = HOST; i <= TYPE_INSTANCE; i++) {
		unsigned at = part_at(series, i);
		unsigned part_size = series->ends[i] - at;

		if (last == NULL || last->ends[i] - part_at(last, i) != part_size ||
		    !binary_same(last->bytes + part_at(last, i), series->bytes + at, part_size)) {
			changed |= MASK(i);
			*size += part_size;
		}
	}
	return changed;
}

/* The same, quickly: most often a series differs from the one before in the type instance alone,
 * which is the last part, and two comparisons suffice. */
static unsigned changed_since(const struct mc_binary_series *last,
			      const struct mc_binary_series *series, size_t *size)
{
	unsigned at = series->ends[TYPE];
	unsigned part_size = series->ends[TYPE_INSTANCE] - at;

	if (last == NULL || memcmp(last->ends, series->ends, 4 * sizeof(*series->ends)) != 0 ||
	    !binary_same(last->bytes, series->bytes, at))
		return changed_names(last, series, size);
	if (last->ends[TYPE_INSTANCE] == series->ends[TYPE_INSTANCE] &&
	    binary_same(last->bytes + at, series->bytes + at, part_size))
		return 0;
	*size += part_size;
	return MASK(TYPE_INSTANCE);
}

static unsigned char *store_name(unsigned char *to, const struct mc_binary_series *series,
				 unsigned name)
{
	unsigned at = part_at(series, name);
	unsigned size = series->ends[name] - at;

	binary_copy(to, series->bytes + at, size);
	return to + size;
}

/* Those after the host, which the time follows. */
static unsigned char *store_names(unsigned char *to, const struct mc_binary_series *series,
				  unsigned changed)
{
	if (changed == MASK(TYPE_INSTANCE))
		return store_name(to, series, TYPE_INSTANCE);
	for (unsigned i = PLUGIN; i <= TYPE_INSTANCE; i++)
		if (changed & MASK(i))
			to = store_name(to, series, i);
	return to;
}

static unsigned char *store_values(unsigned char *at, const struct mc_binary_series *series,
				   const union mc_value *values)
{
	const struct mc_type *type = series->type;
	unsigned head_at = series->ends[TYPE_INSTANCE];
	unsigned head_size = series->ends[5] - head_at;

	binary_copy(at, series->bytes + head_at, head_size);
	at += head_size;
	for (unsigned i = 0; i < type->sources_len; i++) {
		uint64_t number = values[i].counter;

		if (type->sources[i].kind == MC_GAUGE)
			number = be64toh(htole64(number));
		at = binary_store64(at, number);
	}
	return at;
}

bool mc_binary_put(struct mc_binary_packet *packet, const struct mc_binary_series *series,
		   struct mc_stamp stamp, const union mc_value *values)
{
	bool new_time = stamp.time != packet->own.stamp.time;
	bool new_interval = stamp.interval != packet->own.stamp.interval;
	size_t size = BINARY_HEAD_SIZE + sizeof(uint16_t) +
		      series->type->sources_len * BINARY_VALUE_SIZE +
		      (new_time + new_interval) * NUMBER_SIZE;
	unsigned changed = changed_since(packet->own.series, series, &size);
	unsigned char *at = packet->bytes + packet->size;

	if (size > packet->room - packet->size)
		return false;
	if (changed & MASK(HOST))
		at = store_name(at, series, HOST);
	if (new_time)
		at = store_number(at, BINARY_TIME_HR, to_hr(stamp.time));
	if (new_interval)
		at = store_number(at, BINARY_INTERVAL_HR, to_hr(stamp.interval));
	at = store_names(at, series, changed & ~MASK(HOST));
	packet->size = store_values(at, series, values) - packet->bytes;
	packet->own.series = series;
	packet->own.stamp = stamp;
	packet->lists_len++;
	return true;
}

/* --- Notifications ------------------------------------------------------- */

static const char *text_or_empty(const char *text)
{
	return text != NULL ? text : "";
}

size_t mc_binary_notification(void *out, size_t room, const struct mc_notification *notification)
{
	const char *texts[] = {
		text_or_empty(notification->id.host),
		text_or_empty(notification->id.plugin),
		text_or_empty(notification->id.plugin_instance),
		text_or_empty(notification->id.type),
		text_or_empty(notification->id.type_instance),
	};
	const char *message = text_or_empty(notification->message);
	size_t size = 2 * NUMBER_SIZE + TEXT_SIZE(0), sizes[5];
	unsigned char *at = out;

	for (unsigned i = 0; i < 5; i++) {
		sizes[i] = text_fit(texts[i], MC_BINARY_PART_SIZE);
		size += sizes[i] > 0 ? TEXT_SIZE(sizes[i]) : 0;
	}
	if (size >= room || message[0] == '\0')
		return 0;
	room -= size;
	at = store_number(at, BINARY_TIME_HR, to_hr(notification->time));
	at = store_number(at, BINARY_SEVERITY, notification->severity);
	for (unsigned i = 0; i < 5; i++)
		if (sizes[i] > 0)
			at = store_text(at, (enum binary_part)name_types[i], texts[i], sizes[i]);
	at = store_text(at, BINARY_MESSAGE, message,
			text_fit(message, room < MESSAGE_MAX ? room : MESSAGE_MAX));
	return at - (unsigned char *)out;
}

/* --- Seals --------------------------------------------------------------- */

size_t mc_binary_envelope_size(enum mc_binary_item kind, size_t user_size)
{
	if (kind == MC_BINARY_SIGNED)
		return BINARY_HEAD_SIZE + MC_BINARY_MAC_SIZE + user_size;
	return BINARY_HEAD_SIZE + sizeof(uint16_t) + user_size + MC_BINARY_IV_SIZE +
	       MC_BINARY_SUM_SIZE;
}

void mc_binary_envelope(unsigned char *out, enum mc_binary_item kind, const char *user, size_t size,
			struct mc_binary_envelope *envelope)
{
	size_t user_size = strlen(user);
	size_t head_size = mc_binary_envelope_size(kind, user_size);
	unsigned char *at = out;

	envelope->user_size = user_size;
	if (kind == MC_BINARY_SIGNED) {
		at = binary_store_head(at, BINARY_SIGNATURE, head_size);
		envelope->code = at;
		envelope->covered = at += MC_BINARY_MAC_SIZE;
		envelope->covered_size = user_size + size;
		envelope->user = (const char *)at;
		memcpy(at, user, user_size);
		return;
	}
	at = binary_store_head(at, BINARY_ENCRYPTED, head_size + size);
	at = binary_store16(at, user_size);
	envelope->user = (const char *)at;
	memcpy(at, user, user_size);
	envelope->code = at + user_size;
	envelope->covered = envelope->code + MC_BINARY_IV_SIZE;
	envelope->covered_size = MC_BINARY_SUM_SIZE + size;
}
