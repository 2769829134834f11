/* SPDX-License-Identifier: MIT */
#include "conf/option.h"

#include <stdlib.h>

#include "problems.h"

struct server {
	const char *host, *service;
	int64_t port;
	struct mc_blocks users;
};

struct user {
	struct mc_strings names;
	bool admin;
};

struct state {
	bool on;
	int64_t port, any, positive;
	double ratio, number, unset;
	mc_time interval, window;
	const char *text, *folder;
	int mode;
	struct mc_strings names;
	struct mc_ints spans;
	struct mc_select *disks;
	struct mc_blocks servers, marks;
	struct mc_configs modules;
};

static const struct mc_option user_options[] = {
	{ "", MC_OPT_STRINGS(struct user, names), .help = "Names." },
	{ "Admin", MC_OPT_BOOL(struct user, admin), .help = "May do it." },
	{ 0 },
};

static const struct mc_option server_options[] = {
	{ "", MC_OPT_STRING(struct server, host), .required = true },
	{ "", MC_OPT_STRING(struct server, service), .default_value = "http" },
	{ "Port", MC_OPT_INT(struct server, port), .min = 1, .max = 65535,
	  .default_value = "25826" },
	{ "User", MC_OPT_BLOCKS(struct server, users),
	  .block = &(const struct mc_block){ sizeof(struct user), user_options } },
	{ 0 },
};

static const struct mc_option mark_options[] = {
	{ "Port", MC_OPT_INT(struct server, port), .required = true },
	{ 0 },
};

static const char *const modes[] = { "name", "uuid", "hostname", NULL };

static const struct mc_option options[] = {
	{ "On", MC_OPT_BOOL(struct state, on), .default_value = "true" },
	{ "Port", MC_OPT_INT(struct state, port), .min = 1, .max = 65535 },
	{ "Any", MC_OPT_INT(struct state, any), .alias = "Whatever", .help = "Unbounded." },
	{ "Positive", MC_OPT_INT(struct state, positive), .min = 1, .max = INFINITY },
	{ "Ratio", MC_OPT_NUMBER(struct state, ratio), .min = 0, .max = 0.5 },
	{ "Number", MC_OPT_NUMBER(struct state, number), .default_value = "-1.5" },
	{ "Unset", MC_OPT_NUMBER(struct state, unset), .default_value = "nan" },
	{ "Interval", MC_OPT_TIME(struct state, interval), .default_value = "10" },
	{ "Window", MC_OPT_TIME(struct state, window), .min = -60, .max = 60 },
	{ "Text", MC_OPT_STRING(struct state, text), .help = "Any." },
	{ "Folder", MC_OPT_STRING(struct state, folder), .default_value = "/var/lib/a b" },
	{ "Mode", MC_OPT_WORD(struct state, mode), .words = modes, .default_value = "uuid" },
	{ "Name", MC_OPT_STRINGS(struct state, names), .default_value = "x y" },
	{ "Span", MC_OPT_INTS(struct state, spans), .default_value = "3600 86400" },
	{ "Disk", MC_OPT_SELECT(struct state, disks), .help = "Disks." },
	{ "Server", MC_OPT_BLOCKS(struct state, servers),
	  .block = &(const struct mc_block){ sizeof(struct server), server_options } },
	{ "Mark", MC_OPT_BLOCKS(struct state, marks),
	  .block = &(const struct mc_block){ sizeof(struct server), mark_options } },
	{ "Module", MC_OPT_CONFIGS(struct state, modules), .help = "A." },
	{ 0 },
};

static const struct mc_option needs[] = {
	{ "Text", MC_OPT_STRING(struct state, text), .required = true },
	{ "Name", MC_OPT_STRINGS(struct state, names), .required = true },
	{ "Server", MC_OPT_BLOCKS(struct state, servers), .required = true,
	  .block = &(const struct mc_block){ sizeof(struct server), server_options } },
	{ 0 },
};

static struct problems problems;
static struct arena arena;
static struct conf_keep keep;
static struct state self;

static int start(void **state)
{
	(void)state;
	problem_init(&problems);
	arena_init(&arena, 1024);
	option_init(&keep);
	self = (struct state){ 0 };
	return 0;
}

static int stop(void **state)
{
	(void)state;
	option_release(&keep);
	problem_done(&problems);
	arena_done(&arena);
	return 0;
}

static const struct conf_node *read_text(const char *file, const char *text)
{
	return conf_parse(text, strlen(text), file, &problems, &arena);
}

/* Options of a plugin of collectd's, which goes on where their values are wrong. */
static const struct mc_option odd[] = {
	{ "On", MC_OPT_BOOL(struct state, on), .default_value = "true", .lenient = true },
	{ "Port", MC_OPT_INT(struct state, port), .default_value = "9", .min = 1, .max = 65535,
	  .lenient = true },
	{ "Interval", MC_OPT_TIME(struct state, interval), .min = 0.001, .max = 60,
	  .lenient = true },
	{ "Server", MC_OPT_BLOCKS(struct state, servers),
	  .block = &(const struct mc_block){ sizeof(struct server), server_options } },
	{ 0 },
};

/* Reads the text as what stands in one block. */
static bool fill_from(const struct mc_option *table, const char *text, bool lenient)
{
	const struct conf_node *parent = read_text("x.conf", text);
	const struct option_source source = {
		.owner = "disk", .lenient = lenient, .parents = &parent, .parents_len = 1
	};

	option_release(&keep);
	self = (struct state){ 0 };
	return option_fill(table, &source, &self, &keep, &problems);
}

static bool fill_by(const struct mc_option *table, const char *text)
{
	return fill_from(table, text, false);
}

static void expect_good(const char *text)
{
	assert_true(fill_by(options, text));
	expect_problems(&problems, "");
}

static void expect_bad(const char *text, const char *expected)
{
	assert_false(fill_by(options, text));
	expect_problems(&problems, expected);
}

static void presets(void **state)
{
	const struct option_source nothing = { .owner = "disk" };

	(void)state;
	assert_true(option_fill(options, &nothing, &self, &keep, &problems));
	expect_problems(&problems, "");
	assert_true(self.on);
	assert_int_equal(self.port, 0);
	assert_true(self.number == -1.5);
	assert_true(isnan(self.unset));
	assert_int_equal(self.interval, 10 * MC_SECOND);
	assert_null(self.text);
	assert_string_equal(self.folder, "/var/lib/a b");
	assert_int_equal(self.mode, 1);
	assert_int_equal(self.names.len, 2);
	assert_string_equal(self.names.items[1], "y");
	assert_int_equal(self.spans.len, 2);
	assert_int_equal(self.spans.items[1], 86400);
	assert_null(self.disks);
	assert_int_equal(self.servers.len, 0);
}

static void scalars(void **state)
{
	(void)state;
	expect_good("on Off\nport 0x10\nAny -9223372036854775808\nPositive 1\n"
		    "Ratio 0.25\nNumber 1e3\nUnset -1\nInterval 0.005\nWindow "
		    "-1.5\n"
		    "Text \"a\\\\b\"\nFolder x\nMode HostName\n");
	assert_false(self.on);
	assert_int_equal(self.port, 16);
	assert_true(self.any == INT64_MIN);
	assert_int_equal(self.positive, 1);
	assert_true(self.ratio == 0.25);
	assert_true(self.number == 1000);
	assert_true(self.unset == -1);
	assert_int_equal(self.interval, 5 * MC_MILLISECOND);
	assert_int_equal(self.window, -1500 * MC_MILLISECOND);
	assert_string_equal(self.text, "a\\b");
	assert_string_equal(self.folder, "x");
	assert_int_equal(self.mode, 2);
}

static void quoted_scalars(void **state)
{
	(void)state;
	expect_good("On \"no\"\nPort \"2003\"\nAny \"0660\"\nRatio \"0.5\"\n"
		    "Interval \"60\"\nText 42\nFolder \"\"\nMode \"name\"\n"
		    "Span \"7\"\n");
	assert_false(self.on);
	assert_int_equal(self.port, 2003);
	assert_int_equal(self.any, 432);
	assert_true(self.ratio == 0.5);
	assert_int_equal(self.interval, 60 * MC_SECOND);
	assert_string_equal(self.text, "42");
	assert_string_equal(self.folder, "");
	assert_int_equal(self.mode, 0);
	assert_int_equal(self.spans.items[0], 7);
}

static void lists(void **state)
{
	(void)state;
	expect_good("Name a \"b c\"\nSpan 1\nName d\nSpan 2 3\n"
		    "Disk sda \"/^loop/\"\nDisk md0\n");
	assert_int_equal(self.names.len, 3);
	assert_string_equal(self.names.items[0], "a");
	assert_string_equal(self.names.items[1], "b c");
	assert_string_equal(self.names.items[2], "d");
	assert_int_equal(self.spans.len, 3);
	assert_int_equal(self.spans.items[0], 1);
	assert_int_equal(self.spans.items[2], 3);
	assert_true(mc_selected(self.disks, false, "sda"));
	assert_true(mc_selected(self.disks, false, "loop7"));
	assert_true(mc_selected(self.disks, false, "md0"));
	assert_false(mc_selected(self.disks, false, "md1"));
}

static void blocks(void **state)
{
	const struct server *servers;
	const struct user *users;

	(void)state;
	expect_good("<Server \"a\" \"ssh\">\n Port 1\n <User x y>\n"
		    "  Admin true\n </User>\n <User>\n </User>\n</Server>\n"
		    "<server b>\n</server>\nServer c d\n");
	servers = self.servers.items;
	assert_int_equal(self.servers.len, 3);
	assert_string_equal(servers[0].host, "a");
	assert_string_equal(servers[0].service, "ssh");
	assert_int_equal(servers[0].port, 1);
	assert_int_equal(servers[0].users.len, 2);
	users = servers[0].users.items;
	assert_int_equal(users[0].names.len, 2);
	assert_string_equal(users[0].names.items[1], "y");
	assert_true(users[0].admin);
	assert_int_equal(users[1].names.len, 0);
	assert_false(users[1].admin);
	assert_string_equal(servers[1].host, "b");
	assert_string_equal(servers[1].service, "http");
	assert_int_equal(servers[1].port, 25826);
	assert_int_equal(servers[1].users.len, 0);
	assert_string_equal(servers[2].host, "c");
	assert_string_equal(servers[2].service, "d");
}

static void values_are(const struct mc_config *config, const char *expected)
{
	char text[200] = "", *at = text;

	for (size_t i = 0; i < config->values_len; i++) {
		const struct mc_config_value *value = &config->values[i];
		size_t left = (size_t)(text + sizeof(text) - at);

		if (value->kind == MC_CONFIG_TEXT)
			at += snprintf(at, left, "'%s' ", value->text);
		else if (value->kind == MC_CONFIG_NUMBER)
			at += snprintf(at, left, "%s=%g ", value->text, value->number);
		else
			at += snprintf(at, left, "%s is %d ", value->text, value->boolean);
		assert_true(at < text + sizeof(text));
	}
	assert_string_equal(text, expected);
}

static void configs_stand_as_they_are(void **state)
{
	const struct mc_config *modules, *inner;

	(void)state;
	expect_good("<Module redis>\n Port 6379 0x10 1.5\n"
		    " Host \"localhost\" local \"5\" \"true\"\n Verbose on NO\n"
		    " <Instance \"a b\">\n  <Deep>\n  </Deep>\n </Instance>\n"
		    "</Module>\nmodule 7\n<Module>\n</Module>\n");
	modules = self.modules.items;
	assert_int_equal(self.modules.len, 3);
	assert_string_equal(modules[0].key, "Module");
	values_are(&modules[0], "'redis' ");
	assert_int_equal(modules[0].children_len, 4);
	inner = modules[0].children;
	assert_string_equal(inner[0].key, "Port");
	values_are(&inner[0], "6379=6379 0x10=16 1.5=1.5 ");
	values_are(&inner[1], "'localhost' 'local' '5' 'true' ");
	values_are(&inner[2], "on is 1 NO is 0 ");
	assert_int_equal(inner[2].children_len, 0);
	values_are(&inner[3], "'a b' ");
	assert_int_equal(inner[3].children_len, 1);
	assert_string_equal(inner[3].children[0].key, "Deep");
	assert_string_equal(modules[1].key, "module");
	values_are(&modules[1], "7=7 ");
	assert_int_equal(modules[2].values_len, 0);
}

static void numbers_as_booleans(void **state)
{
	(void)state;
	assert_true(fill_by(options, "On 0\n"));
	assert_false(self.on);
	expect_problems(&problems, "x.conf:1:4: warning: disk: 'On' must be true or false: '0' is "
				   "read as 'false'\n");
	assert_true(fill_by(options, "On \"1\"\n"));
	assert_true(self.on);
	expect_problems(&problems, "x.conf:1:4: warning: disk: 'On' must be true or false: '1' is "
				   "read as 'true'\n");
}

static void odd_values(void **state)
{
	(void)state;
	assert_true(fill_by(odd, "On maybe\nPort 0\nPort 7\nPort x\nInterval 0\n"));
	expect_problems(&problems,
			"x.conf:1:4: warning: disk: 'On' must be true or false, not 'maybe'; it "
			"stays 'true'\n"
			"x.conf:2:6: warning: disk: 'Port' must be a whole number from 1 to 65535, "
			"not '0'; it stays '9'\n"
			"x.conf:4:6: warning: disk: 'Port' must be a whole number from 1 to 65535, "
			"not 'x'; it stays '7'\n"
			"x.conf:5:10: warning: disk: 'Interval' must be a number of seconds from "
			"0.001 to 60, not '0'; it is not used\n");
	assert_true(self.on);
	assert_int_equal(self.port, 7);
	assert_int_equal(self.interval, 0);
}

static void odd_counts(void **state)
{
	(void)state;
	assert_true(fill_by(odd, "On true false\nPort 1 2\nInterval 1 2\n"));
	expect_problems(&problems,
			"x.conf:1:1: warning: disk: 'On' takes one value, not 2; it stays "
			"'true'\n"
			"x.conf:2:1: warning: disk: 'Port' takes one value, not 2; it stays '9'\n"
			"x.conf:3:1: warning: disk: 'Interval' takes one value, not 2; it is not "
			"used\n");
	assert_true(self.on);
	assert_int_equal(self.port, 9);
}

static void blocks_without_argument(void **state)
{
	const struct server *server;

	(void)state;
	assert_true(fill_from(odd, "<Server>\nPort 1\n</Server>\n<Server a>\n</Server>\n", true));
	expect_problems(&problems, "x.conf:1:1: warning: disk: the argument of <Server> is "
				   "missing: the block is left out\n");
	assert_int_equal(self.servers.len, 1);
	server = self.servers.items;
	assert_string_equal(server->host, "a");
	assert_int_equal(server->port, 25826);
	assert_false(fill_from(needs, "Text x\nName x\n<Server>\n</Server>\n", true));
	expect_problems(&problems, "x.conf:3:1: warning: disk: the argument of <Server> is "
				   "missing: the block is left out\n"
				   "x.conf: error: disk: 'Server' is missing\n");
}

static void wrong_values(void **state)
{
	(void)state;
	expect_bad("On maybe\nOn 2\n", "x.conf:1:4: error: disk: 'On' must be true or false, not "
				       "'maybe'\n"
				       "x.conf:2:4: error: disk: 'On' must be true or false, not "
				       "'2'\n");
	assert_true(self.on);
	expect_bad("Port 0\nPort 1.5\nPort \"\"\nAny x\n"
		   "Any 9223372036854775808\nPositive 0\n",
		   "x.conf:1:6: error: disk: 'Port' must be a whole number "
		   "from 1 to 65535, not '0'\n"
		   "x.conf:2:6: error: disk: 'Port' must be a whole number "
		   "from 1 to 65535, not '1.5'\n"
		   "x.conf:3:6: error: disk: 'Port' must be a whole number "
		   "from 1 to 65535, not ''\n"
		   "x.conf:4:5: error: disk: 'Any' must be a whole number, not "
		   "'x'\n"
		   "x.conf:5:5: error: disk: 'Any' must be a whole number, not "
		   "'9223372036854775808'\n"
		   "x.conf:6:10: error: disk: 'Positive' must be a whole "
		   "number, 1 or more, not '0'\n");
	expect_bad("Ratio 0.6\nNumber \"nan\"\nNumber \"inf\"\n"
		   "Interval -1\nInterval 10x\nInterval 1e10\nWindow 61\n"
		   "Unset \"nan\"\n",
		   "x.conf:1:7: error: disk: 'Ratio' must be a number from 0 "
		   "to 0.5, not '0.6'\n"
		   "x.conf:2:8: error: disk: 'Number' must be a number, not "
		   "'nan'\n"
		   "x.conf:3:8: error: disk: 'Number' must be a number, not "
		   "'inf'\n"
		   "x.conf:4:10: error: disk: 'Interval' must be a number of "
		   "seconds, 0 or more, not '-1'\n"
		   "x.conf:5:10: error: disk: 'Interval' must be a number of "
		   "seconds, 0 or more, not '10x'\n"
		   "x.conf:6:10: error: disk: 'Interval' must be a number of "
		   "seconds, 0 or more, not '1e10'\n"
		   "x.conf:7:8: error: disk: 'Window' must be a number of "
		   "seconds from -60 to 60, not '61'\n"
		   "x.conf:8:7: error: disk: 'Unset' must be a number, not "
		   "'nan'\n");
	assert_true(isnan(self.unset));
	assert_int_equal(self.interval, 10 * MC_SECOND);
	expect_bad("Mode uid\nMode x\nSpan 1 x 3\nDisk a \"/[/\" b\n",
		   "x.conf:1:6: error: disk: 'Mode' must be 'name', 'uuid' or "
		   "'hostname', not 'uid', did you mean 'uuid'?\n"
		   "x.conf:2:6: error: disk: 'Mode' must be 'name', 'uuid' or "
		   "'hostname', not 'x'\n"
		   "x.conf:3:8: error: disk: 'Span' must be whole numbers, not "
		   "'x'\n"
		   "x.conf:4:8: error: disk: 'Disk': cannot use the expression "
		   "'/[/': missing terminating ] for character class at "
		   "character 1\n");
	assert_int_equal(self.spans.len, 2);
}

static void wrong_form(void **state)
{
	(void)state;
	expect_bad("Text a b\n<On>\n</On>\n<Disk sda>\n</Disk>\nMark x\n",
		   "x.conf:1:1: error: disk: 'Text' takes one value, not 2\n"
		   "x.conf:2:1: error: disk: 'On' is an option, not a block\n"
		   "x.conf:4:1: error: disk: 'Disk' is an option, not a block\n"
		   "x.conf:6:1: error: disk: 'Mark' must be a block: <Mark> to "
		   "</Mark>\n");
	expect_bad("<Server>\n</Server>\n<Server a b c>\nPort 0\n</Server>\n"
		   "<Mark x>\nPort 1\n</Mark>\n<Mark>\n</Mark>\n",
		   "x.conf:1:1: error: disk: the argument of <Server> is "
		   "missing\n"
		   "x.conf:3:13: error: disk: <Server> has no other argument: "
		   "'c' is too many\n"
		   "x.conf:4:6: error: disk: 'Port' must be a whole number "
		   "from 1 to 65535, not '0'\n"
		   "x.conf:6:7: error: disk: <Mark> has no argument: 'x' is "
		   "too many\n"
		   "x.conf:9:1: error: disk: 'Port' is missing in <Mark>\n");
}

static void unknown_options(void **state)
{
	(void)state;
	expect_bad("Dsik sda\nXyzzy 1\nAdmin true\nUser x\n"
		   "<Server a>\nProt 1\nUuser x\nAdmin true\n</Server>\n"
		   "<Interal>\n</Interal>\n",
		   "x.conf:1:1: error: disk: no option 'Dsik', did you mean "
		   "'Disk'?\n"
		   "x.conf:2:1: error: disk: no option 'Xyzzy'\n"
		   "x.conf:3:1: error: disk: no option 'Admin'\n"
		   "x.conf:4:1: error: disk: no option 'User', it belongs into "
		   "<Server>\n"
		   "x.conf:6:1: error: disk: no option 'Prot' in <Server>, did "
		   "you mean 'Port'?\n"
		   "x.conf:7:1: error: disk: no option 'Uuser' in <Server>, "
		   "did you mean 'User'?\n"
		   "x.conf:8:1: error: disk: no option 'Admin' in <Server>, it "
		   "belongs into <User>\n"
		   "x.conf:10:1: error: disk: no option 'Interal', did you "
		   "mean 'Interval'?\n");
}

static void required(void **state)
{
	const struct option_source nothing = { 0 };

	(void)state;
	assert_false(fill_by(needs, ""));
	expect_problems(&problems, "x.conf: error: disk: 'Text' is missing\n"
				   "x.conf: error: disk: 'Name' is missing\n"
				   "x.conf: error: disk: 'Server' is missing\n");
	assert_true(fill_by(needs, "Text x\nName y\nServer z\n"));
	expect_problems(&problems, "");
	assert_false(option_fill(needs, &nothing, &self, &keep, &problems));
	expect_problems(&problems, "error: 'Text' is missing\n"
				   "error: 'Name' is missing\n"
				   "error: 'Server' is missing\n");
}

/* Is accepted, also with --strict, and both names are one option. */
static void older_names(void **state)
{
	(void)state;
	problems.strict = true;
	assert_true(fill_by(options, "whatever 7\n"));
	assert_int_equal(self.any, 7);
	assert_int_equal(problems.infos, 1);
	assert_int_equal(problems.warnings, 0);
	assert_int_equal(problems.items[0].level, MC_INFO);
	assert_string_equal(problems.items[0].text, "'whatever' is called 'Any' now");
}

static void given_twice(void **state)
{
	(void)state;
	assert_true(fill_by(options, "Port 1\nPort 2\nOn true\nOn true\n"
				     "Mode name\n\n  Mode uuid\n"));
	expect_problems(&problems, "x.conf:2:6: warning: disk: 'Port' is given again: "
				   "'2' replaces '1' of x.conf:1:6\n"
				   "x.conf:7:8: warning: disk: 'Mode' is given again: "
				   "'uuid' replaces 'name' of x.conf:5:6\n");
	assert_int_equal(self.port, 2);
	assert_int_equal(self.mode, 1);
}

static void merged_blocks(void **state)
{
	static const char *const skip[] = { "LoadPlugin", "Plugin", NULL };
	const struct conf_node *parents[] = {
		read_text("a.conf", "Port 1\nName a\nLoadPlugin cpu\n"),
		read_text("b.conf", "<plugin cpu>\n</plugin>\nName b\n"
				    "Port 2\nServer x\n"),
		read_text("c.conf", "Server y\nLoadPlugn x\n"),
	};
	const struct option_source source = { .parents = parents, .parents_len = 3, .skip = skip };

	(void)state;
	assert_false(option_fill(options, &source, &self, &keep, &problems));
	expect_problems(&problems, "b.conf:4:6: warning: 'Port' is given again: '2' "
				   "replaces '1' of a.conf:1:6\n"
				   "c.conf:2:1: error: no option 'LoadPlugn', did you "
				   "mean 'LoadPlugin'?\n");
	assert_int_equal(self.port, 2);
	assert_int_equal(self.names.len, 2);
	assert_string_equal(self.names.items[0], "a");
	assert_string_equal(self.names.items[1], "b");
	assert_int_equal(self.servers.len, 2);
	assert_string_equal(((struct server *)self.servers.items)[1].host, "y");
}

/* What was filled does not point into the tree. */
static void outlives_the_tree(void **state)
{
	(void)state;
	expect_good("Text hello\nName a\nServer z\n");
	arena_done(&arena);
	assert_string_equal(self.text, "hello");
	assert_string_equal(self.names.items[0], "a");
	assert_string_equal(((struct server *)self.servers.items)[0].host, "z");
}

static void suggestions(void **state)
{
	static const char *const plugins[] = { "cpu", "df", "interface", "memory" };

	(void)state;
	assert_string_equal(option_suggest("interfaces", plugins, 4), "interface");
	assert_string_equal(option_suggest("CPUS", plugins, 4), "cpu");
	assert_string_equal(option_suggest("memroy", plugins, 4), "memory");
	assert_null(option_suggest("apache", plugins, 4));
	assert_null(option_suggest("x", plugins, 4));
	assert_null(option_suggest("", plugins, 4));
	assert_string_equal(option_suggest_name("Intervall", options), "Interval");
	assert_null(option_suggest_name("Zzzz", options));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(presets),
		TEST(scalars),
		TEST(quoted_scalars),
		TEST(lists),
		TEST(blocks),
		TEST(configs_stand_as_they_are),
		TEST(numbers_as_booleans),
		TEST(odd_values),
		TEST(odd_counts),
		TEST(blocks_without_argument),
		TEST(wrong_form),
		TEST(wrong_values),
		TEST(wrong_form),
		TEST(unknown_options),
		TEST(required),
		TEST(given_twice),
		TEST(older_names),
		TEST(merged_blocks),
		TEST(outlives_the_tree),
		TEST(suggestions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
