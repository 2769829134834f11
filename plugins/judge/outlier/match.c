/* SPDX-License-Identifier: MIT */
#include "match.h"

#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include <collector/check.h>
#include <collector/kit/regex.h>

#define PATTERN(option, field, text, example)                                                      \
	{                                                                                          \
		option, MC_OPT_STRING(struct match, patterns[field]),                              \
			.help = text " of the series: a glob, or an expression /.../; by "         \
				     "default all.",                                               \
			.sample = example                                                          \
	}
#define DURATION(option, field, value, text)                                                       \
	{                                                                                          \
		option, MC_OPT_TIME(struct match, field), .default_value = value, .help = text     \
	}
#define NUMBER(option, field, value, least, most, text)                                            \
	{                                                                                          \
		option, MC_OPT_NUMBER(struct match, field), .default_value = value, .help = text,  \
							    .min = least, .max = most              \
	}
#define COUNT(option, field, value, least, text)                                                   \
	{                                                                                          \
		option, MC_OPT_INT(struct match, field), .default_value = value, .help = text,     \
							 .min = least, .max = 1e6                  \
	}

static const char *const directions[] = { "above", "below", "both", NULL };

static const struct mc_option match_options[] = {
	{ "", MC_OPT_STRING(struct match, name),
	  .help = "What the values are, for messages: \"cpu of guest\".", .required = true,
	  .sample = "cpu of guest" },
	PATTERN("Host", MATCH_HOST, "Host", "web*"),
	PATTERN("Plugin", MATCH_PLUGIN, "Plugin", "virt"),
	PATTERN("PluginInstance", MATCH_PLUGIN_INSTANCE, "Plugin instance", "/^(root|var)$/"),
	PATTERN("Type", MATCH_TYPE, "Type", "virt_cpu_total"),
	PATTERN("TypeInstance", MATCH_TYPE_INSTANCE, "Type instance", "vda"),
	{ "DataSource", MC_OPT_STRING(struct match, source),
	  .help = "Only this source is judged; by default each is, beside the same of the peers.",
	  .sample = "value" },
	{ "PeerLabel", MC_OPT_STRING(struct match, label),
	  .help = "Peers are hosts with the same text of this label, as that of a guest.",
	  .sample = "flavor" },
	{ "GroupBy", MC_OPT_STRINGS(struct match, group_by),
	  .help = "What peers have in common besides plugin and type: Host, PluginInstance, "
		  "TypeInstance; by default the two instances.",
	  .sample = "TypeInstance" },
	{ "Direction", MC_OPT_WORD(struct match, direction), .default_value = "above",
	  .words = directions,
	  .help = "Which outliers matter, those above or below their mean: above, below, both." },
	NUMBER("Deviations", mads, "5", 1, 1e6,
	       "Number of median absolute deviations from the median of its peers beyond which a "
	       "series is an outlier."),
	NUMBER("Factor", factor, "2", 1.01, 1e6,
	       "It is at least this number of times the median of its peers, or this part of it."),
	COUNT("Rounds", rounds, "3", 1,
	      "Number of values in a row that make an outlier, or end one."),
	COUNT("MinPeers", peers_min, "10", 3, "In a group of fewer series there is no outlier."),
	NUMBER("MaxShare", share_max, "5", 0, 100,
	       "If more than this percentage of a group is out at the same time, and more than "
	       "two, "
	       "no further ones are reported."),
	NUMBER("MinChange", change_min, "10", 0, 1e6,
	       "Changes that are less than this percentage of the mean that nine of ten peers do "
	       "not "
	       "exceed do not count."),
	DURATION("Mean", mean, "1h", "Time over which the mean of a series is taken."),
	DURATION("Learn", learn, "15m", "Time that a new series has until it is judged."),
	DURATION("Settle", settle, "5m",
		 "Time after a start, a gap or a reset of a counter whose values are not taken."),
	DURATION("Keep", keep, "6h", "Time after which the level of an outlier is its mean."),
	{ 0 },
};
const struct mc_block match_block = { sizeof(struct match), match_options };

/* --- What is wrong ------------------------------------------------------------- */

static const struct field_word {
	const char *word;
	enum match_field field;
} field_words[] = {
	{ "Host", MATCH_HOST },
	{ "PluginInstance", MATCH_PLUGIN_INSTANCE },
	{ "TypeInstance", MATCH_TYPE_INSTANCE },
};
#define FIELD_WORDS (sizeof(field_words) / sizeof(field_words[0]))

/* Bits of what is grouped by; false, and the invalid word. */
static bool find_grouped(const struct match *match, unsigned *fields, const char *const **wrong)
{
	*fields = match->group_by.len > 0 ? 0
					  : 1U << MATCH_PLUGIN_INSTANCE | 1U << MATCH_TYPE_INSTANCE;
	for (size_t i = 0; i < match->group_by.len; i++) {
		size_t at = 0;

		*wrong = &match->group_by.items[i];
		while (at < FIELD_WORDS && strcasecmp(field_words[at].word, **wrong) != 0)
			at++;
		if (at == FIELD_WORDS)
			return false;
		*fields |= 1U << field_words[at].field;
	}
	return true;
}

static bool is_regex(const char *text)
{
	return text != NULL && mc_regex_in_slashes(text);
}

static void check_type(struct mc_ctx *ctx, const struct match *match)
{
	const char *name = match->patterns[MATCH_TYPE];
	const struct mc_type *type;
	bool found = match->source == NULL;

	if (name == NULL || is_regex(name) || name[strcspn(name, "*?[\\")] != '\0')
		return;
	type = mc_check_type(ctx, name);
	if (type == NULL) {
		mc_check_warn(ctx, &match->patterns[MATCH_TYPE], "is in no types.db");
		return;
	}
	for (unsigned i = 0; i < type->sources_len && !found; i++)
		found = match_takes_source(match, type, i);
	if (!found)
		mc_check_warn(ctx, &match->source, "is not a source of the type '%s'", type->name);
}

void match_check(struct mc_ctx *ctx, struct match *match)
{
	const char *const *wrong;
	unsigned fields;

	for (unsigned i = 0; i < MATCH_FIELDS; i++) {
		char reason[160] = "";
		struct mc_regex *regex;

		if (!is_regex(match->patterns[i]))
			continue;
		regex = mc_regex_new_in_slashes(match->patterns[i], reason, sizeof(reason));
		if (regex == NULL)
			mc_check_warn(ctx, &match->patterns[i],
				      "is an invalid regular expression: %s; this block is left "
				      "out",
				      reason);
		mc_regex_free(regex);
	}
	if (!find_grouped(match, &fields, &wrong))
		mc_check_warn(ctx, wrong,
			      "is not Host, PluginInstance or TypeInstance; this block is left "
			      "out");
	if (match->learn > match->mean)
		mc_check_warn(ctx, &match->learn, "is longer than Mean");
	check_type(ctx, match);
}

/* --- Series -------------------------------------------------------------------- */

bool match_start(struct match *match)
{
	const char *const *wrong;
	char reason[160];

	if (!find_grouped(match, &match->grouped, &wrong))
		return false;
	for (unsigned i = 0; i < MATCH_FIELDS; i++) {
		if (!is_regex(match->patterns[i]))
			continue;
		match->regexes[i] =
			mc_regex_new_in_slashes(match->patterns[i], reason, sizeof(reason));
		if (match->regexes[i] == NULL)
			return false;
	}
	return true;
}

void match_stop(struct match *match)
{
	for (unsigned i = 0; i < MATCH_FIELDS; i++)
		mc_regex_free(match->regexes[i]);
	memset(match->regexes, 0, sizeof(match->regexes));
}

static const char *part_of(const struct mc_id *id, unsigned field)
{
	const char *const parts[MATCH_FIELDS] = { id->host, id->plugin, id->plugin_instance,
						  id->type, id->type_instance };

	return parts[field];
}

bool match_takes(const struct match *match, const struct mc_id *id)
{
	for (unsigned i = 0; i < MATCH_FIELDS; i++) {
		const char *part = part_of(id, i);

		if (match->regexes[i] != NULL) {
			if (mc_regex_match(match->regexes[i], part, strlen(part)) <= 0)
				return false;
		} else if (match->patterns[i] != NULL &&
			   fnmatch(match->patterns[i], part, 0) != 0) {
			return false;
		}
	}
	return true;
}

bool match_takes_source(const struct match *match, const struct mc_type *type, unsigned source)
{
	return match->source == NULL || strcmp(match->source, type->sources[source].name) == 0;
}

void match_add_key(const struct match *match, const struct mc_id *id, struct mc_buffer *key)
{
	unsigned same = match->grouped | 1U << MATCH_PLUGIN | 1U << MATCH_TYPE;

	mc_buffer_add(key, &match, sizeof(match));
	for (unsigned i = 0; i < MATCH_FIELDS; i++) {
		const char *part = (same & 1U << i) != 0 ? part_of(id, i) : "";

		mc_buffer_add(key, part, strlen(part) + 1);
	}
}

uint32_t match_values(const struct match *match, mc_time interval)
{
	mc_time values = match->learn / (interval > 0 ? interval : MC_SECOND);

	return values < 2 ? 2 : values < UINT32_MAX ? (uint32_t)values : UINT32_MAX;
}

struct group_rule match_rule(const struct match *match, mc_time interval)
{
	double weight = match->mean > interval ? (double)interval / (double)match->mean : 1;

	return (struct group_rule){
		.deviation = { .mads = match->mads,
			       .factor = match->factor,
			       .above = match->direction != MATCH_BELOW,
			       .below = match->direction != MATCH_ABOVE,
			       .weight = weight },
		.rounds = (unsigned)match->rounds,
		.peers_min = (uint32_t)match->peers_min,
		.share_max = match->share_max / 100,
		.change_min = match->change_min / 100,
		.keep = match->keep,
	};
}
