/* SPDX-License-Identifier: MIT */
/* Log records, as notifications. */
#include "base/text.h"
#include "formats/otlp/otlp_message.h"
#include "formats/protobuf.h"

/* Copies as much as fits into 'room', in one line of valid UTF-8; returns its size. */
static size_t copy_line(char *out, size_t room, struct mc_otlp_text text)
{
	size_t size = text.size;

	if (size >= room) {
		size = room - 1;
		while (size > 0 && (text.at[size] & 0xc0) == 0x80)
			size--;
	}
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text.at[i];

		out[i] = c < ' ' || c == 0x7f ? ' ' : text.at[i];
	}
	text_mend(out, size);
	out[size] = '\0';
	return size;
}

static enum mc_severity severity_of(uint64_t number)
{
	if (number >= OTLP_ERROR)
		return MC_FAILURE;
	return number >= OTLP_WARN ? MC_WARNING : MC_OKAY;
}

enum { HOST, PLUGIN, PLUGIN_INSTANCE, TYPE, TYPE_INSTANCE, PARTS };

/* False if it is not a part of the name. */
static bool take_part(struct mc_otlp_text parts[PARTS], const struct otlp_pair *pair)
{
	static const char *const keys[PARTS] = {
		NULL,          OTLP_KEY_PLUGIN,        OTLP_KEY_PLUGIN_INSTANCE,
		OTLP_KEY_TYPE, OTLP_KEY_TYPE_INSTANCE,
	};

	for (unsigned i = PLUGIN; i < PARTS; i++)
		if (otlp_text_is(pair->key, keys[i])) {
			parts[i] = pair->text;
			return true;
		}
	return false;
}

/* Any other attribute; 'used' of the room for texts is taken.  Attributes without room are
 * skipped. */
static void take_field(struct mc_otlp *otlp, const struct otlp_pair *pair, size_t *used)
{
	size_t room = sizeof(otlp->own.field_texts) - *used;
	char *at = otlp->own.field_texts + *used;
	struct mc_field *field = &otlp->own.fields[otlp->notification.fields_len];

	if (otlp->notification.fields_len == MC_FIELDS_MAX || pair->key.size == 0 ||
	    pair->key.size > OTLP_PART_MAX || pair->key.size + pair->text.size + 2 > room)
		return;
	otlp->notification.fields_len++;
	field->name = at;
	at += copy_line(at, pair->key.size + 1, pair->key) + 1;
	field->value = at;
	at += copy_line(at, pair->text.size + 1, pair->text) + 1;
	*used = (size_t)(at - otlp->own.field_texts);
}

static const char *set_notification_id(struct mc_otlp *otlp, const struct mc_otlp_text parts[PARTS])
{
	struct mc_id *id = &otlp->notification.id;
	const char **strings[PARTS] = { &id->host, &id->plugin, &id->plugin_instance, &id->type,
					&id->type_instance };
	char *at = otlp->own.text;

	for (unsigned i = 0; i < PARTS; i++) {
		const char *why = otlp_part_fault(parts[i]);

		if (why != NULL)
			return why;
		*strings[i] = at;
		at += copy_line(at, parts[i].size + 1, parts[i]) + 1;
	}
	return NULL;
}

const char *otlp_record_read(struct mc_otlp *otlp, struct mc_otlp_span span)
{
	struct mc_otlp_text parts[PARTS];
	struct otlp_pair pair = { .text = { "", 0 } };
	struct otlp_pair body = pair;
	struct protobuf_field field;
	uint64_t time = 0, observed = 0, severity = 0;
	size_t used = 0;

	for (unsigned i = 0; i < PARTS; i++)
		parts[i] = otlp_literal("");
	parts[HOST] = otlp->own.host;
	otlp->notification.fields = otlp->own.fields;
	otlp->notification.fields_len = 0;
	if (!otlp_text_is(otlp->own.scope, OTLP_SCOPE_NOTICE))
		parts[PLUGIN] =
			otlp->own.service.size > 0 ? otlp->own.service : otlp_literal("otlp");
	while (protobuf_take(&span, &field, &otlp->own.broken)) {
		if (field.number == OTLP_LOG_TIME && field.wire == PROTOBUF_64BIT)
			time = field.value;
		else if (field.number == OTLP_LOG_OBSERVED && field.wire == PROTOBUF_64BIT)
			observed = field.value;
		else if (field.number == OTLP_LOG_SEVERITY)
			severity = field.value;
		else if (field.wire == PROTOBUF_BYTES && field.number == OTLP_LOG_BODY)
			otlp_any_read(&body, field.span, &otlp->own.broken);
		else if (field.wire == PROTOBUF_BYTES && field.number == OTLP_LOG_ATTRIBUTES &&
			 otlp_pair_read(&pair, field.span, &otlp->own.broken) &&
			 pair.template == OTLP_ANY_STRING && !take_part(parts, &pair))
			take_field(otlp, &pair, &used);
	}
	if (time == 0)
		time = observed;
	if ((mc_time)time < 0)
		return "time out of range";
	otlp->notification.time = (mc_time)time;
	otlp->notification.severity = severity_of(severity);
	copy_line(otlp->own.message, sizeof(otlp->own.message), body.text);
	otlp->notification.message = otlp->own.message;
	return set_notification_id(otlp, parts);
}
