/* SPDX-License-Identifier: MIT */
/* The global options.  Names and meaning are those of collectd.conf(5) 5.12, "GLOBAL OPTIONS";
 * SeriesLimit, HistoryBytes, WriteQueueBytes and those of the journal are ours. */
#include "daemon/config/settings.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "daemon/config/configure.h"
#include "model/type.h"

#define YEAR 31536000.

static const char *const journal_words[] = { "auto", "on", "off", NULL };
static const char *const sync_words[] = { "batch", "interval", "off", NULL };

const struct mc_option settings_options[] = {
	{ "Hostname", MC_OPT_STRING(struct settings, hostname),
	  .help = "Name of this host in all series; by default the name of the "
		  "system.",
	  .sample = NULL },
	{ "FQDNLookup", MC_OPT_BOOL(struct settings, fqdn_lookup), .default_value = "true",
	  .lenient = true,
	  .help = "Looks up the full domain name of the host if Hostname is "
		  "not set." },
	{ "Interval", MC_OPT_TIME(struct settings, interval), .default_value = "10",
	  .lenient = true,
	  .help = "Seconds between two reads of plugins that have no Interval "
		  "of their own.",
	  .min = 0.001, .max = YEAR },
	{ "MaxReadInterval", MC_OPT_TIME(struct settings, max_read_interval),
	  .default_value = "300", .lenient = true,
	  .help = "Largest interval in seconds of a plugin that fails.", .min = 0.001,
	  .max = YEAR },
	{ "Timeout", MC_OPT_NUMBER(struct settings, timeout), .default_value = "2",
	  .help = "Number of intervals without a new value after which a "
		  "series is reported missing and removed.",
	  .min = 1, .max = 1e6 },
	{ "BaseDir", MC_OPT_STRING(struct settings, base_dir),
	  .default_value = "/var/lib/collector",
	  .help = "Working directory, where relative paths start. It is made "
		  "if it does not exist." },
	{ "PIDFile", MC_OPT_STRING(struct settings, pid_file),
	  .default_value = "/run/collector/collectord.pid",
	  .help = "File with the process id of a daemon in the background." },
	{ "PluginDir", MC_OPT_STRINGS(struct settings, plugin_dirs),
	  .help = "Directories that are searched for plugins, in this order; "
		  "the collector's own is the last. A directory without "
		  "plugins of the collector, such as that of collectd, is "
		  "skipped." },
	{ "TypesDB", MC_OPT_STRINGS(struct settings, types_db),
	  .help = "Files with additional types, see types.db(5); the "
		  "collector's own types are always known." },
	{ "RulesDir", MC_OPT_STRINGS(struct settings, rules_dirs),
	  .help = "Folders with rules for the plugin threshold, files *.conf; of files with the "
		  "same name that of the last folder counts. By default rules.d of the package and "
		  "rules.d beside its collector.conf; \"\": none.",
	  .sample = NULL },
	{ "AutoLoadPlugin", MC_OPT_BOOL(struct settings, auto_load_plugin),
	  .default_value = "false", .lenient = true,
	  .help = "Loads each plugin that has a <Plugin> block, without "
		  "LoadPlugin." },
	{ "CollectInternalStats", MC_OPT_BOOL(struct settings, collect_internal_stats),
	  .default_value = "false", .lenient = true,
	  .help = "Reports on the collector itself: queues, series, its CPU "
		  "time and memory." },
	{ "ReadThreads", MC_OPT_INT(struct settings, read_threads), .default_value = "5",
	  .lenient = true,
	  .help = "Number of threads that are kept for slow reads; quick reads "
		  "share one.",
	  .min = 1, .max = 1000 },
	{ "SeriesLimit", MC_OPT_INT(struct settings, series_limit), .default_value = "1000000",
	  .help = "Largest number of series; samples of further ones are "
		  "refused and counted. An eighth, but at most 100,000, is for "
		  "this host, and as many for what it asks.",
	  .min = 1, .max = 1e9 },
	{ "CatalogueLimit", MC_OPT_INT(struct settings, catalogue_limit), .default_value = "100000",
	  .help = "Number of series without values any more that are known, with the times of "
		  "their first and last value, also after a restart; beyond it those that ended "
		  "first are forgotten. The file 'catalogue' in BaseDir has them. 0: none.",
	  .min = 0, .max = 1e7 },
	{ "HistoryBytes", MC_OPT_INT(struct settings, history_bytes), .default_value = "4194304",
	  .help = "Bytes of memory for the values of the last quarter of an "
		  "hour, of series that somebody looks at; 0: none.",
	  .max = 1e12 },
	{ "WriteQueueBytes", MC_OPT_INT(struct settings, write_queue_bytes),
	  .default_value = "16777216",
	  .help = "Bytes that may wait for each writer; beyond that the oldest "
		  "are dropped and counted. Half as many if the rest waits in "
		  "the journal.",
	  .min = 65536, .max = 1e12 },
	{ "Journal", MC_OPT_WORD(struct settings, journal), .default_value = "auto",
	  .help = "Whether batches are kept on disk until every durable writer "
		  "has delivered them; auto: if there is such a writer and a "
		  "plugin that needs it (forward, otlp).",
	  .words = journal_words },
	{ "JournalDir", MC_OPT_STRING(struct settings, journal_dir), .default_value = "journal",
	  .help = "Directory of the journal, for one collector only; a "
		  "relative path starts at BaseDir." },
	{ "JournalBytes", MC_OPT_INT(struct settings, journal_bytes), .default_value = "536870912",
	  .help = "Largest size of the journal in bytes; beyond that the "
		  "oldest records are dropped and counted.",
	  .min = 1048576, .max = 1e15 },
	{ "JournalMinFree", MC_OPT_INT(struct settings, journal_min_free),
	  .alias = "JournalSpareBytes", .default_value = "0",
	  .help = "Bytes that the journal leaves free on its disk; with fewer, "
		  "the oldest records are dropped and counted. 0: no limit.",
	  .min = 0, .max = 1e15 },
	{ "JournalSync", MC_OPT_WORD(struct settings, journal_sync), .default_value = "interval",
	  .help = "When the journal is synced to the disk: before anything is "
		  "acknowledged (batch), every second (interval), or when the "
		  "kernel does it by itself (off).",
	  .words = sync_words },
	{ "WriteThreads", MC_OPT_INT(struct settings, write_threads), .no_effect = true,
	  .help = "Each writer has one thread of its own." },
	{ "WriteQueueLimitHigh", MC_OPT_INT(struct settings, write_queue_limit_high),
	  .no_effect = true, .help = "Queues are always bounded, by WriteQueueBytes." },
	{ "WriteQueueLimitLow", MC_OPT_INT(struct settings, write_queue_limit_low),
	  .no_effect = true, .help = "Queues are always bounded, by WriteQueueBytes." },
	{ 0 },
};

/* Read by configure.c. */
#define STATEMENT(statement, plugin) #statement,
static const char *const others[] = { "LoadPlugin", "Plugin", "Threshold", "Graph",
				      CONFIGURE_STATEMENTS NULL };
#undef STATEMENT

static bool has_value(const struct conf_node *node, const char *value)
{
	for (size_t i = 0; i < node->values_len; i++)
		if (value == NULL || strcmp(node->values[i].text, value) == 0)
			return true;
	return false;
}

struct place settings_place(const struct conf_node *root, const char *option, const char *value)
{
	for (size_t i = 0; i < root->children_len; i++)
		if (strcasecmp(root->children[i]->name, option) == 0 &&
		    has_value(root->children[i], value))
			return root->children[i]->place;
	return (struct place){ 0 };
}

/* It is part of every series' name. */
static void check_hostname(const struct conf_node *root, const struct settings *settings,
			   struct problems *problems)
{
	const char *name = settings->hostname;

	if (name == NULL || (strlen(name) < TYPE_NAME_SIZE && text_printable(name, strlen(name))))
		return;
	problem_error(problems, settings_place(root, "Hostname", name),
		      "'Hostname' must be text of at most %d bytes without "
		      "control characters",
		      TYPE_NAME_SIZE - 1);
}

void settings_read(const struct conf_node *root, struct settings *settings, struct conf_keep *keep,
		   struct problems *problems)
{
	struct option_source source = {
		.lenient = true,
		.parents = &root,
		.parents_len = 1,
		.skip = others,
	};

	*settings = (struct settings){ 0 };
	option_fill(settings_options, &source, settings, keep, problems);
	check_hostname(root, settings, problems);
}

/* --- Another configuration -------------------------------------------- */

/* Settings that name or hold present data, or are used once at the start. */
static const char *const fixed[] = {
	"Hostname",   "FQDNLookup",   "BaseDir",        "PIDFile",     "PluginDir",      "Journal",
	"JournalDir", "JournalBytes", "JournalMinFree", "JournalSync", "CatalogueLimit",
};

static bool same_text(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool same_texts(const struct mc_strings *a, const struct mc_strings *b)
{
	for (size_t i = 0; i < a->len && i < b->len; i++)
		if (!same_text(a->items[i], b->items[i]))
			return false;
	return a->len == b->len;
}

static const void *field(const struct settings *settings, const struct mc_option *option)
{
	return (const char *)settings + option->offset;
}

static bool same(const struct mc_option *option, const struct settings *a, const struct settings *b)
{
	const void *left = field(a, option), *right = field(b, option);

	switch (option->type) {
	case MC_BOOL:
		return *(const bool *)left == *(const bool *)right;
	case MC_WORD:
		return *(const int *)left == *(const int *)right;
	case MC_STRING:
		return same_text(*(const char *const *)left, *(const char *const *)right);
	case MC_STRINGS:
		return same_texts(left, right);
	default: /* MC_INT; the other types are of options that may change. */
		return *(const int64_t *)left == *(const int64_t *)right;
	}
}

static bool is_fixed(const char *name)
{
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (strcmp(fixed[i], name) == 0)
			return true;
	return false;
}

void settings_change(struct settings *now, const struct settings *next,
		     void (*visit)(void *argument, const char *option), void *argument)
{
	for (const struct mc_option *option = settings_options; option->name != NULL; option++)
		if (is_fixed(option->name) && !same(option, now, next))
			visit(argument, option->name);
	now->interval = next->interval;
	now->max_read_interval = next->max_read_interval;
	now->timeout = next->timeout;
	now->read_threads = next->read_threads;
	now->series_limit = next->series_limit;
	now->history_bytes = next->history_bytes;
	now->write_queue_bytes = next->write_queue_bytes;
	now->collect_internal_stats = next->collect_internal_stats;
}
