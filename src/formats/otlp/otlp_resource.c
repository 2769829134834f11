/* SPDX-License-Identifier: MIT */
/* Resources: hosts, and their labels.  Those of a request can be gone through
 * without its points. */
#include "formats/otlp/otlp_resource.h"

#include <collector/label.h>

#include "base/text.h"
#include "formats/otlp/otlp_naming.h"
#include "formats/protobuf.h"

static const char *const host_keys[] = { OTLP_KEY_HOST, "service.instance.id", "k8s.pod.name" };
#define HOST_KEYS_LEN (sizeof(host_keys) / sizeof(*host_keys))

/* Takes the next attribute that is a text; false at the end. */
static bool next_pair(struct mc_otlp_span *span, struct otlp_pair *pair, bool *broken)
{
	struct protobuf_field field;

	while (protobuf_take(span, &field, broken))
		if (field.number == OTLP_RESOURCE_ATTRIBUTES && field.wire == PROTOBUF_BYTES &&
		    otlp_pair_read(pair, field.span, broken) && pair->template == OTLP_ANY_STRING)
			return true;
	return false;
}

static bool has_attribute(struct mc_otlp_span span, const char *key)
{
	struct otlp_pair pair;
	bool broken = false;

	while (next_pair(&span, &pair, &broken))
		if (otlp_text_is(pair.key, key))
			return true;
	return false;
}

static const struct mc_otlp_map *find_map(struct mc_otlp_span span,
					  const struct mc_otlp_naming *naming)
{
	for (size_t i = 0; naming != NULL && i < naming->maps_len; i++)
		if (has_attribute(span, naming->maps[i].attribute))
			return &naming->maps[i];
	return NULL;
}

static bool is_key(const struct otlp_pair *pair, const char *key)
{
	return key != NULL && otlp_text_is(pair->key, key);
}

/* An attribute may be several parts. */
static void read_mapped(const struct mc_otlp_map *map, const struct otlp_pair *pair,
			struct otlp_source *source)
{
	if (is_key(pair, map->host))
		source->host = pair->text;
	if (is_key(pair, map->plugin))
		source->service = pair->text;
	if (is_key(pair, map->plugin_instance))
		source->plugin_instance = pair->text;
	if (is_key(pair, map->type_instance))
		source->type_instance = pair->text;
}

/* Takes what the parts are that no map has. */
static void read_usual(struct mc_otlp_span span, const struct mc_otlp_naming *naming,
		       struct otlp_source *source, bool *broken)
{
	size_t best = HOST_KEYS_LEN;
	struct otlp_pair pair;

	while (next_pair(&span, &pair, broken)) {
		if (pair.text.size == 0)
			continue;
		if (otlp_text_is(pair.key, "service.name"))
			source->service = pair.text;
		for (size_t i = 0; i < best; i++) {
			if (otlp_text_is(pair.key, host_keys[i]) &&
			    !otlp_naming_is_ephemeral(naming, &pair)) {
				source->host = pair.text;
				best = i;
			}
		}
	}
	source->named = best == 0;
}

void otlp_resource_read(struct mc_otlp_span span, const struct mc_otlp_naming *naming,
			struct otlp_source *source, bool *broken)
{
	const char *host;
	struct otlp_pair pair;

	read_usual(span, naming, source, broken);
	source->map = find_map(span, naming);
	if (source->map == NULL)
		return;
	host = source->host.at;
	while (next_pair(&span, &pair, broken))
		if (pair.text.size > 0)
			read_mapped(source->map, &pair, source);
	source->named = source->named && source->host.at == host;
}

/* Whether the items of a scope were written by a collector. */
static bool is_own(struct mc_otlp_span span, bool *broken)
{
	struct protobuf_field field, inner;

	while (protobuf_take(&span, &field, broken)) {
		if (field.number != OTLP_SCOPES_SCOPE || field.wire != PROTOBUF_BYTES)
			continue;
		while (protobuf_take(&field.span, &inner, broken))
			if (inner.number == OTLP_SCOPE_NAME && inner.wire == PROTOBUF_BYTES)
				return otlp_text_begins(otlp_text(inner.span), OTLP_SCOPE);
	}
	return false;
}

static void read_resource(struct mc_otlp_span span, const struct mc_otlp_naming *naming,
			  struct mc_otlp_resource *resource, bool *broken)
{
	struct otlp_source source = { .host = resource->host };
	struct protobuf_field field;
	bool first = true;

	while (protobuf_take(&span, &field, broken)) {
		if (field.wire != PROTOBUF_BYTES)
			continue;
		if (field.number == OTLP_RESOURCES_RESOURCE) {
			resource->attributes = field.span;
			otlp_resource_read(field.span, naming, &source, broken);
			resource->host = source.host;
		} else if (field.number == OTLP_RESOURCES_SCOPES && first) {
			resource->own = is_own(field.span, broken);
			first = false;
		}
	}
}

bool mc_otlp_each_resource(const struct mc_otlp_request *request,
			   bool (*visit)(void *argument, const struct mc_otlp_resource *),
			   void *argument)
{
	struct mc_otlp_span span = { .at = request->bytes };
	struct protobuf_field field;
	bool broken = false;

	span.end = span.at + request->size;
	while (protobuf_take(&span, &field, &broken)) {
		struct mc_otlp_resource resource = {
			.host = otlp_literal(request->host),
		};

		if (field.number != OTLP_REQUEST_RESOURCES || field.wire != PROTOBUF_BYTES)
			continue;
		read_resource(field.span, request->naming, &resource, &broken);
		if (!broken && !visit(argument, &resource))
			return false;
	}
	return true;
}

/* The first field of that number; false without one. */
static bool find_first(struct mc_otlp_span span, unsigned number, struct mc_otlp_span *found)
{
	struct protobuf_field field;
	bool broken = false;

	while (protobuf_take(&span, &field, &broken)) {
		if (field.number == number && field.wire == PROTOBUF_BYTES) {
			*found = field.span;
			return true;
		}
	}
	return false;
}

bool mc_otlp_next_piece(struct mc_otlp_span *rest, struct mc_otlp_piece *piece)
{
	struct protobuf_field field;
	struct mc_otlp_span inner;
	bool broken = false;

	piece->all.at = piece->head.at = piece->head.end = rest->at;
	if (rest->at == rest->end)
		return false;
	if (!protobuf_take(rest, &field, &broken))
		rest->at = rest->end;
	piece->all.end = rest->at;
	if (!broken && field.number == OTLP_REQUEST_RESOURCES && field.wire == PROTOBUF_BYTES &&
	    find_first(field.span, OTLP_RESOURCES_SCOPES, &inner) &&
	    find_first(inner, OTLP_SCOPES_ITEMS, &inner) &&
	    find_first(inner, OTLP_METRIC_NAME, &inner))
		piece->head.end = inner.end;
	return true;
}

static bool is_label(const struct otlp_pair *pair)
{
	return pair->key.size > 0 && pair->key.size < MC_LABEL_SIZE &&
	       pair->text.size < MC_LABEL_SIZE && !otlp_text_is(pair->key, OTLP_KEY_HOST) &&
	       text_printable(pair->key.at, pair->key.size) &&
	       text_printable(pair->text.at, pair->text.size);
}

static const char *copy(char **at, struct mc_otlp_text text)
{
	char *begin = *at;

	memcpy(begin, text.at, text.size);
	begin[text.size] = '\0';
	*at += text.size + 1;
	return begin;
}

unsigned mc_otlp_labels(const struct mc_otlp_resource *resource, struct mc_otlp_labels *labels)
{
	struct mc_otlp_span span = resource->attributes;
	struct otlp_pair pair;
	bool broken = false;
	char *at = labels->texts;

	labels->len = 0;
	while (labels->len < MC_LABELS_MAX && span.at != NULL && next_pair(&span, &pair, &broken)) {
		struct mc_field *item = &labels->items[labels->len];

		if (!is_label(&pair))
			continue;
		item->name = copy(&at, pair.key);
		item->value = copy(&at, pair.text);
		labels->len++;
	}
	return labels->len;
}
