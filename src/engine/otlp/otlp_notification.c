/* SPDX-License-Identifier: MIT */
/* A notification as a request of one log record. */
#include "engine/otlp/otlp_write.h"

#include <string.h>

#include "base/text.h"
#include "engine/otlp/otlp_sort.h"
#include "formats/otlp/otlp_attribute.h"
#include "formats/protobuf.h"

static const struct otlp_key key_plugin = OTLP_KEY("\x06", OTLP_KEY_PLUGIN);
static const struct otlp_key key_type = OTLP_KEY("\x04", OTLP_KEY_TYPE);
static const struct otlp_key key_plugin_instance = OTLP_KEY("\x0f", OTLP_KEY_PLUGIN_INSTANCE);
static const struct otlp_key key_type_instance = OTLP_KEY("\x0d", OTLP_KEY_TYPE_INSTANCE);

/* Copies a part of a name that may be of others; returns its size.  Text of others is not always
 * UTF-8, which protobuf wants: a receiver that is strict refuses the whole request. */
static size_t mend_part(char out[OTLP_PART_MAX], const char *text)
{
	size_t size = text_fit(text, OTLP_PART_MAX);

	memcpy(out, text, size);
	text_mend(out, size);
	return size;
}

static unsigned char *put_part(unsigned char *at, const struct otlp_key *key, const char *text)
{
	char part[OTLP_PART_MAX];
	size_t size;

	if (text == NULL || *text == '\0')
		return at;
	size = mend_part(part, text);
	return otlp_attribute_put(at, OTLP_LOG_ATTRIBUTES, key, part, size);
}

static unsigned char *put_mended(unsigned char *at, unsigned field, const char *text, size_t size)
{
	at = protobuf_put_raw(at, text, size);
	text_mend((char *)at, size);
	return protobuf_put_head(at, field, at + size);
}

/* Each as an attribute of its own name. */
static unsigned char *put_fields(unsigned char *at, const struct mc_notification *notification)
{
	unsigned len = notification->fields_len;

	if (len > MC_FIELDS_MAX)
		len = MC_FIELDS_MAX;
	while (len-- > 0) {
		const struct mc_field *field = &notification->fields[len];
		unsigned char *end = at;

		at = put_mended(at, OTLP_ANY_STRING, field->value,
				text_fit(field->value, MC_OTLP_FIELD_SIZE - 1));
		at = protobuf_put_head(at, OTLP_PAIR_VALUE, end);
		at = put_mended(at, OTLP_PAIR_KEY, field->name,
				text_fit(field->name, OTLP_PART_MAX));
		at = protobuf_put_head(at, OTLP_LOG_ATTRIBUTES, end);
	}
	return at;
}

static unsigned char *put_record(unsigned char *at, const struct mc_notification *notification)
{
	const char *message = notification->message != NULL ? notification->message : "";
	unsigned number = OTLP_INFO;
	const char *severity = "OKAY";
	unsigned char *end = at;

	if (notification->severity != MC_OKAY) {
		bool failure = notification->severity == MC_FAILURE;

		number = failure ? OTLP_ERROR : OTLP_WARN;
		severity = failure ? "FAILURE" : "WARNING";
	}
	at = put_fields(at, notification);
	at = put_part(at, &key_type_instance, notification->id.type_instance);
	at = put_part(at, &key_type, notification->id.type);
	at = put_part(at, &key_plugin_instance, notification->id.plugin_instance);
	at = put_part(at, &key_plugin, notification->id.plugin);

	unsigned char *body_end = at;

	at = put_mended(at, OTLP_ANY_STRING, message, text_fit(message, MC_OTLP_MESSAGE_SIZE - 1));
	at = protobuf_put_head(at, OTLP_LOG_BODY, body_end);
	at = protobuf_put_text(at, OTLP_LOG_SEVERITY_TEXT, severity, strlen(severity));
	at = protobuf_put_number(at, OTLP_LOG_SEVERITY, number);
	at = protobuf_put_fixed64(at, OTLP_LOG_TIME, notification->time);
	return protobuf_put_head(at, OTLP_SCOPES_ITEMS, end);
}

void mc_otlp_write_notification(struct mc_otlp_writer *writer,
				const struct mc_notification *notification,
				struct mc_otlp_bytes *out)
{
	static const char scope[] = "notification";
	char host[OTLP_PART_MAX];
	size_t host_size =
		mend_part(host, notification->id.host != NULL ? notification->id.host : "");
	unsigned char *end =
		otlp_write_room(writer, 2 * MC_OTLP_MESSAGE_SIZE +
						MC_FIELDS_MAX * (MC_OTLP_FIELD_SIZE +
								 OTLP_PART_MAX + OTLP_FIELD_HEADS));
	unsigned char *at = put_record(end, notification);

	at = otlp_write_scope(at, scope, sizeof(scope) - 1);
	at = protobuf_put_head(at, OTLP_RESOURCES_SCOPES, end);
	at = otlp_write_resource(at, host, host_size, "", 0);
	at = protobuf_put_head(at, OTLP_REQUEST_RESOURCES, end);
	*out = (struct mc_otlp_bytes){ at, end - at, 0 };
}
