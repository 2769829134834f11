/* SPDX-License-Identifier: MIT */
/* Facts: the OpenTelemetry specification, "Resource", and its semantic
 * conventions, which say what an attribute describes.
 *
 * The name of a host says what the other attributes of a host do, and so on:
 * what only describes is left out, or a new version of a library would begin
 * new series.  All else stays, be it known or not. */
#include "formats/otlp/otlp_origin.h"

#include <inttypes.h>
#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "formats/otlp/otlp_naming.h"
#include "formats/protobuf.h"

#define PAIRS_MAX 64 /* Attributes of a resource that are put in order. */

/* Attributes, or with a dot at the end groups of them, that describe. */
static const char *const descriptive[] = {
	"container.command",   "container.command_args", "container.command_line",
	"container.image.",    "container.runtime",      "os.",
	"process.command",     "process.command_args",   "process.command_line",
	"process.executable.", "process.owner",          "process.parent_pid",
	"process.runtime.",    "service.version",        "telemetry.",
	"webengine.",
};

/* --- Text ---------------------------------------------------------------- */

static int compare(struct mc_otlp_text a, struct mc_otlp_text b)
{
	int order = memcmp(a.at, b.at, a.size < b.size ? a.size : b.size);

	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

void otlp_origin_sort(struct otlp_pair *pairs, unsigned len)
{
	for (unsigned i = 1; i < len; i++) {
		struct otlp_pair pair = pairs[i];
		unsigned at = i;

		for (; at > 0 && compare(pairs[at - 1].key, pair.key) > 0; at--)
			pairs[at] = pairs[at - 1];
		pairs[at] = pair;
	}
}

/* A value as text; other kinds are printed to 'out'. */
static struct mc_otlp_text value_text(const struct otlp_pair *pair, char out[32])
{
	double number;

	switch (pair->template) {
	case OTLP_ANY_STRING:
		return pair->text;
	case OTLP_ANY_BOOL:
		return otlp_literal(pair->number ? "true" : "false");
	case OTLP_ANY_INT:
		snprintf(out, 32, "%" PRId64, (int64_t)pair->number);
		return otlp_literal(out);
	case OTLP_ANY_DOUBLE:
		memcpy(&number, &pair->number, sizeof(number));
		snprintf(out, 32, "%.15g", number);
		return otlp_literal(out);
	default: /* Lists and the like, whose bytes are in 'text'. */
		if (pair->text.size == 0)
			return otlp_literal("");
		snprintf(out, 32, "%016" PRIx64, XXH3_64bits(pair->text.at, pair->text.size));
		return otlp_literal(out);
	}
}

bool otlp_origin_append(char text[OTLP_PART_MAX], size_t *size, const struct otlp_pair *pair)
{
	char number[32];
	struct mc_otlp_text value = value_text(pair, number);
	size_t more = (*size > 0) + pair->key.size + 1 + value.size;
	char *at = text + *size;

	if (more > OTLP_PART_MAX - *size)
		return false;
	if (*size > 0)
		*at++ = ',';
	memcpy(at, pair->key.at, pair->key.size);
	at += pair->key.size;
	*at++ = '=';
	memcpy(at, value.at, value.size);
	*size += more;
	return true;
}

bool otlp_origin_append_text(char text[OTLP_PART_MAX], size_t *size, struct mc_otlp_text part)
{
	size_t more = (*size > 0) + part.size;

	if (part.size == 0)
		return true;
	if (more > OTLP_PART_MAX - *size)
		return false;
	if (*size > 0)
		text[*size] = ',';
	memcpy(text + *size + more - part.size, part.at, part.size);
	*size += more;
	return true;
}

/* --- The resource being read --------------------------------------------- */

/* Whether the attribute is that part of the name. */
static bool is_part(const struct otlp_pair *pair, struct mc_otlp_text part)
{
	return part.at != NULL && pair->text.at == part.at;
}

/* Whether an attribute distinguishes sources, and is not elsewhere in the name.  Facts about a
 * host add nothing only if they include its name. */
static bool tells_apart(const struct mc_otlp *otlp, const struct otlp_pair *pair)
{
	if (is_part(pair, otlp->own.host) || is_part(pair, otlp->own.service) ||
	    is_part(pair, otlp->own.plugin_instance) || is_part(pair, otlp->own.type_instance) ||
	    otlp_naming_is_without(otlp->own.map, pair->key))
		return false;
	if (otlp->own.resource.named && otlp_text_begins(pair->key, "host."))
		return false;
	for (size_t i = 0; i < sizeof(descriptive) / sizeof(*descriptive); i++)
		if (otlp_naming_is(pair->key, descriptive[i]))
			return false;
	return true;
}

static uint64_t pair_hash(const struct otlp_pair *pair)
{
	uint64_t seed = XXH3_64bits(pair->key.at, pair->key.size);

	return XXH3_64bits_withSeed(&pair->number, sizeof(pair->number), seed) +
	       XXH3_64bits_withSeed(pair->text.at, pair->text.size, seed);
}

/* Those that distinguish, in order, as far as they have room.  Hashes are of attributes in any
 * order: of all, of those that distinguish, and of ephemeral ones. */
struct told {
	struct otlp_pair pairs[PAIRS_MAX];
	unsigned len;
	bool cut;
	uint64_t all, apart, ephemeral;
};

static void read_pairs(struct mc_otlp *otlp, struct told *told, bool with_ephemeral)
{
	const struct mc_otlp_naming *naming = otlp->own.naming;
	struct mc_otlp_span span = otlp->own.resource.attributes;
	struct protobuf_field field;
	struct otlp_pair pair;

	told->len = 0;
	told->cut = false;
	told->all = told->apart = told->ephemeral = 0;
	while (span.at != NULL && protobuf_take(&span, &field, &otlp->own.broken)) {
		if (field.number != OTLP_RESOURCE_ATTRIBUTES || field.wire != PROTOBUF_BYTES ||
		    !otlp_pair_read(&pair, field.span, &otlp->own.broken))
			continue;
		told->all += pair_hash(&pair);
		if (!tells_apart(otlp, &pair))
			continue;
		if (otlp_naming_is_ephemeral(naming, &pair)) {
			told->ephemeral += pair_hash(&pair);
			if (!with_ephemeral)
				continue;
		}
		told->apart += pair_hash(&pair);
		if (told->len < PAIRS_MAX)
			told->pairs[told->len++] = pair;
		else
			told->cut = true;
	}
}

/* Hash of the parts that the names of all series of the resource have. */
static uint64_t series_hash(const struct mc_otlp *otlp, const struct told *told)
{
	const struct mc_otlp_text parts[] = { otlp->own.host, otlp->own.service,
					      otlp->own.plugin_instance, otlp->own.type_instance };
	uint64_t hash = told->apart;

	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		hash = XXH3_64bits_withSeed(parts[i].size > 0 ? parts[i].at : "", parts[i].size,
					    hash);
	return hash;
}

static void read_named(struct mc_otlp *otlp, struct told *told)
{
	const struct mc_otlp_naming *naming = otlp->own.naming;
	enum mc_otlp_name name = MC_OTLP_SHORT;

	read_pairs(otlp, told, naming == NULL);
	if (naming != NULL)
		name = naming->claim(naming->argument, &(struct mc_otlp_claim){
							       .series = series_hash(otlp, told),
							       .sender = told->ephemeral,
							       .items = otlp->own.resource.items,
						       });
	otlp->own.resource.unclear = name == MC_OTLP_UNCLEAR;
	if (name == MC_OTLP_LONG)
		read_pairs(otlp, told, true);
}

void otlp_origin_read(struct mc_otlp *otlp)
{
	size_t size = 0;
	struct told told;

	if (otlp->own.resource.read)
		return;
	read_named(otlp, &told);
	otlp_origin_sort(told.pairs, told.len);
	for (unsigned i = 0; i < told.len && !told.cut; i++)
		told.cut = !otlp_origin_append(otlp->own.resource_text, &size, &told.pairs[i]);
	otlp->own.resource.text_size = told.cut ? OTLP_PART_MAX + 1 : size;
	otlp->own.resource.all = told.all;
	otlp->own.resource.apart = told.apart;
	otlp->own.resource.summed = true;
	snprintf(otlp->own.resource_hash, sizeof(otlp->own.resource_hash), "%016" PRIx64,
		 told.apart);
	otlp->own.resource.read = true;
}

void otlp_origin_read_all(struct mc_otlp *otlp)
{
	struct mc_otlp_span span = otlp->own.resource.attributes;
	struct protobuf_field field;
	struct otlp_pair pair;
	uint64_t all = 0;

	if (otlp->own.resource.summed)
		return;
	while (span.at != NULL && protobuf_take(&span, &field, &otlp->own.broken))
		if (field.number == OTLP_RESOURCE_ATTRIBUTES && field.wire == PROTOBUF_BYTES &&
		    otlp_pair_read(&pair, field.span, &otlp->own.broken))
			all += pair_hash(&pair);
	otlp->own.resource.all = all;
	otlp->own.resource.summed = true;
}

uint64_t otlp_origin_sum(const struct otlp_pairs *pairs)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < pairs->len; i++)
		sum += pair_hash(&pairs->items[i]);
	return sum;
}

void otlp_origin_hash(struct mc_otlp *otlp, const struct otlp_pairs *pairs)
{
	snprintf(otlp->own.attributes_hash, sizeof(otlp->own.attributes_hash), "%016" PRIx64,
		 otlp->own.resource.apart + otlp_origin_sum(pairs));
}
