/* SPDX-License-Identifier: MIT */
/* Writing the binary protocol: what holds already in a packet is left out, as
 * collectd does it. */
#include "wire/binary.h"

#define NUMBER_SIZE (BINARY_HEAD_SIZE + sizeof(uint64_t))
#define MESSAGE_MAX 255 /* collectd throws away what is longer. */
#define TEXT_SIZE(text_size) (BINARY_HEAD_SIZE + (text_size) + 1)
#define MASK(name) (1u << (name))

static const uint16_t name_types[] = { BINARY_HOST, BINARY_PLUGIN,
				       BINARY_PLUGIN_INSTANCE, BINARY_TYPE,
				       BINARY_TYPE_INSTANCE };

/* 2^-30 s, rounded: that is finer than a nanosecond, so nothing is lost. */
static uint64_t to_hr(mc_time time)
{
	uint64_t rest;

	if (time <= 0)
		return 0;
	rest = time % MC_SECOND;
	return ((uint64_t)(time / MC_SECOND) << 30) +
	       ((rest << 30) + MC_SECOND / 2) / MC_SECOND;
}

static unsigned char *store_number(unsigned char *at, enum binary_part type,
				   uint64_t number)
{
	return binary_store64(binary_store_head(at, type, NUMBER_SIZE), number);
}

static unsigned char *store_text(unsigned char *at, enum binary_part type,
				 const char *text, size_t size)
{
	at = binary_store_head(at, type, TEXT_SIZE(size));
	memcpy(at, text, size);
	at[size] = '\0';
	return at + size + 1;
}

/* --- Series -------------------------------------------------------------- */

size_t mc_binary_series_size(const struct mc_id *id)
{
	return sizeof(struct mc_binary_series) + 5 * TEXT_SIZE(0) +
	       strlen(id->host) + strlen(id->plugin) +
	       strlen(id->plugin_instance) + strlen(id->type) +
	       strlen(id->type_instance);
}

void mc_binary_series_init(struct mc_binary_series *series,
			   const struct mc_id *id)
{
	const char *texts[] = { id->host, id->plugin, id->plugin_instance,
				id->type, id->type_instance };
	unsigned char *at = series->bytes;

	for (unsigned i = 0; i < 5; i++) {
		at = store_text(at, name_types[i], texts[i], strlen(texts[i]));
		series->ends[i] = at - series->bytes;
	}
}

/* --- Values -------------------------------------------------------------- */

void mc_binary_start(struct mc_binary_packet *packet, void *bytes, size_t room)
{
	*packet = (struct mc_binary_packet){ .bytes = bytes, .room = room };
}

void mc_binary_rest(struct mc_binary_packet *packet)
{
	packet->own.series = NULL;
}

/* Which parts of the name do not hold yet, and their size.  At the start of a
 * packet nothing is said, which is the same as "". */
static unsigned changed_names(const struct mc_binary_packet *packet,
			      const struct mc_binary_series *series,
			      size_t *size)
{
	unsigned changed = 0, at = 0;

	for (unsigned i = 0; i < 5; i++) {
		unsigned part_size = series->ends[i] - at;
		unsigned held = packet->own.parts[i].size;

		if (part_size != held
			    ? held != 0 || part_size != TEXT_SIZE(0)
			    : !binary_same(packet->bytes +
						   packet->own.parts[i].at,
					   series->bytes + at, part_size)) {
			changed |= MASK(i);
			*size += part_size;
		}
		at = series->ends[i];
	}
	return changed;
}

/* The same where the series before is at hand: most often it differs in the
 * type instance alone, which is the last part, and two looks tell. */
static unsigned changed_since(const struct mc_binary_packet *packet,
			      const struct mc_binary_series *series,
			      size_t *size)
{
	const struct mc_binary_series *last = packet->own.series;
	unsigned at, part_size;

	if (last == NULL ||
	    memcmp(last->ends, series->ends, 4 * sizeof(*series->ends)) != 0 ||
	    !binary_same(last->bytes, series->bytes, series->ends[TYPE]))
		return changed_names(packet, series, size);
	at = series->ends[TYPE];
	part_size = series->ends[TYPE_INSTANCE] - at;
	if (last->ends[TYPE_INSTANCE] == series->ends[TYPE_INSTANCE] &&
	    binary_same(last->bytes + at, series->bytes + at, part_size))
		return 0;
	*size += part_size;
	return MASK(TYPE_INSTANCE);
}

static unsigned char *store_name(struct mc_binary_packet *packet,
				 unsigned char *to,
				 const struct mc_binary_series *series,
				 enum binary_name name)
{
	unsigned at = name == HOST ? 0 : series->ends[name - 1];
	unsigned size = series->ends[name] - at;

	binary_copy(to, series->bytes + at, size);
	packet->own.parts[name].at = to - packet->bytes;
	packet->own.parts[name].size = size;
	return to + size;
}

static unsigned char *store_names(struct mc_binary_packet *packet,
				  unsigned char *to,
				  const struct mc_binary_series *series,
				  unsigned changed)
{
	if (changed & (MASK(PLUGIN) | MASK(PLUGIN_INSTANCE) | MASK(TYPE)))
		for (unsigned i = PLUGIN; i <= TYPE; i++)
			if (changed & MASK(i))
				to = store_name(packet, to, series,
						(enum binary_name)i);
	if (changed & MASK(TYPE_INSTANCE))
		to = store_name(packet, to, series, TYPE_INSTANCE);
	return to;
}

static unsigned char *store_values(unsigned char *at,
				   const struct mc_type *type,
				   const union mc_value *values)
{
	unsigned len = type->sources_len;

	at = binary_store_head(at, BINARY_VALUES,
			       BINARY_HEAD_SIZE + sizeof(uint16_t) +
				       len * BINARY_VALUE_SIZE);
	at = binary_store16(at, len);
	for (unsigned i = 0; i < len; i++)
		*at++ = type->sources[i].kind;
	for (unsigned i = 0; i < len; i++) {
		uint64_t number = values[i].counter;

		if (type->sources[i].kind == MC_GAUGE)
			number = be64toh(htole64(number));
		at = binary_store64(at, number);
	}
	return at;
}

bool mc_binary_put(struct mc_binary_packet *packet,
		   const struct mc_binary_series *series,
		   const struct mc_type *type, struct mc_stamp stamp,
		   const union mc_value *values)
{
	uint64_t time = to_hr(stamp.time), interval = packet->own.interval;
	size_t size = BINARY_HEAD_SIZE + sizeof(uint16_t) +
		      type->sources_len * BINARY_VALUE_SIZE;
	unsigned changed = changed_since(packet, series, &size);
	unsigned char *at = packet->bytes + packet->size;

	if (stamp.interval != packet->own.interval_ns)
		interval = to_hr(stamp.interval);
	if (time != packet->own.time)
		size += NUMBER_SIZE;
	if (interval != packet->own.interval)
		size += NUMBER_SIZE;
	if (size > packet->room - packet->size)
		return false;
	if (changed & MASK(HOST))
		at = store_name(packet, at, series, HOST);
	if (time != packet->own.time)
		at = store_number(at, BINARY_TIME_HR, time);
	if (interval != packet->own.interval)
		at = store_number(at, BINARY_INTERVAL_HR, interval);
	at = store_names(packet, at, series, changed);
	at = store_values(at, type, values);
	packet->own.series = series;
	packet->own.time = time;
	packet->own.interval = interval;
	packet->own.interval_ns = stamp.interval;
	packet->size = at - packet->bytes;
	packet->lists_len++;
	return true;
}

/* --- Notifications ------------------------------------------------------- */

static const char *text_or_empty(const char *text)
{
	return text != NULL ? text : "";
}

/* At most 'room' bytes, and no half character of UTF-8 at the end. */
static size_t cut(const char *text, size_t room)
{
	size_t size = strnlen(text, room + 1);

	if (size <= room)
		return size;
	for (size = room; size > 0 && (text[size] & 0xc0) == 0x80;)
		size--;
	return size;
}

size_t mc_binary_notice(void *out, size_t room, const struct mc_notice *notice)
{
	const char *texts[] = {
		text_or_empty(notice->id.host),
		text_or_empty(notice->id.plugin),
		text_or_empty(notice->id.plugin_instance),
		text_or_empty(notice->id.type),
		text_or_empty(notice->id.type_instance),
	};
	const char *message = text_or_empty(notice->message);
	size_t size = 2 * NUMBER_SIZE + TEXT_SIZE(0);
	unsigned char *at = out;

	for (unsigned i = 0; i < 5; i++)
		size += texts[i][0] != '\0' ? TEXT_SIZE(strlen(texts[i])) : 0;
	if (size >= room || message[0] == '\0')
		return 0;
	room -= size;
	at = store_number(at, BINARY_TIME_HR, to_hr(notice->time));
	at = store_number(at, BINARY_SEVERITY, notice->severity);
	for (unsigned i = 0; i < 5; i++)
		if (texts[i][0] != '\0')
			at = store_text(at, (enum binary_part)name_types[i],
					texts[i], strlen(texts[i]));
	at = store_text(at, BINARY_MESSAGE, message,
			cut(message, room < MESSAGE_MAX ? room : MESSAGE_MAX));
	return at - (unsigned char *)out;
}

/* --- Seals --------------------------------------------------------------- */

size_t mc_binary_seal_size(enum mc_binary_item kind, size_t user_size)
{
	if (kind == MC_BINARY_SIGNED)
		return BINARY_HEAD_SIZE + MC_BINARY_MAC_SIZE + user_size;
	return BINARY_HEAD_SIZE + sizeof(uint16_t) + user_size +
	       MC_BINARY_IV_SIZE + MC_BINARY_SUM_SIZE;
}

void mc_binary_seal(unsigned char *out, enum mc_binary_item kind,
		    const char *user, size_t size, struct mc_binary_seal *seal)
{
	size_t user_size = strlen(user);
	size_t head_size = mc_binary_seal_size(kind, user_size);
	unsigned char *at = out;

	seal->user_size = user_size;
	if (kind == MC_BINARY_SIGNED) {
		at = binary_store_head(at, BINARY_SIGNATURE, head_size);
		seal->code = at;
		seal->covered = at += MC_BINARY_MAC_SIZE;
		seal->covered_size = user_size + size;
		seal->user = (const char *)at;
		memcpy(at, user, user_size);
		return;
	}
	at = binary_store_head(at, BINARY_ENCRYPTED, head_size + size);
	at = binary_store16(at, user_size);
	seal->user = (const char *)at;
	memcpy(at, user, user_size);
	seal->code = at + user_size;
	seal->covered = seal->code + MC_BINARY_IV_SIZE;
	seal->covered_size = MC_BINARY_SUM_SIZE + size;
}
