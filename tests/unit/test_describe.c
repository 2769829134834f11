/* SPDX-License-Identifier: MIT */
#include "conf/describe/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/problem.h"
#include "conf/option.h"
#include "conf/parse.h"

struct server {
	const char *host;
	int64_t port;
	double max;
};

struct state {
	struct mc_select *disks;
	bool ignore;
	mc_time timeout;
	int format;
	const char *folder;
	struct mc_ints spans;
	struct mc_blocks servers;
	struct mc_configs modules;
};

static const struct mc_option server_options[] = {
	{ "", MC_OPT_STRING(struct server, host), .required = true, .help = "Where it listens.",
	  .sample = "db.example.org" },
	{ "Port", MC_OPT_INT(struct server, port), .min = 1, .max = 65535, .default_value = "25826",
	  .help = "Its UDP port." },
	{ 0 },
};

static const char *const formats[] = { "name", "uuid", NULL };

static const struct mc_option options[] = {
	{ "Disk", MC_OPT_SELECT(struct state, disks), .help = "Device to report." },
	{ "IgnoreSelected", MC_OPT_BOOL(struct state, ignore), .default_value = "false",
	  .help = "Reports all but the devices that are selected; this "
		  "sentence is long enough to be wrapped." },
	{ "Timeout", MC_OPT_TIME(struct state, timeout), .default_value = "2.5", .min = 0.1,
	  .max = 60, .help = "Longest wait, in seconds.", .sample = "5" },
	{ "Format", MC_OPT_WORD(struct state, format), .words = formats, .default_value = "name",
	  .help = "What a guest is called." },
	{ "Folder", MC_OPT_STRING(struct state, folder), .default_value = "/var/lib/\"x\"\\y",
	  .help = "Where files go." },
	{ "Span", MC_OPT_INTS(struct state, spans), .default_value = "3600 86400",
	  .help = "Lengths, in seconds." },
	{ "Server", MC_OPT_BLOCKS(struct state, servers), .sample = "",
	  .help = "Somebody to send to.",
	  .block = &(const struct mc_block){ sizeof(struct server), server_options } },
	{ "Module", MC_OPT_CONFIGS(struct state, modules), .sample = "spam",
	  .help = "Options of a module." },
	{ 0 },
};

static const char *const names[] = { "disk_octets", "strange", NULL };
static const struct mc_option no_options[] = { { 0 } };

static const struct mc_plugin plugin = {
	.api = MC_API,
	.name = "disk",
	.help = "Measures what block devices do.",
	.self_size = sizeof(struct state),
	.options = options,
	.types = names,
};

static const struct mc_plugin small = {
	.api = MC_API,
	.name = "load",
	.help = "Measures the load.",
	.options = no_options,
};

static struct mc_type *octets;

static const struct mc_type *find(void *argument, const char *name)
{
	(void)argument;
	return strcmp(name, "disk_octets") == 0 ? octets : NULL;
}

static const struct describe_types types = { .find = find };

static int make_type(void **state)
{
	const struct mc_source sources[] = {
		{ "read", MC_DERIVE, 0, NAN },
		{ "write", MC_DERIVE, 0, NAN },
		{ "share", MC_GAUGE, 0, 100 },
	};

	(void)state;
	octets = calloc(1, sizeof(*octets) + sizeof(sources));
	if (octets == NULL)
		return -1;
	octets->name = "disk_octets";
	octets->unit = "bytes/s";
	octets->help = "Bytes read and written.";
	octets->sources_len = 3;
	memcpy(octets->sources, sources, sizeof(sources));
	return 0;
}

static int free_type(void **state)
{
	(void)state;
	free(octets);
	return 0;
}

/* What a function wrote, compared and freed. */
struct output {
	char *text;
	size_t size;
	FILE *file;
};

static FILE *start(struct output *output)
{
	output->file = open_memstream(&output->text, &output->size);
	return output->file;
}

static void expect(struct output *output, const char *expected)
{
	fclose(output->file);
	assert_string_equal(output->text, expected);
	free(output->text);
}

static void text(void **state)
{
	struct output output;

	(void)state;
	describe_text(&plugin, &types, start(&output));
	expect(&output, "disk: Measures what block devices do.\n"
			"\n"
			"Options in <Plugin disk>:\n"
			"  Disk NAME|/REGEX/          Device to report. May be "
			"repeated.\n"
			"  IgnoreSelected true|false  Reports all but the devices that "
			"are selected; this\n"
			"                             sentence is long enough to be "
			"wrapped. Default:\n"
			"                             false.\n"
			"  Timeout SECONDS            Longest wait, in seconds. From "
			"0.1 to 60. Default:\n"
			"                             2.5.\n"
			"  Format name|uuid           What a guest is called. Can be "
			"'name' or 'uuid'.\n"
			"                             Default: name.\n"
			"  Folder TEXT                Where files go. Default: "
			"'/var/lib/\"x\"\\y'.\n"
			"  Span NUMBER...             Lengths, in seconds. Default: "
			"3600 86400. May be\n"
			"                             repeated.\n"
			"  <Server TEXT>              Somebody to send to. May be "
			"repeated.\n"
			"    (argument)               Where it listens. Required.\n"
			"    Port NUMBER              Its UDP port. From 1 to 65535. "
			"Default: 25826.\n"
			"  <Module NAME>              Options of a module. May be "
			"repeated.\n"
			"\n"
			"Types:\n"
			"  disk_octets  Bytes read and written. (read, write: DERIVE, 0 "
			"or more; share:\n"
			"               GAUGE, 0 to 100; in bytes/s)\n"
			"  strange\n");
	describe_text(&small, &types, start(&output));
	expect(&output, "load: Measures the load.\n");
	describe_text_options(server_options, start(&output));
	expect(&output, "  (argument)   Where it listens. Required.\n"
			"  Port NUMBER  Its UDP port. From 1 to 65535. "
			"Default: 25826.\n");
}

/* A preset that no file can say is not shown. */
static void no_preset(void **state)
{
	static const struct mc_option bound[] = {
		{ "Max", MC_OPT_NUMBER(struct server, max), .default_value = "nan",
		  .help = "The largest." },
		{ 0 },
	};
	struct output output;

	(void)state;
	describe_text_options(bound, start(&output));
	expect(&output, "  Max NUMBER  The largest.\n");
	describe_example_options(bound, start(&output));
	expect(&output, "# The largest.\n#Max NUMBER\n");
}

/* The options of a block that stands in several are shown once. */
static void repeated(void **state)
{
	static const struct mc_block servers = { sizeof(struct server), server_options };
	static const struct mc_option two[] = {
		{ "Server", MC_OPT_BLOCKS(struct state, servers), .block = &servers, .help = "A." },
		{ "Other", MC_OPT_BLOCKS(struct state, servers), .block = &servers, .help = "B." },
		{ 0 },
	};
	static const struct mc_plugin both = {
		.api = MC_API,
		.name = "both",
		.help = "Both.",
		.options = two,
	};
	struct output output;

	(void)state;
	describe_text_options(two, start(&output));
	expect(&output, "  <Server TEXT>  A. May be repeated.\n"
			"    (argument)   Where it listens. Required.\n"
			"    Port NUMBER  Its UDP port. From 1 to 65535. Default: "
			"25826.\n"
			"  <Other TEXT>   B. May be repeated. Options as in <Server> "
			"above.\n");
	describe_example_options(two, start(&output));
	expect(&output, "# A. May be repeated.\n"
			"#<Server \"db.example.org\">\n"
			"\t# Its UDP port. From 1 to 65535. Default: 25826.\n"
			"\t#Port 25826\n"
			"#</Server>\n"
			"# B. May be repeated. Options as in <Server> above.\n"
			"#<Other \"db.example.org\">\n"
			"#</Other>\n");
	describe_manual(&both, &types, NULL, start(&output));
	expect(&output, ".TH COLLECTOR\\-BOTH 5 \"\" collector \"Collector plugins\"\n"
			".SH NAME\n"
			"collector\\-both \\- Both\n"
			".SH SYNOPSIS\n"
			".EX\n"
			"LoadPlugin both\n"
			"<Plugin both>\n"
			"    <Server TEXT>\n"
			"        Port NUMBER\n"
			"    </Server>\n"
			"    <Other TEXT>\n"
			"        ...\n"
			"    </Other>\n"
			"</Plugin>\n"
			".EE\n"
			".SH DESCRIPTION\n"
			"Both.\n"
			".SH OPTIONS\n"
			".TP\n"
			"\\fB<Server\\fI TEXT\\fB>\\fR\n"
			"A.\n"
			"May be repeated.\n"
			".RS\n"
			".TP\n"
			"\\fI(argument)\\fR\n"
			"Where it listens.\n"
			"Required.\n"
			".TP\n"
			"\\fBPort\\fR \\fINUMBER\\fR\n"
			"Its UDP port.\n"
			"From 1 to 65535.\n"
			"Default: 25826.\n"
			".RE\n"
			".TP\n"
			"\\fB<Other\\fI TEXT\\fB>\\fR\n"
			"B.\n"
			"May be repeated.\n"
			"Options as in <Server> above.\n"
			".SH SEE ALSO\n"
			".BR collectorctl (1),\n"
			".BR collector.conf (5),\n"
			".BR collectord (8)\n");
}

static void example(void **state)
{
	struct output output;

	(void)state;
	describe_example(&plugin, true, start(&output));
	expect(&output, "# Measures what block devices do.\n"
			"LoadPlugin disk\n"
			"<Plugin disk>\n"
			"\t# Device to report. May be repeated.\n"
			"\t#Disk \"NAME|/REGEX/\"\n"
			"\t# Reports all but the devices that are selected; this "
			"sentence is long\n"
			"\t# enough to be wrapped. Default: false.\n"
			"\t#IgnoreSelected false\n"
			"\t# Longest wait, in seconds. From 0.1 to 60. Default: 2.5.\n"
			"\tTimeout 5\n"
			"\t# What a guest is called. Can be 'name' or 'uuid'. Default: "
			"name.\n"
			"\t#Format \"name\"\n"
			"\t# Where files go. Default: '/var/lib/\"x\"\\y'.\n"
			"\t#Folder \"/var/lib/\\\"x\\\"\\\\y\"\n"
			"\t# Lengths, in seconds. Default: 3600 86400. May be "
			"repeated.\n"
			"\t#Span 3600 86400\n"
			"\t# Somebody to send to. May be repeated.\n"
			"\t<Server \"db.example.org\">\n"
			"\t\t# Its UDP port. From 1 to 65535. Default: 25826.\n"
			"\t\t#Port 25826\n"
			"\t</Server>\n"
			"\t# Options of a module. May be repeated.\n"
			"\t<Module \"spam\">\n"
			"\t</Module>\n"
			"</Plugin>\n");
	describe_example(&small, true, start(&output));
	expect(&output, "# Measures the load.\nLoadPlugin load\n");
	describe_example(&small, false, start(&output));
	expect(&output, "# Measures the load.\n#LoadPlugin load\n");
	describe_example_options(server_options, start(&output));
	expect(&output, "# Its UDP port. From 1 to 65535. Default: 25826.\n"
			"#Port 25826\n");
}

static void example_not_loaded(void **state)
{
	struct output output;

	(void)state;
	describe_example(&plugin, false, start(&output));
	expect(&output, "# Measures what block devices do.\n"
			"#LoadPlugin disk\n"
			"#<Plugin disk>\n"
			"#\t# Device to report. May be repeated.\n"
			"#\t#Disk \"NAME|/REGEX/\"\n"
			"#\t# Reports all but the devices that are selected; this "
			"sentence is long\n"
			"#\t# enough to be wrapped. Default: false.\n"
			"#\t#IgnoreSelected false\n"
			"#\t# Longest wait, in seconds. From 0.1 to 60. Default: 2.5.\n"
			"#\tTimeout 5\n"
			"#\t# What a guest is called. Can be 'name' or 'uuid'. Default: "
			"name.\n"
			"#\t#Format \"name\"\n"
			"#\t# Where files go. Default: '/var/lib/\"x\"\\y'.\n"
			"#\t#Folder \"/var/lib/\\\"x\\\"\\\\y\"\n"
			"#\t# Lengths, in seconds. Default: 3600 86400. May be "
			"repeated.\n"
			"#\t#Span 3600 86400\n"
			"#\t# Somebody to send to. May be repeated.\n"
			"#\t<Server \"db.example.org\">\n"
			"#\t\t# Its UDP port. From 1 to 65535. Default: 25826.\n"
			"#\t\t#Port 25826\n"
			"#\t</Server>\n"
			"#\t# Options of a module. May be repeated.\n"
			"#\t<Module \"spam\">\n"
			"#\t</Module>\n"
			"#</Plugin>\n");
}

/* Takes away every '#' in front of a name, then reads the file by the tables
 * that it was made from: nothing is wrong, and all is as preset or sampled. */
static void example_is_accepted(void **state)
{
	struct state self = { 0 };
	struct problems problems;
	struct arena arena;
	struct conf_keep keep;
	struct output output;
	struct option_source source = { .parents_len = 1 };
	const struct conf_node *root, *parent;

	(void)state;
	problem_init(&problems);
	arena_init(&arena, 1024);
	option_init(&keep);
	describe_example(&plugin, true, start(&output));
	fclose(output.file);
	for (char *c = output.text; (c = strchr(c, '#')) != NULL; c++) {
		if (c[1] != ' ')
			*c = '\t';
	}
	root = conf_parse(output.text, output.size, "x", &problems, &arena);
	assert_int_equal(root->children_len, 2);
	parent = root->children[1];
	source.parents = &parent;
	assert_true(option_fill(options, &source, &self, &keep, &problems));
	assert_int_equal(problems.len, 0);
	assert_true(mc_selected(self.disks, false, "NAME|/REGEX/"));
	assert_false(self.ignore);
	assert_int_equal(self.timeout, 5 * MC_SECOND);
	assert_int_equal(self.format, 0);
	assert_string_equal(self.folder, "/var/lib/\"x\"\\y");
	assert_int_equal(self.spans.items[1], 86400);
	assert_string_equal(((struct server *)self.servers.items)->host, "db.example.org");
	assert_int_equal(((struct server *)self.servers.items)->port, 25826);
	free(output.text);
	option_release(&keep);
	arena_done(&arena);
	problem_done(&problems);
}

static void manual(void **state)
{
	static const char prose[] = "First paragraph with\n"
				    ".dot and 'quotes' - dashes. Second "
				    "sentence.\n\n"
				    "  verbatim\n    .deeper\n  .dot\n\nLast.\n";
	struct output output;

	(void)state;
	describe_manual(&plugin, &types, prose, start(&output));
	expect(&output, ".TH COLLECTOR\\-DISK 5 \"\" collector \"Collector plugins\"\n"
			".SH NAME\n"
			"collector\\-disk \\- Measures what block devices do\n"
			".SH SYNOPSIS\n"
			".EX\n"
			"LoadPlugin disk\n"
			"<Plugin disk>\n"
			"    Disk NAME|/REGEX/\n"
			"    IgnoreSelected true|false\n"
			"    Timeout SECONDS\n"
			"    Format name|uuid\n"
			"    Folder TEXT\n"
			"    Span NUMBER...\n"
			"    <Server TEXT>\n"
			"        Port NUMBER\n"
			"    </Server>\n"
			"    <Module NAME>\n"
			"    </Module>\n"
			"</Plugin>\n"
			".EE\n"
			".SH DESCRIPTION\n"
			"Measures what block devices do.\n"
			".PP\n"
			"First paragraph with .dot and \\(aqquotes\\(aq \\- dashes.\n"
			"Second sentence.\n"
			".PP\n"
			".RS 4\n"
			".EX\n"
			"verbatim\n"
			"  .deeper\n"
			"\\&.dot\n"
			".EE\n"
			".RE\n"
			".PP\n"
			"Last.\n"
			".SH OPTIONS\n"
			".TP\n"
			"\\fBDisk\\fR \\fINAME|/REGEX/\\fR\n"
			"Device to report.\n"
			"May be repeated.\n"
			".TP\n"
			"\\fBIgnoreSelected\\fR \\fItrue|false\\fR\n"
			"Reports all but the devices that are selected; this sentence "
			"is long\n"
			"enough to be wrapped.\n"
			"Default: false.\n"
			".TP\n"
			"\\fBTimeout\\fR \\fISECONDS\\fR\n"
			"Longest wait, in seconds.\n"
			"From 0.1 to 60.\n"
			"Default: 2.5.\n"
			".TP\n"
			"\\fBFormat\\fR \\fIname|uuid\\fR\n"
			"What a guest is called.\n"
			"Can be \\(aqname\\(aq or \\(aquuid\\(aq.\n"
			"Default: name.\n"
			".TP\n"
			"\\fBFolder\\fR \\fITEXT\\fR\n"
			"Where files go.\n"
			"Default: \\(aq/var/lib/\\(dqx\\(dq\\ey\\(aq.\n"
			".TP\n"
			"\\fBSpan\\fR \\fINUMBER...\\fR\n"
			"Lengths, in seconds.\n"
			"Default: 3600 86400.\n"
			"May be repeated.\n"
			".TP\n"
			"\\fB<Server\\fI TEXT\\fB>\\fR\n"
			"Somebody to send to.\n"
			"May be repeated.\n"
			".RS\n"
			".TP\n"
			"\\fI(argument)\\fR\n"
			"Where it listens.\n"
			"Required.\n"
			".TP\n"
			"\\fBPort\\fR \\fINUMBER\\fR\n"
			"Its UDP port.\n"
			"From 1 to 65535.\n"
			"Default: 25826.\n"
			".RE\n"
			".TP\n"
			"\\fB<Module\\fI NAME\\fB>\\fR\n"
			"Options of a module.\n"
			"May be repeated.\n"
			".SH TYPES\n"
			".TP\n"
			"\\fBdisk_octets\\fR (bytes/s)\n"
			"Bytes read and written.\n"
			".br\n"
			"read, write: DERIVE, 0 or more; share: GAUGE, 0 to 100\n"
			".TP\n"
			"\\fBstrange\\fR\n"
			".SH SEE ALSO\n"
			".BR collectorctl (1),\n"
			".BR collector.conf (5),\n"
			".BR collectord (8)\n");
	describe_manual(&small, &types, NULL, start(&output));
	expect(&output, ".TH COLLECTOR\\-LOAD 5 \"\" collector \"Collector plugins\"\n"
			".SH NAME\n"
			"collector\\-load \\- Measures the load\n"
			".SH SYNOPSIS\n"
			".EX\n"
			"LoadPlugin load\n"
			".EE\n"
			".SH DESCRIPTION\n"
			"Measures the load.\n"
			".SH SEE ALSO\n"
			".BR collectorctl (1),\n"
			".BR collector.conf (5),\n"
			".BR collectord (8)\n");
}

/* Characters that roff would take for something else. */
static void manual_escapes(void **state)
{
	struct output output;

	(void)state;
	describe_manual_prose(".a \\d `b` ^~ \"-1\"\n\n\n'c'\n", start(&output));
	expect(&output, ".PP\n"
			"\\&.a \\ed \\(gab\\(ga \\(ha\\(ti \\(dq\\-1\\(dq\n"
			".PP\n"
			"\\(aqc\\(aq\n");
	describe_manual_prose("", start(&output));
	expect(&output, "");
}

/* A line alone that is not a sentence. */
static void manual_headings(void **state)
{
	struct output output;

	(void)state;
	describe_manual_prose("Who may send\n\nAll.\n\nOf two\nlines\n\nSo:\n\n"
			      "  x\n\nLast\n",
			      start(&output));
	expect(&output, ".SS Who may send\nAll.\n.PP\nOf two lines\n"
			".PP\nSo:\n.PP\n.RS 4\n.EX\nx\n.EE\n.RE\n"
			".PP\nLast\n");
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text),    TEST(no_preset),          TEST(repeated),
		TEST(example), TEST(example_not_loaded), TEST(example_is_accepted),
		TEST(manual),  TEST(manual_escapes),     TEST(manual_headings),
	};

	return cmocka_run_group_tests(tests, make_type, free_type);
}
