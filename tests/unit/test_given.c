/* SPDX-License-Identifier: MIT */
#include "conf/given.h"

#include "problems.h"

struct server {
	const char *host, *key;
};

struct state {
	const char *folder, *user;
	struct mc_strings files;
	struct mc_blocks servers;
	struct mc_configs modules;
};

static const struct mc_option server_options[] = {
	{ "", MC_OPT_STRING(struct server, host), .help = "A." },
	{ "Key", MC_OPT_STRING(struct server, key), .help = "A." },
	{ 0 },
};

static const struct mc_option options[] = {
	{ "Folder", MC_OPT_STRING(struct state, folder), .default_value = "/a" },
	{ "User", MC_OPT_STRING(struct state, user), .help = "A." },
	{ "File", MC_OPT_STRINGS(struct state, files), .default_value = "x" },
	{ "Server", MC_OPT_BLOCKS(struct state, servers),
	  .block = &(const struct mc_block){ sizeof(struct server), server_options } },
	{ "Module", MC_OPT_CONFIGS(struct state, modules), .help = "A." },
	{ 0 },
};

static struct arena arena;
static struct conf_keep keep;
static struct problems problems;
static struct state self;

/* As if a <Plugin> block held this text. */
static void fill(const char *text)
{
	const struct conf_node *root;

	root = conf_parse(text, strlen(text), "f", &problems, &arena);
	self = (struct state){ 0 };
	assert_true(option_fill(
		options,
		&(struct option_source){ .parents = (const struct conf_node *const *)root->children,
					 .parents_len = 1 },
		&self, &keep, &problems));
}

/* "TITLE VALUE@LINE:COLUMN" */
static void expect(const void *field, const char *expected)
{
	struct given given;
	char title[80], text[200];

	assert_true(given_find(&keep, field, &given));
	snprintf(text, sizeof(text), "%s %s@%u:%u", given_title(&given, title, sizeof(title)),
		 given.value != NULL ? given.value : "-", given.place.line, given.place.column);
	assert_string_equal(text, expected);
}

static void test_values(void **state)
{
	(void)state;
	fill("<Plugin p>\n"
	     "  Folder /b\n"
	     "  Folder \"/b\"\n"
	     "  File c d\n"
	     "  File e\n"
	     "</Plugin>\n");
	expect(&self.folder, "Folder /b@3:10");
	expect(&self.files.items[0], "File c@4:8");
	expect(&self.files.items[1], "File d@4:10");
	expect(&self.files.items[2], "File e@5:8");
}

static void test_blocks(void **state)
{
	struct server *servers;

	(void)state;
	fill("<Plugin p>\n"
	     "  <Server one>\n"
	     "    Key k\n"
	     "  </Server>\n"
	     "  <Server two>\n"
	     "  </Server>\n"
	     "  <Module m>\n"
	     "  </Module>\n"
	     "</Plugin>\n");
	servers = self.servers.items;
	expect(&servers[0].host, "<Server> one@2:11");
	expect(&servers[0].key, "Key k@3:9");
	expect(&servers[1].key, "Key -@5:3");
	expect(&servers[1].host, "<Server> two@5:11");
	expect(&self.modules.items[0], "Module m@7:11");
}

/* What is not in the file is where it would be. */
static void test_presets(void **state)
{
	struct given given;
	int nothing;

	(void)state;
	fill("\n<Plugin p>\n</Plugin>\n");
	expect(&self.folder, "Folder -@2:1");
	expect(&self.user, "User -@2:1");
	expect(&self.files, "File -@2:1");
	assert_false(given_find(&keep, &self.files.items[0], &given));
	assert_false(given_find(&keep, &nothing, &given));
}

static int start(void **state)
{
	(void)state;
	arena_init(&arena, 256);
	option_init(&keep);
	problem_init(&problems);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_values, start, stop),
		cmocka_unit_test_setup_teardown(test_blocks, start, stop),
		cmocka_unit_test_setup_teardown(test_presets, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
