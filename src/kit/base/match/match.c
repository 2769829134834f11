/* SPDX-License-Identifier: MIT */
/* Facts: collectd.conf(5), "Plugin tail", and collectd 5.12 for the names of a
 * distribution's series. */
#include "kit/base/match/match.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/regex.h>
#include <collector/serve.h>

#include "kit/base/match/match_value.h"

#define NAME_SIZE 256
#define NUMBER_SIZE 128 /* Of a group. */

struct percentile {
	double percent;
};

struct bucket { /* Above 'lower', up to 'upper'; 0: without bound. */
	double lower, upper;
	uint64_t len; /* Of the values of this interval. */
};

struct rule {     /* DSType, an option or a block. */
	int rule; /* enum match_rule */
	struct mc_blocks percentiles, buckets;
	const char *bucket_type;
};

struct match {
	const char *regex, *exclude, *type, *instance;
	struct mc_blocks rules; /* One. */
	struct mc_regex *included, *excluded;
	struct match_value value;
	bool given_up, no_number; /* A text was invalid; that is reported once. */
	bool told_given_up, told_no_number;
};

static const struct rule *rule_of(const struct match *match)
{
	return match->rules.items;
}

/* --- A text --------------------------------------------------------------- */

static void add_to_buckets(const struct match *match)
{
	struct bucket *buckets = rule_of(match)->buckets.items;
	double level = match->value.level;

	for (size_t i = 0; i < rule_of(match)->buckets.len; i++)
		if (level > buckets[i].lower &&
		    (buckets[i].upper == 0 || level <= buckets[i].upper))
			buckets[i].len++;
}

/* The match of the first parenthesis, cut at 'size'. */
static bool take_group(const struct mc_regex *regex, const char *text, char *out, size_t size)
{
	size_t start, group_size;

	if (!mc_regex_group(regex, 1, &start, &group_size))
		return false;
	if (group_size >= size)
		group_size = size - 1;
	memcpy(out, text + start, group_size);
	out[group_size] = '\0';
	return true;
}

static void take(struct match *match, const char *text, size_t size)
{
	char number[NUMBER_SIZE] = "";
	int found = mc_regex_match(match->included, text, size);

	if (found > 0 && match->excluded != NULL) {
		int excluded = mc_regex_match(match->excluded, text, size);

		found = excluded > 0 ? 0 : excluded < 0 ? -1 : found;
	}
	if (found < 0)
		match->given_up = true;
	if (found <= 0)
		return;
	if (!match_value_counts(match->value.rule) &&
	    !take_group(match->included, text, number, sizeof(number)))
		match->no_number = true;
	else if (!match_value_add(&match->value, number))
		match->no_number = true;
	else if (match->value.rule == DISTRIBUTION)
		add_to_buckets(match);
}

void mc_match_take(const struct mc_blocks *matches, const char *text, size_t size)
{
	struct match *items = matches->items;

	for (size_t i = 0; i < matches->len; i++)
		take(&items[i], text, size);
}

/* --- An interval ---------------------------------------------------------- */

static void put(const struct mc_match_target *to, const char *type, const char *instance,
		union mc_value value)
{
	const struct mc_type *known = mc_type_find(to->ctx, type);
	struct mc_series *series = mc_series(
		to->batch, MC_ID(.plugin = to->plugin, .plugin_instance = to->plugin_instance,
				 .type = type, .type_instance = instance));

	if (known != NULL && known->sources_len == 1) /* check() says so. */
		mc_put_at(to->batch, series, to->stamp, &value, 1);
}

static void put_percentiles(const struct mc_match_target *to, const struct match *match)
{
	const struct percentile *percentiles = rule_of(match)->percentiles.items;
	const char *instance = match->instance;
	char name[NAME_SIZE];

	for (size_t i = 0; i < rule_of(match)->percentiles.len; i++) {
		double percent = percentiles[i].percent;

		snprintf(name, sizeof(name), "%s%s%g", instance != NULL ? instance : "",
			 instance != NULL ? "-" : "", percent);
		put(to, match->type, name,
		    (union mc_value){ .gauge = match_value_percentile(&match->value, percent) });
	}
}

static void put_buckets(const struct mc_match_target *to, const struct match *match)
{
	const struct rule *rule = rule_of(match);
	struct bucket *buckets = rule->buckets.items;
	const char *instance = match->instance;
	double seconds = (double)to->elapsed / (double)MC_SECOND;
	bool known = match->value.len > 0 && seconds > 0;
	char name[NAME_SIZE], end[32];

	for (size_t i = 0; i < rule->buckets.len; i++) {
		snprintf(end, sizeof(end), "%g", buckets[i].upper);
		snprintf(name, sizeof(name), "%s%s%s-%g_%s", match->type,
			 instance != NULL ? "-" : "", instance != NULL ? instance : "",
			 buckets[i].lower, buckets[i].upper == 0 ? "inf" : end);
		put(to, rule->bucket_type, name,
		    (union mc_value){ .gauge = known ? (double)buckets[i].len / seconds : NAN });
		buckets[i].len = 0;
	}
}

static void put_match(const struct mc_match_target *to, const struct match *match)
{
	const struct mc_type *type = mc_type_find(to->ctx, match->type);
	union mc_value value = { .counter = match->value.total };

	if (type == NULL ||
	    (match_value_is_gauge(match->value.rule) && type->sources[0].kind != MC_GAUGE))
		return; /* check() has said so. */
	if (match->value.rule == DISTRIBUTION) {
		put_percentiles(to, match);
		put_buckets(to, match);
		return;
	}
	if (match_value_is_gauge(match->value.rule))
		value.gauge = match_value_level(&match->value);
	else if (type->sources[0].kind == MC_GAUGE)
		value.gauge = (double)(int64_t)match->value.total;
	put(to, match->type, match->instance, value);
}

void mc_match_put(const struct mc_match_target *to, const struct mc_blocks *matches)
{
	struct match *items = matches->items;

	for (size_t i = 0; i < matches->len; i++) {
		put_match(to, &items[i]);
		match_value_next(&items[i].value);
	}
}

static void tell(struct mc_ctx *ctx, struct match *match, const char *what, const char *name)
{
	if (match->given_up && !match->told_given_up)
		mc_log(ctx, MC_WARN,
		       "Regex '%s' was given up on %s '%s' after too many "
		       "steps",
		       match->regex, what, name);
	if (match->no_number && !match->told_no_number)
		mc_log(ctx, MC_WARN, "Regex '%s' took no number for type '%s' from %s '%s'",
		       match->regex, match->type, what, name);
	match->told_given_up |= match->given_up;
	match->told_no_number |= match->no_number;
}

void mc_match_tell(struct mc_ctx *ctx, const struct mc_blocks *matches, const char *what,
		   const char *name)
{
	struct match *items = matches->items;

	for (size_t i = 0; i < matches->len; i++)
		tell(ctx, &items[i], what, name);
}

/* --- The beginning and the end -------------------------------------------- */

static int start(struct mc_ctx *ctx, struct match *match)
{
	char reason[256];

	match->value.rule = (enum match_rule)rule_of(match)->rule;
	match->included = mc_regex_new(match->regex, reason, sizeof(reason));
	if (match->included == NULL)
		return mc_fail(ctx, 0, "cannot use Regex '%s': %s", match->regex, reason);
	if (match->exclude == NULL)
		return 0;
	match->excluded = mc_regex_new(match->exclude, reason, sizeof(reason));
	if (match->excluded == NULL)
		return mc_fail(ctx, 0, "cannot use ExcludeRegex '%s': %s", match->exclude, reason);
	return 0;
}

int mc_match_start(struct mc_ctx *ctx, const struct mc_blocks *matches)
{
	struct match *items = matches->items;
	int rc = 0;

	for (size_t i = 0; i < matches->len && rc == 0; i++)
		rc = start(ctx, &items[i]);
	return rc;
}

void mc_match_stop(const struct mc_blocks *matches)
{
	struct match *items = matches->items;

	for (size_t i = 0; i < matches->len; i++) {
		mc_regex_free(items[i].included);
		mc_regex_free(items[i].excluded);
		items[i].included = items[i].excluded = NULL;
		match_value_done(&items[i].value);
	}
}

/* --- The options ---------------------------------------------------------- */

static void check_regex(struct mc_ctx *ctx, const char *const *field)
{
	char reason[256];
	struct mc_regex *regex;

	if (*field == NULL)
		return;
	regex = mc_regex_new(*field, reason, sizeof(reason));
	if (regex == NULL)
		mc_check_error(ctx, field, "cannot be used: %s", reason);
	mc_regex_free(regex);
}

static void check_type(struct mc_ctx *ctx, const char *const *field, bool needs_gauge)
{
	const struct mc_type *type = mc_type_find(ctx, *field);

	if (type == NULL)
		mc_check_warn(ctx, field, "is in no TypesDB: it has no values");
	else if (type->sources_len != 1)
		mc_check_error(ctx, field, "has %u values, not one", type->sources_len);
	else if (needs_gauge && type->sources[0].kind != MC_GAUGE)
		mc_check_error(ctx, field, "is not a gauge, as DSType asks for");
}

static void check(struct mc_ctx *ctx, const struct match *match)
{
	const struct rule *rule = rule_of(match);

	if (match->rules.len == 0 || match->type == NULL)
		return; /* Required options are checked elsewhere. */
	check_regex(ctx, &match->regex);
	check_regex(ctx, &match->exclude);
	check_type(ctx, &match->type, match_value_is_gauge((enum match_rule)rule->rule));
	if (rule->buckets.len > 0)
		check_type(ctx, &rule->bucket_type, true);
	if (rule->rule == DISTRIBUTION && rule->buckets.len + rule->percentiles.len == 0)
		mc_check_error(ctx, &rule->rule,
			       "needs Percentile or Bucket: <DSType "
			       "\"Distribution\">");
}

void mc_match_check(struct mc_ctx *ctx, const struct mc_blocks *matches)
{
	const struct match *items = matches->items;

	for (size_t i = 0; i < matches->len; i++)
		check(ctx, &items[i]);
}

static const struct mc_option percentile_options[] = {
	{ .name = "",
	  MC_OPT_NUMBER(struct percentile, percent),
	  .required = true,
	  .min = 0,
	  .max = 100,
	  .sample = "99",
	  .help = "Percent of the values." },
	{ 0 },
};

static const struct mc_option bucket_options[] = {
	{ .name = "",
	  MC_OPT_NUMBER(struct bucket, lower),
	  .required = true,
	  .max = 17179869184,
	  .sample = "0",
	  .help = "Values above this one." },
	{ .name = "",
	  MC_OPT_NUMBER(struct bucket, upper),
	  .required = true,
	  .max = 17179869184,
	  .sample = "100",
	  .help = "Values up to this one; 0: without bound." },
	{ 0 }
};

static const struct mc_option rule_options[] = {
	{ .name = "",
	  MC_OPT_WORD(struct rule, rule),
	  .required = true,
	  .words = (const char *const[]){ "GaugeAverage", "GaugeMin", "GaugeMax", "GaugeLast",
					  "GaugePersist", "GaugeAdd", "GaugeInc", "CounterSet",
					  "CounterAdd", "CounterInc", "DeriveSet", "DeriveAdd",
					  "DeriveInc", "AbsoluteSet", "Distribution", NULL },
	  .sample = "CounterInc",
	  .help = "What the numbers of an interval come to." },
	{ .name = "Percentile",
	  MC_OPT_BLOCKS(struct rule, percentiles),
	  .block = &(const struct mc_block){ .size = sizeof(struct percentile),
					     .options = percentile_options },
	  .help = "The value that this percentage of values does not exceed." },
	{ .name = "Bucket",
	  MC_OPT_BLOCKS(struct rule, buckets),
	  .block = &(const struct mc_block){ .size = sizeof(struct bucket),
					     .options = bucket_options },
	  .help = "How many values per second are between two bounds." },
	{ .name = "BucketType",
	  MC_OPT_STRING(struct rule, bucket_type),
	  .default_value = "bucket",
	  .help = "Type of the series of each Bucket." },
	{ 0 }
};

static const struct mc_option match_options[] = {
	{ .name = "Regex",
	  MC_OPT_STRING(struct match, regex),
	  .required = true,
	  .sample = "S=([1-9][0-9]*)",
	  .help = "Expression that a line or page must match; what its "
		  "first parenthesis takes is the number." },
	{ .name = "ExcludeRegex",
	  MC_OPT_STRING(struct match, exclude),
	  .sample = "127\\\\.0\\\\.0\\\\.1",
	  .help = "Expression of what does not count." },
	{ .name = "DSType",
	  MC_OPT_BLOCKS(struct match, rules),
	  .block = &(const struct mc_block){ .size = sizeof(struct rule), .options = rule_options },
	  .required = true,
	  .help = "How numbers become a value." },
	{ .name = "Type",
	  MC_OPT_STRING(struct match, type),
	  .required = true,
	  .sample = "ipt_bytes",
	  .help = "Type of the series." },
	{ .name = "Instance",
	  MC_OPT_STRING(struct match, instance),
	  .sample = "total",
	  .help = "Type instance of the series." },
	{ 0 }
};

const struct mc_block mc_match_block = { .size = sizeof(struct match), .options = match_options };
