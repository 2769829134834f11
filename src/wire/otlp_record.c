/* SPDX-License-Identifier: MIT */
/* Log records, as notifications. */
#include "wire/otlp.h"
#include "wire/protobuf.h"

static char *append(char *at, struct mc_otlp_text text)
{
	memcpy(at, text.at, text.size);
	return at + text.size;
}

/* Copies a message that fits, in one line. */
static void copy_message(char *out, struct mc_otlp_text text)
{
	size_t size = text.size;

	if (size >= MC_OTLP_MESSAGE_SIZE) {
		size = MC_OTLP_MESSAGE_SIZE - 1;
		while (size > 0 && (text.at[size] & 0xc0) == 0x80)
			size--;
	}
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text.at[i];

		out[i] = c < ' ' || c == 0x7f ? ' ' : text.at[i];
	}
	out[size] = '\0';
}

static enum mc_severity severity_of(uint64_t number)
{
	if (number >= OTLP_ERROR)
		return MC_FAILURE;
	return number >= OTLP_WARN ? MC_WARNING : MC_OKAY;
}

enum { HOST, PLUGIN, PLUGIN_INSTANCE, TYPE, TYPE_INSTANCE, PARTS };

static void take_part(struct mc_otlp_text parts[PARTS],
		      const struct otlp_pair *pair)
{
	static const char *const keys[PARTS] = {
		NULL,          OTLP_KEY_PLUGIN,        OTLP_KEY_PLUGIN_INSTANCE,
		OTLP_KEY_TYPE, OTLP_KEY_TYPE_INSTANCE,
	};

	for (unsigned i = PLUGIN; i < PARTS; i++)
		if (pair->form == OTLP_ANY_STRING &&
		    otlp_text_is(pair->key, keys[i]))
			parts[i] = pair->text;
}

static const char *set_notice_id(struct mc_otlp *otlp,
				 const struct mc_otlp_text parts[PARTS])
{
	struct mc_id *id = &otlp->notice.id;
	const char **strings[PARTS] = { &id->host, &id->plugin,
					&id->plugin_instance, &id->type,
					&id->type_instance };
	char *at = otlp->own.text;

	for (unsigned i = 0; i < PARTS; i++) {
		const char *why = otlp_part_fault(parts[i]);

		if (why != NULL)
			return why;
		*strings[i] = at;
		at = append(at, parts[i]);
		*at++ = '\0';
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

	for (unsigned i = 0; i < PARTS; i++)
		parts[i] = otlp_literal("");
	parts[HOST] = otlp->own.host;
	if (!otlp_text_is(otlp->own.scope, OTLP_SCOPE_NOTICE))
		parts[PLUGIN] = otlp->own.service.size > 0
					? otlp->own.service
					: otlp_literal("otlp");
	while (protobuf_take(&span, &field, &otlp->own.broken)) {
		if (field.number == OTLP_LOG_TIME && field.wire == OTLP_64BIT)
			time = field.value;
		else if (field.number == OTLP_LOG_OBSERVED &&
			 field.wire == OTLP_64BIT)
			observed = field.value;
		else if (field.number == OTLP_LOG_SEVERITY)
			severity = field.value;
		else if (field.wire == OTLP_BYTES &&
			 field.number == OTLP_LOG_BODY)
			otlp_any_read(&body, field.span, &otlp->own.broken);
		else if (field.wire == OTLP_BYTES &&
			 field.number == OTLP_LOG_ATTRIBUTES &&
			 otlp_pair_read(&pair, field.span, &otlp->own.broken))
			take_part(parts, &pair);
	}
	if (time == 0)
		time = observed;
	if ((mc_time)time < 0)
		return "time out of range";
	otlp->notice.time = (mc_time)time;
	otlp->notice.severity = severity_of(severity);
	copy_message(otlp->own.message, body.text);
	otlp->notice.message = otlp->own.message;
	return set_notice_id(otlp, parts);
}
