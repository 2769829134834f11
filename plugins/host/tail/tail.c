/* SPDX-License-Identifier: MIT */
/* tail: numbers out of the lines of log files, by regular expressions
 * (collectd.conf(5), "Plugin tail"). */
#include <collector/plugin.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/every.h>
#include <collector/kit/regex.h>
#include <collector/serve.h>

#include "follow.h"
#include "value.h"

#define NAME_SIZE 256
#define NUMBER_SIZE 128 /* Of a submatch. */

struct percentile {
	double percent;
};

struct bucket { /* Above 'lower', up to 'upper'; 0: without bound. */
	double lower, upper;
	uint64_t len; /* Of the values of this interval. */
};

struct rule {     /* DSType, an option or a block. */
	int rule; /* enum value_rule */
	struct mc_blocks percentiles, buckets;
	const char *bucket_type;
};

struct match {
	const char *regex, *exclude, *type, *instance;
	struct mc_blocks rules; /* One. */
	struct mc_regex *expression, *excluded;
	struct value value;
	bool given_up, no_number; /* A line was; that is told once. */
	bool told_given_up, told_no_number;
};

struct file {
	const char *path, *plugin, *instance;
	mc_time interval;
	struct mc_blocks matches;
	struct follow follow;
	struct mc_every every;
	mc_time last; /* Read. */
	bool told_skipped;
};

struct tail {
	struct mc_blocks files;
};

/* --- A line --------------------------------------------------------------- */

static const struct rule *rule_of(const struct match *match)
{
	return match->rules.items;
}

static void add_to_buckets(const struct match *match)
{
	struct bucket *buckets = rule_of(match)->buckets.items;
	double level = match->value.level;

	for (size_t i = 0; i < rule_of(match)->buckets.len; i++)
		if (level > buckets[i].lower &&
		    (buckets[i].upper == 0 || level <= buckets[i].upper))
			buckets[i].len++;
}

/* What the first parenthesis took, cut at 'size'. */
static bool take_group(const struct mc_regex *regex, const char *line,
		       char *out, size_t size)
{
	size_t start, group_size;

	if (!mc_regex_group(regex, 1, &start, &group_size))
		return false;
	snprintf(out, size, "%.*s", (int)group_size, line + start);
	return true;
}

static void take_match(struct match *match, const char *line, size_t size)
{
	char number[NUMBER_SIZE] = "";
	int found = mc_regex_match(match->expression, line, size);

	if (found > 0 && match->excluded != NULL) {
		int excluded = mc_regex_match(match->excluded, line, size);

		found = excluded > 0 ? 0 : excluded < 0 ? -1 : found;
	}
	if (found < 0)
		match->given_up = true;
	if (found <= 0)
		return;
	if (!value_counts(match->value.rule) &&
	    !take_group(match->expression, line, number, sizeof(number)))
		match->no_number = true;
	else if (!value_add(&match->value, number))
		match->no_number = true;
	else if (match->value.rule == DISTRIBUTION)
		add_to_buckets(match);
}

static void take_line(void *argument, const char *line, size_t size)
{
	struct file *file = argument;
	struct match *matches = file->matches.items;

	for (size_t i = 0; i < file->matches.len; i++)
		take_match(&matches[i], line, size);
}

/* --- An interval ---------------------------------------------------------- */

struct putting {
	struct mc_ctx *ctx;
	struct mc_batch *out;
	const struct file *file;
	mc_time elapsed; /* Since the last read. */
};

static void put(const struct putting *to, const char *type,
		const char *instance, union mc_value value)
{
	struct mc_stamp stamp = { .time = mc_wall(),
				  .interval = to->file->interval > 0
						      ? to->file->interval
						      : to->ctx->interval };
	const struct mc_type *known = mc_type_find(to->ctx, type);
	struct mc_series *series = mc_series(
		to->out, MC_ID(.plugin = to->file->plugin,
			       .plugin_instance = to->file->instance,
			       .type = type, .type_instance = instance));

	if (known != NULL && known->sources_len == 1) /* check() says so. */
		mc_put_at(to->out, series, stamp, &value, 1);
}

static void put_distribution(const struct putting *to,
			     const struct match *match)
{
	const struct rule *rule = rule_of(match);
	const struct percentile *percentiles = rule->percentiles.items;
	const char *instance = match->instance;
	struct bucket *buckets = rule->buckets.items;
	char name[NAME_SIZE], end[32];

	for (size_t i = 0; i < rule->percentiles.len; i++) {
		double percent = percentiles[i].percent;

		snprintf(name, sizeof(name), "%s%s%g",
			 instance != NULL ? instance : "",
			 instance != NULL ? "-" : "", percent);
		put(to, match->type, name,
		    (union mc_value){ .gauge = value_percentile(&match->value,
								percent) });
	}
	for (size_t i = 0; i < rule->buckets.len; i++) {
		double seconds = (double)to->elapsed / (double)MC_SECOND;
		bool known = match->value.len > 0 && seconds > 0;

		snprintf(end, sizeof(end), "%g", buckets[i].upper);
		snprintf(name, sizeof(name), "%s%s%s-%g_%s", match->type,
			 instance != NULL ? "-" : "",
			 instance != NULL ? instance : "", buckets[i].lower,
			 buckets[i].upper == 0 ? "inf" : end);
		put(to, rule->bucket_type, name,
		    (union mc_value){ .gauge = known ? (double)buckets[i].len /
							       seconds
						     : NAN });
		buckets[i].len = 0;
	}
}

static void put_match(const struct putting *to, const struct match *match)
{
	const struct mc_type *type = mc_type_find(to->ctx, match->type);
	union mc_value value = { .counter = match->value.total };

	if (type == NULL || (value_is_gauge(match->value.rule) &&
			     type->sources[0].kind != MC_GAUGE))
		return; /* check() has said so. */
	if (match->value.rule == DISTRIBUTION) {
		put_distribution(to, match);
		return;
	}
	if (value_is_gauge(match->value.rule))
		value.gauge = value_level(&match->value);
	else if (type->sources[0].kind == MC_GAUGE)
		value.gauge = (double)(int64_t)match->value.total;
	put(to, match->type, match->instance, value);
}

static void tell(struct mc_ctx *ctx, const struct file *file,
		 struct match *match)
{
	if (match->given_up && !match->told_given_up)
		mc_log(ctx, MC_WARN,
		       "Regex '%s' was given up on a line of '%s' after too "
		       "many steps",
		       match->regex, file->path);
	if (match->no_number && !match->told_no_number)
		mc_log(ctx, MC_WARN,
		       "Regex '%s' took no number for type '%s' from a line of "
		       "'%s'",
		       match->regex, match->type, file->path);
	match->told_given_up |= match->given_up;
	match->told_no_number |= match->no_number;
}

static int read_one(struct mc_ctx *ctx, struct mc_batch *out, struct file *file)
{
	mc_time now = mc_now();
	struct putting to = { ctx, out, file,
			      file->last > 0 ? now - file->last : 0 };
	char path[PATH_MAX];
	int rc = follow_read(&file->follow,
			     mc_path(ctx, file->path, path, sizeof(path)),
			     now + ctx->interval / 2,
			     &(struct follow_lines){ take_line, file });
	struct match *matches = file->matches.items;

	if (file->follow.skipped > 0 && !file->told_skipped)
		mc_log(ctx, MC_WARN,
		       "lines of '%s' that are longer than %d bytes are "
		       "skipped",
		       file->path, FOLLOW_LINE_MAX);
	file->told_skipped |= file->follow.skipped > 0;
	for (size_t i = 0; i < file->matches.len; i++) {
		tell(ctx, file, &matches[i]);
		if (!file->follow.open)
			continue; /* Zero lines are not the same as no file. */
		put_match(&to, &matches[i]);
		value_next(&matches[i].value);
	}
	file->last = now;
	/* The other files are not read later because of this one. */
	if (rc < 0)
		return mc_fail(ctx, EAGAIN, "cannot read '%s': %s", file->path,
			       strerror(-rc));
	return 0;
}

static int tail_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct tail *self = ctx->self;
	struct file *files = self->files.items;
	mc_time now = mc_now();
	int failed = 0;

	for (size_t i = 0; i < self->files.len; i++) {
		/* A read that comes a moment early counts as in time. */
		if (!mc_every_due(&files[i].every, now + ctx->interval / 2))
			continue;
		mc_every_done(&files[i].every, now);
		if (read_one(ctx, out, &files[i]) < 0)
			failed = -EAGAIN;
	}
	return failed;
}

/* --- The beginning and the end -------------------------------------------- */

static int start_match(struct mc_ctx *ctx, struct match *match)
{
	char reason[256];

	match->value.rule = (enum value_rule)rule_of(match)->rule;
	match->expression = mc_regex_new(match->regex, reason, sizeof(reason));
	if (match->expression == NULL)
		return mc_fail(ctx, 0, "cannot use Regex '%s': %s",
			       match->regex, reason);
	if (match->exclude == NULL)
		return 0;
	match->excluded = mc_regex_new(match->exclude, reason, sizeof(reason));
	if (match->excluded == NULL)
		return mc_fail(ctx, 0, "cannot use ExcludeRegex '%s': %s",
			       match->exclude, reason);
	return 0;
}

static int tail_start(struct mc_ctx *ctx)
{
	struct tail *self = ctx->self;
	struct file *files = self->files.items;

	for (size_t i = 0; i < self->files.len; i++) {
		struct match *matches = files[i].matches.items;

		files[i].every.period = files[i].interval;
		for (size_t j = 0; j < files[i].matches.len; j++) {
			int rc = start_match(ctx, &matches[j]);

			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

static void tail_stop(struct mc_ctx *ctx)
{
	struct tail *self = ctx->self;
	struct file *files = self->files.items;

	for (size_t i = 0; i < self->files.len; i++) {
		struct match *matches = files[i].matches.items;

		follow_done(&files[i].follow);
		for (size_t j = 0; j < files[i].matches.len; j++) {
			mc_regex_free(matches[j].expression);
			mc_regex_free(matches[j].excluded);
			matches[j].expression = matches[j].excluded = NULL;
			value_done(&matches[j].value);
		}
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

static void check_type(struct mc_ctx *ctx, const char *const *field,
		       bool needs_gauge)
{
	const struct mc_type *type = mc_type_find(ctx, *field);

	if (type == NULL)
		mc_check_error(ctx, field, "is in no TypesDB");
	else if (type->sources_len != 1)
		mc_check_error(ctx, field, "has %u values, not one",
			       type->sources_len);
	else if (needs_gauge && type->sources[0].kind != MC_GAUGE)
		mc_check_error(ctx, field, "is no gauge, as DSType asks for");
}

static void check_match(struct mc_ctx *ctx, const struct match *match)
{
	const struct rule *rule = rule_of(match);

	if (match->rules.len == 0 || match->type == NULL)
		return; /* What is required is asked for elsewhere. */
	check_regex(ctx, &match->regex);
	check_regex(ctx, &match->exclude);
	check_type(ctx, &match->type,
		   value_is_gauge((enum value_rule)rule->rule));
	if (rule->buckets.len > 0)
		check_type(ctx, &rule->bucket_type, true);
	if (rule->rule == DISTRIBUTION &&
	    rule->buckets.len + rule->percentiles.len == 0)
		mc_check_error(ctx, &rule->rule,
			       "needs Percentile or Bucket: <DSType "
			       "\"Distribution\">");
}

static void tail_check(struct mc_ctx *ctx)
{
	const struct tail *self = ctx->self;
	const struct file *files = self->files.items;

	for (size_t i = 0; i < self->files.len; i++) {
		const struct match *matches = files[i].matches.items;

		if (files[i].interval > 0 && files[i].interval < ctx->interval)
			mc_check_warn(ctx, &files[i].interval,
				      "is shorter than the interval of the "
				      "plugin, which counts");
		for (size_t j = 0; j < files[i].matches.len; j++)
			check_match(ctx, &matches[j]);
	}
}

static const struct mc_option percentile_options[] = {
	{ .name = "",
	  MC_OPT_NUMBER(struct percentile, percent),
	  .required = true,
	  .min = 0,
	  .max = 100,
	  .sample = "99",
	  .help = "Percent of the values." },
	{ 0 }
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
	  .words =
		  (const char *const[]){
			  "GaugeAverage", "GaugeMin", "GaugeMax", "GaugeLast",
			  "GaugePersist", "GaugeAdd", "GaugeInc", "CounterSet",
			  "CounterAdd", "CounterInc", "DeriveSet", "DeriveAdd",
			  "DeriveInc", "AbsoluteSet", "Distribution", NULL },
	  .sample = "CounterInc",
	  .help = "What the numbers of an interval come to." },
	{ .name = "Percentile",
	  MC_OPT_BLOCKS(struct rule, percentiles),
	  .block = &(const struct mc_block){ .size = sizeof(struct percentile),
					     .options = percentile_options },
	  .help = "What so many percent of the values do not exceed." },
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
	  .help = "Expression that a line must match; what its first "
		  "parenthesis takes is the number." },
	{ .name = "ExcludeRegex",
	  MC_OPT_STRING(struct match, exclude),
	  .sample = "127\\\\.0\\\\.0\\\\.1",
	  .help = "Expression of lines that do not count." },
	{ .name = "DSType",
	  MC_OPT_BLOCKS(struct match, rules),
	  .block = &(const struct mc_block){ .size = sizeof(struct rule),
					     .options = rule_options },
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

static const struct mc_option file_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct file, path),
	  .required = true,
	  .sample = "/var/log/mail.log",
	  .help = "Path of the log file." },
	{ .name = "Plugin",
	  MC_OPT_STRING(struct file, plugin),
	  .sample = "mail",
	  .help = "Plugin in the names of the series; without it, tail." },
	{ .name = "Instance",
	  MC_OPT_STRING(struct file, instance),
	  .sample = "exim",
	  .help = "Plugin instance of the series." },
	{ .name = "Interval",
	  MC_OPT_TIME(struct file, interval),
	  .sample = "60",
	  .help = "Seconds between two reads of the file, in steps of the "
		  "plugin's interval." },
	{ .name = "Match",
	  MC_OPT_BLOCKS(struct file, matches),
	  .block = &(const struct mc_block){ .size = sizeof(struct match),
					     .options = match_options },
	  .help = "A value to make of the lines." },
	{ 0 }
};

static const struct mc_option options[] = {
	{ .name = "File",
	  MC_OPT_BLOCKS(struct tail, files),
	  .block = &(const struct mc_block){ .size = sizeof(struct file),
					     .options = file_options },
	  .help = "A log file." },
	{ 0 }
};

MC_PLUGIN(tail) = {
	MC_NAMED(tail),
	.help = "Reads numbers from the new lines of log files.",
	.self_size = sizeof(struct tail),
	.options = options,
	.types = (const char *const[]){ "bucket", "counter", "gauge", NULL },
	.check = tail_check,
	.start = tail_start,
	.read = tail_read,
	.stop = tail_stop,
};
