/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <fnmatch.h>
#include <string.h>

struct plugin_block {
	const char *name, *instance;
	struct mc_blocks types;
};

struct host_block {
	const char *name;
	struct mc_blocks plugins, types;
};

#define BOUND(option, field, text)                                                                 \
	{                                                                                          \
		option, MC_OPT_NUMBER(struct rule, field), .default_value = "nan", .help = text    \
	}
#define FLAG(option, field, value, text)                                                           \
	{                                                                                          \
		option, MC_OPT_BOOL(struct rule, field), .default_value = value, .help = text      \
	}
#define DURATION(option, field, value, text)                                                       \
	{                                                                                          \
		option, MC_OPT_TIME(struct rule, field), .default_value = value, .help = text      \
	}

#define JUDGING_OPTIONS                                                                            \
	{ "DataSource", MC_OPT_STRING(struct rule, source),                                        \
	  .help = "Only this source is checked; by default all are.", .sample = "value" },         \
		BOUND("WarningMin", warning.min, "Below it is WARNING."),                          \
		BOUND("WarningMax", warning.max, "Above it is WARNING."),                          \
		BOUND("FailureMin", failure.min, "Below it is FAILURE."),                          \
		BOUND("FailureMax", failure.max, "Above it is FAILURE."),                          \
		FLAG("Invert", invert, "false",                                                    \
		     "What is between the bounds is bad, not what is "                             \
		     "beyond."),                                                                   \
		FLAG("Persist", persist, "false", "Reports each bad value."),                      \
		FLAG("PersistOK", persist_okay, "false", "Reports each good value."),              \
		FLAG("Percentage", percentage, "false",                                            \
		     "Compares the share of the source in the sum of all, in "                     \
		     "percent."),                                                                  \
		{ "Hits",                                                                          \
		  MC_OPT_INT(struct rule, hits),                                                   \
		  .default_value = "0",                                                            \
		  .help = "Reports the Nth bad value in a row.",                                   \
		  .min = 0,                                                                        \
		  .max = 1e9 },                                                                    \
		{ "Hysteresis",                                                                    \
		  MC_OPT_NUMBER(struct rule, hysteresis),                                          \
		  .default_value = "0",                                                            \
		  .help = "By how much a value must be back within the "                           \
			  "bounds to be good again.",                                              \
		  .min = 0,                                                                        \
		  .max = 1e300 },                                                                  \
		{ "UnknownAfter",                                                                  \
		  MC_OPT_INT(struct rule, unknown_after),                                          \
		  .default_value = "0",                                                            \
		  .help = "Number of unknown values in a row that make the state WARNING; 0: "     \
			  "unknown values change nothing.",                                        \
		  .min = 0,                                                                        \
		  .max = 1e9 },                                                                    \
		DURATION("For", hold, "0", "Seconds that a value must be bad before a report."),   \
		DURATION("ClearFor", clear_after, "0",                                             \
			 "Seconds that a value must be good before a report."),                    \
		{ "Of", MC_OPT_STRINGS(struct rule, of),                                           \
		  .help = "Type instances of the series, of the same host, plugin, plugin "        \
			  "instance and type, whose sum is 100 percent: compares the share of "    \
			  "the series in it.",                                                     \
		  .sample = "used" },                                                              \
		FLAG("Rate", rate, "false", "Compares the change per second, over Window."),       \
		DURATION("Forecast", forecast, "0",                                                \
			 "Also compares the value expected after this time, in seconds, or "       \
			 "\"8h\"; 0: it does not."),                                               \
		BOUND("ForecastFrom", forecast_from,                                               \
		      "Forecast has an effect only while the present value is at least this."),    \
		DURATION("Window", window, "0",                                                    \
			 "Seconds of the past that Rate and Forecast go by; "                      \
			 "0: half of the time of Forecast."),                                      \
		{ "Flap",                                                                          \
		  MC_OPT_INT(struct rule, flap),                                                   \
		  .default_value = "0",                                                            \
		  .help = "Reports once if the state changes more often than this within "         \
			  "FlapWindow, then "                                                      \
			  "nothing until it stays the same; 0: it does not.",                      \
		  .min = 0,                                                                        \
		  .max = 1e6 },                                                                    \
		DURATION("FlapWindow", flap_window, "600",                                         \
			 "Seconds in which changes count; after the same time without changes a "  \
			 "state is "                                                               \
			 "reported again."),                                                       \
		DURATION("RemindAfter", remind_after, "0",                                         \
			 "Seconds after which a series that is still bad is reported again; 0: "   \
			 "it is not."),                                                            \
		{ "Message", MC_OPT_STRING(struct rule, message),                                  \
		  .help = "Text of notifications, with %{host}, "                                  \
			  "%{plugin}, %{plugin_instance}, %{type}, "                               \
			  "%{type_instance}, %{source}, %{value}, "                                \
			  "%{bound}, %{state} and those of \"Messages\"; by default "              \
			  "that of collectd.",                                                     \
		  .sample = "%{host}: %{source} is %{value}" },                                    \
	{                                                                                          \
		"Advice", MC_OPT_STRING(struct rule, advice),                                      \
			.help = "What to look at, for whoever reads the alert, with the "          \
				"placeholders of Message.",                                        \
			.sample = "Find what grows: du -xh %{mount}"                               \
	}

#define RULE_OPTIONS                                                                               \
	JUDGING_OPTIONS,                                                                           \
		FLAG("SourceLimits", source_limits, "true",                                        \
		     "Takes WarningMin and WarningMax, FailureMin and "                            \
		     "FailureMax that are not given from the series itself, "                      \
		     "if it comes with some."),                                                    \
		FLAG("Interesting", interesting, "true",                                           \
		     "Reports the series when it has no values any more."),                        \
		DURATION("Absent", absent, "0",                                                    \
			 "Reports a series that has not come this number of seconds after the "    \
			 "start, "                                                                 \
			 "within Host and Plugin; 0: it does not.")

static const struct mc_option type_options[] = {
	{ "", MC_OPT_STRING(struct rule, type), .help = "Type of the series.", .required = true,
	  .sample = "load" },
	{ "Instance", MC_OPT_STRING(struct rule, type_instance), .help = "Only this type instance.",
	  .sample = "used" },
	RULE_OPTIONS,
	{ 0 },
};
const struct mc_block options_type_block = { sizeof(struct rule), type_options };

#define PATTERN(option, field, text, example)                                                      \
	{                                                                                          \
		option, MC_OPT_STRING(struct rule, field),                                         \
			.help = text " of the series: a glob, or an "                              \
				     "expression /.../; by default all.",                          \
			.sample = example                                                          \
	}

#define PATTERNS                                                                                   \
	PATTERN("Host", host, "Host", "web*"), PATTERN("Plugin", plugin, "Plugin", "df"),          \
		PATTERN("PluginInstance", plugin_instance, "Plugin instance", "/^(root|var)$/"),   \
		PATTERN("Type", type, "Type", "percent_bytes"),                                    \
		PATTERN("TypeInstance", type_instance, "Type instance", "used")

static const struct mc_option match_options[] = { PATTERNS, RULE_OPTIONS, { 0 } };
const struct mc_block options_match_block = { sizeof(struct rule), match_options };

static const struct mc_option rule_options[] = {
	{ "", MC_OPT_STRING(struct rule, name), .help = "Name of the rule.", .required = true,
	  .sample = "df_full" },
	PATTERNS,
	JUDGING_OPTIONS,
	{ 0 },
};
const struct mc_block options_rule_block = { sizeof(struct rule), rule_options };

#define TYPES(self)                                                                                \
	{                                                                                          \
		"Type", MC_OPT_BLOCKS(struct self, types),                                         \
			.block = &options_type_block, .help = "A rule for the series of one type." \
	}

static const struct mc_option plugin_options[] = {
	{ "", MC_OPT_STRING(struct plugin_block, name), .help = "Plugin of the series.",
	  .required = true, .sample = "df" },
	{ "Instance", MC_OPT_STRING(struct plugin_block, instance),
	  .help = "Only this plugin instance.", .sample = "root" },
	TYPES(plugin_block),
	{ 0 },
};
const struct mc_block options_plugin_block = { sizeof(struct plugin_block), plugin_options };

static const struct mc_option host_options[] = {
	{ "", MC_OPT_STRING(struct host_block, name), .help = "Host of the series.",
	  .required = true, .sample = "web1.example" },
	{ "Plugin", MC_OPT_BLOCKS(struct host_block, plugins), .block = &options_plugin_block,
	  .help = "Rules for the series of one plugin." },
	TYPES(host_block),
	{ 0 },
};
const struct mc_block options_host_block = { sizeof(struct host_block), host_options };

/* --- The rules that they make -------------------------------------------- */

struct visit {
	void (*rule)(void *argument, struct rule *, bool pattern);
	void *argument;
};

/* Written once: later visits are beside threads that read. */
static void name(const char **field, const char *text)
{
	if (*field != text)
		*field = text;
}

static void each_type(const struct visit *visit, const struct mc_blocks *types, const char *host,
		      const struct plugin_block *plugin)
{
	struct rule *rules = types->items;

	for (size_t i = 0; i < types->len; i++) {
		name(&rules[i].host, host);
		name(&rules[i].plugin, plugin != NULL ? plugin->name : NULL);
		name(&rules[i].plugin_instance, plugin != NULL ? plugin->instance : NULL);
		visit->rule(visit->argument, &rules[i], false);
	}
}

static void each_plugin(const struct visit *visit, const struct mc_blocks *plugins,
			const char *host)
{
	const struct plugin_block *items = plugins->items;

	for (size_t i = 0; i < plugins->len; i++)
		each_type(visit, &items[i].types, host, &items[i]);
}

void options_each(const struct options *options,
		  void (*rule)(void *argument, struct rule *, bool pattern), void *argument)
{
	const struct visit visit = { rule, argument };
	const struct host_block *hosts = options->hosts.items;
	struct rule *matches = options->matches.items;

	for (size_t i = 0; i < options->hosts.len; i++) {
		each_plugin(&visit, &hosts[i].plugins, hosts[i].name);
		each_type(&visit, &hosts[i].types, hosts[i].name, NULL);
	}
	each_plugin(&visit, &options->plugins, NULL);
	each_type(&visit, &options->types, NULL, NULL);
	for (size_t i = 0; i < options->matches.len; i++)
		rule(argument, &matches[i], true);
}

/* --- Rules with names ----------------------------------------------------- */

static bool is_disabled(const struct options *options, const char *name)
{
	for (size_t i = 0; i < options->disabled.len; i++)
		if (fnmatch(options->disabled.items[i], name, 0) == 0)
			return true;
	return false;
}

static bool is_first(const struct rule *rules, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(rules[i].name, rules[at].name) == 0)
			return false;
	return true;
}

void options_each_rule(const struct options *options,
		       void (*visit)(void *argument, struct rule *, bool pattern), void *argument)
{
	struct rule *rules = options->rules.items;

	for (size_t i = 0; i < options->rules.len; i++)
		if (is_first(rules, i) && !is_disabled(options, rules[i].name))
			visit(argument, &rules[i], true);
}

/* --- Names of plugins ------------------------------------------------------ */

static void each_name(const struct mc_blocks *plugins,
		      void (*visit)(void *argument, const char *const *name), void *argument)
{
	const struct plugin_block *items = plugins->items;

	for (size_t i = 0; i < plugins->len; i++)
		visit(argument, &items[i].name);
}

void options_each_plugin(const struct options *options,
			 void (*visit)(void *argument, const char *const *name), void *argument)
{
	const struct host_block *hosts = options->hosts.items;

	for (size_t i = 0; i < options->hosts.len; i++)
		each_name(&hosts[i].plugins, visit, argument);
	each_name(&options->plugins, visit, argument);
}
