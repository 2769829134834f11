/* SPDX-License-Identifier: MIT */
/* Reading the binary protocol.  One cursor goes through the packet: a part is
 * looked at only when all its bytes are there, and it is passed by exactly its
 * declared size, which is four at least. */
#include "formats/binary/binary_part.h"

#include <collector/serve.h>

#define HR_BITS 30 /* Fractions of a second in times of the newer kind. */
#define SECONDS_MAX (INT64_MAX / MC_SECOND - 1)

/* From where on a name is out of date. */
enum { STALE_HOST, STALE_PLUGIN, STALE_TYPE, STALE_TYPE_INSTANCE, STALE_NONE };

void mc_binary_open(struct mc_binary *binary, unsigned char *packet, size_t size)
{
	binary->id = (struct mc_id){ "", "", "", "", "" };
	binary->stamp = (struct mc_stamp){ 0 };
	binary->values_len = 0;
	binary->unknown_len = 0;
	binary->own.begin = binary->own.at = packet;
	binary->own.end = packet + size;
	memset(binary->own.sizes, 0, sizeof(binary->own.sizes));
	binary->own.stale = STALE_HOST;
	binary->own.severity = 0;
}

/* --- Parts --------------------------------------------------------------- */

static enum mc_binary_item fault(struct mc_binary *binary, enum mc_binary_fault fault)
{
	binary->fault = fault;
	binary->own.at = binary->own.end;
	return MC_BINARY_FAULT;
}

static mc_time from_seconds(uint64_t seconds)
{
	return seconds > SECONDS_MAX ? INT64_MAX : (mc_time)seconds * MC_SECOND;
}

static mc_time from_hr(uint64_t hr)
{
	uint64_t rest = hr & ((UINT64_C(1) << HR_BITS) - 1);

	if (hr >> HR_BITS > SECONDS_MAX)
		return INT64_MAX;
	return (mc_time)(hr >> HR_BITS) * MC_SECOND +
	       (mc_time)((rest * MC_SECOND + (1 << (HR_BITS - 1))) >> HR_BITS);
}

/* The text that is the content of a part, or NULL. */
static const char *text_of(const unsigned char *content, size_t size)
{
	if (size == 0 || content[size - 1] != '\0')
		return NULL;
	return (const char *)content;
}

/* A part of the name: its bytes stay where they are. */
static bool take_name(struct mc_binary *binary, enum binary_name name, const unsigned char *content,
		      size_t size)
{
	static const unsigned char stale[] = { STALE_HOST, STALE_PLUGIN, STALE_PLUGIN, STALE_TYPE,
					       STALE_TYPE_INSTANCE };
	const char *text = text_of(content, size);

	if (text == NULL)
		return false;
	size = strlen(text);
	if (size > MC_BINARY_PART_SIZE)
		return false;
	binary->texts[name] = text;
	binary->own.sizes[name] = size;
	if (stale[name] < binary->own.stale)
		binary->own.stale = stale[name];
	return true;
}

static bool take_number(struct mc_binary *binary, unsigned type, const unsigned char *content,
			size_t size)
{
	uint64_t number;

	if (size != sizeof(number))
		return false;
	number = binary_load64(content);
	if (type == BINARY_TIME)
		binary->stamp.time = from_seconds(number);
	else if (type == BINARY_TIME_HR)
		binary->stamp.time = from_hr(number);
	else if (type == BINARY_INTERVAL)
		binary->stamp.interval = from_seconds(number);
	else if (type == BINARY_INTERVAL_HR)
		binary->stamp.interval = from_hr(number);
	else
		binary->own.severity = number;
	return true;
}

/* --- The name ------------------------------------------------------------ */

static char *append(char *at, const char *text, size_t size)
{
	binary_copy(at, text, size);
	return at + size;
}

static char *append_instance(char *at, const char *text, size_t size)
{
	if (size == 0)
		return at;
	*at++ = '-';
	return append(at, text, size);
}

/* Puts the name together from where it is out of date. */
static void renew_name(struct mc_binary *binary)
{
	const uint16_t *sizes = binary->own.sizes;
	char *text = binary->own.text, *at;

	if (binary->own.stale == STALE_HOST) {
		at = append(text, binary->id.host, sizes[HOST]);
		*at++ = '/';
		binary->own.plugin_at = at - text;
	}
	if (binary->own.stale <= STALE_PLUGIN) {
		at = append(text + binary->own.plugin_at, binary->id.plugin, sizes[PLUGIN]);
		at = append_instance(at, binary->id.plugin_instance, sizes[PLUGIN_INSTANCE]);
		*at++ = '/';
		binary->own.type_at = at - text;
	}
	if (binary->own.stale <= STALE_TYPE) {
		at = append(text + binary->own.type_at, binary->id.type, sizes[TYPE]);
		binary->own.type_end = at - text;
	}
	at = append_instance(text + binary->own.type_end, binary->id.type_instance,
			     sizes[TYPE_INSTANCE]);
	*at = '\0';
	binary->own.stale = STALE_NONE;
	binary->name_size = at - text;
	binary->name = (struct mc_name_parts){
		.name = text,
		.host_size = sizes[HOST],
		.plugin_size = sizes[PLUGIN],
		.plugin_instance_size = sizes[PLUGIN_INSTANCE],
		.type_size = sizes[TYPE],
		.type_instance_size = sizes[TYPE_INSTANCE],
	};
}

/* --- Items --------------------------------------------------------------- */

static enum mc_binary_item take_values(struct mc_binary *binary, const unsigned char *content,
				       size_t size)
{
	const unsigned char *numbers;
	unsigned len;

	if (size < sizeof(uint16_t))
		return fault(binary, MC_BINARY_COUNT);
	len = binary_load16(content);
	if (len == 0 || len > MC_SOURCES_MAX || size != sizeof(uint16_t) + len * BINARY_VALUE_SIZE)
		return fault(binary, MC_BINARY_COUNT);
	binary->kinds = content + sizeof(uint16_t);
	numbers = binary->kinds + len;
	for (unsigned i = 0; i < len; i++) {
		union mc_value value;

		if (binary->kinds[i] > MC_ABSOLUTE)
			return fault(binary, MC_BINARY_KIND);
		value.counter = binary_load64(numbers + i * sizeof(value));
		if (binary->kinds[i] == MC_GAUGE)
			value.counter = htole64(htobe64(value.counter));
		binary->values[i] = value;
	}
	binary->values_len = len;
	if (binary->own.stale != STALE_NONE)
		renew_name(binary);
	return MC_BINARY_VALUES;
}

static enum mc_binary_item take_message(struct mc_binary *binary, const unsigned char *content,
					size_t size)
{
	const char *message = text_of(content, size);
	uint64_t severity = binary->own.severity;

	if (message == NULL)
		return fault(binary, MC_BINARY_STRING);
	if (binary->id.host[0] == '\0' || binary->stamp.time == 0 || message[0] == '\0' ||
	    (severity != MC_FAILURE && severity != MC_WARNING && severity != MC_OKAY))
		return fault(binary, MC_BINARY_NO_NOTICE);
	binary->notification = (struct mc_notification){
		.severity = (enum mc_severity)severity,
		.time = binary->stamp.time,
		.id = binary->id,
		.message = message,
	};
	return MC_BINARY_NOTICE;
}

static enum mc_binary_item take_signature(struct mc_binary *binary, unsigned char *content,
					  size_t size)
{
	if (size <= MC_BINARY_MAC_SIZE)
		return fault(binary, MC_BINARY_SIZE);
	if (content - BINARY_HEAD_SIZE != binary->own.begin)
		return fault(binary, MC_BINARY_MISPLACED);
	binary->envelope.code = content;
	binary->envelope.covered = content + MC_BINARY_MAC_SIZE;
	binary->envelope.covered_size = binary->own.end - binary->envelope.covered;
	binary->envelope.user = (const char *)binary->envelope.covered;
	binary->envelope.user_size = size - MC_BINARY_MAC_SIZE;
	return MC_BINARY_SIGNED;
}

static enum mc_binary_item take_encrypted(struct mc_binary *binary, unsigned char *content,
					  size_t size)
{
	size_t user_size, head_size;

	if (size < sizeof(uint16_t))
		return fault(binary, MC_BINARY_SIZE);
	user_size = binary_load16(content);
	head_size = sizeof(uint16_t) + user_size + MC_BINARY_IV_SIZE;
	if (user_size == 0 || size < head_size + MC_BINARY_SUM_SIZE)
		return fault(binary, MC_BINARY_SIZE);
	if (content - BINARY_HEAD_SIZE != binary->own.begin || binary->own.at != binary->own.end)
		return fault(binary, MC_BINARY_MISPLACED);
	binary->envelope.user = (const char *)content + sizeof(uint16_t);
	binary->envelope.user_size = user_size;
	binary->envelope.code = content + sizeof(uint16_t) + user_size;
	binary->envelope.covered = content + head_size;
	binary->envelope.covered_size = size - head_size;
	return MC_BINARY_ENCRYPTED;
}

/* Reads a part that is rare.  MC_BINARY_END: it was not an item. */
static __attribute__((noinline)) enum mc_binary_item take_rare(struct mc_binary *binary,
							       unsigned type,
							       unsigned char *content, size_t size)
{
	switch (type) {
	case BINARY_TIME:
	case BINARY_TIME_HR:
	case BINARY_INTERVAL:
	case BINARY_INTERVAL_HR:
	case BINARY_SEVERITY:
		if (!take_number(binary, type, content, size))
			return fault(binary, MC_BINARY_SIZE);
		return MC_BINARY_END;
	case BINARY_MESSAGE:
		return take_message(binary, content, size);
	case BINARY_SIGNATURE:
		return take_signature(binary, content, size);
	case BINARY_ENCRYPTED:
		return take_encrypted(binary, content, size);
	default:
		binary->unknown_len++;
		return MC_BINARY_END;
	}
}

/* Reads one part.  Parts in every value list go first. */
static inline enum mc_binary_item take_part(struct mc_binary *binary, unsigned type,
					    unsigned char *content, size_t size)
{
	if (type == BINARY_VALUES)
		return take_values(binary, content, size);
	if (type == BINARY_TIME_HR && size == sizeof(uint64_t)) {
		binary->stamp.time = from_hr(binary_load64(content));
		return MC_BINARY_END;
	}
	if (type > BINARY_TYPE_INSTANCE || type == BINARY_TIME)
		return take_rare(binary, type, content, size);
	if (!take_name(binary, (enum binary_name)(type - (type > BINARY_HOST)), content, size))
		return fault(binary, MC_BINARY_STRING);
	return MC_BINARY_END;
}

enum mc_binary_item mc_binary_next(struct mc_binary *binary)
{
	unsigned char *part = binary->own.at, *const end = binary->own.end;
	enum mc_binary_item item = MC_BINARY_END;

	while (item == MC_BINARY_END && part < end) {
		size_t left = end - part, size;
		uint32_t head;

		if (left < BINARY_HEAD_SIZE)
			return fault(binary, MC_BINARY_TRUNCATED);
		memcpy(&head, part, sizeof(head));
		head = be32toh(head);
		size = head & 0xffff;
		if (size < BINARY_HEAD_SIZE)
			return fault(binary, MC_BINARY_SIZE);
		if (size > left)
			return fault(binary, MC_BINARY_TRUNCATED);
		binary->own.at = part + size;
		item = take_part(binary, head >> 16, part + BINARY_HEAD_SIZE,
				 size - BINARY_HEAD_SIZE);
		part += size;
	}
	return item;
}
