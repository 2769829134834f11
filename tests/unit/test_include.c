/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* nftw() */
#include "conf/include.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "problems.h"

static struct problems problems;
static struct timed_calls *calls;
static char folder[64];
static int back; /* To the folder the program was started in. */

static int start(void **state)
{
	(void)state;
	problem_init(&problems);
	calls = timed_calls_new();
	snprintf(folder, sizeof(folder), "/tmp/test_include.XXXXXX");
	back = open(".", O_RDONLY | O_DIRECTORY);
	return back < 0 || mkdtemp(folder) == NULL || chdir(folder) < 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static int stop(void **state)
{
	(void)state;
	problem_done(&problems);
	timed_calls_free(calls);
	if (fchdir(back) < 0)
		return -1;
	close(back);
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

/* Loads "main.conf" and compares the names at its top, and the problems. */
static void expect(const char *text, const char *names, const char *expected)
{
	struct conf_tree *tree;
	char all[8192] = "";

	file("main.conf", text);
	tree = conf_load("main.conf", calls, &problems);
	assert_non_null(tree);
	for (size_t i = 0; i < tree->root->children_len; i++) {
		size_t used = strlen(all);

		snprintf(all + used, sizeof(all) - used, "%s%s", used > 0 ? " " : "",
			 tree->root->children[i]->name);
	}
	conf_free(tree);
	expect_problems(&problems, expected);
	assert_string_equal(all, names);
}

static void one_file(void **state)
{
	struct conf_tree *tree;

	(void)state;
	file("a.conf", "A 1\n<B>\nC 1\n</B>");
	expect("X 1\nInclude \"a.conf\"\nY 1\ninclude \"./a.conf\"\n", "X A B Y A B", "");
	file("main.conf", "Include \"a.conf\"\n");
	tree = conf_load("main.conf", calls, &problems);
	assert_string_equal(tree->root->children[1]->place.file, "a.conf");
	assert_int_equal(tree->root->children[1]->place.line, 2);
	assert_int_equal(tree->root->children[1]->children_len, 1);
	conf_free(tree);
}

static void make_folder(void)
{
	mkdir("d", 0755);
	mkdir("d/sub", 0755);
	mkdir("d/sub/.hidden", 0755);
	mkdir("d/Dir", 0755);
	file("d/b.conf", "B 1\n");
	file("d/a.conf", "A 1\n");
	file("d/a.txt", "ATXT 1\n");
	file("d/B.txt", "BTXT 1\n");
	file("d/.dot.conf", "DOT 1\n");
	file("d/sub/c.conf", "SUBC 1\n");
	file("d/sub/.hidden/x.conf", "HIDDEN 1\n");
	file("d/Dir/z.conf", "DIRZ 1\n");
}

/* The orders are those of collectd 5.12. */
static void folders(void **state)
{
	(void)state;
	make_folder();
	expect("Include \"d\"\n", "BTXT DIRZ A ATXT B SUBC", "");
	expect("Include \"d/\"\n", "BTXT DIRZ A ATXT B SUBC", "");
	expect("<Include \"d\" >\n Filter \"*.conf\"\n</Include>\n", "DIRZ A B SUBC", "");
	expect("Include \"d/*\"\n", "BTXT DIRZ A ATXT B SUBC", "");
	expect("Include \"d/*.conf\"\n", "A B", "");
	expect("<Include \"d/a.*\">\nfilter \"*.txt\"\n</Include>\n", "ATXT", "");
	expect("<Include \"d/a.conf\">\nFilter \"z*\"\n</Include>\n", "", "");
	mkdir("empty", 0755);
	expect("Include \"empty\"\n", "", "");
}

static void literal_names(void **state)
{
	(void)state;
	file("with blank.conf", "A 1\n");
	file("[x].conf", "B 1\n");
	expect("Include \"with blank.conf\"\nInclude \"[x].conf\"\n", "A B", "");
}

static void home(void **state)
{
	const char *before = getenv("HOME");
	char old[256] = "";

	(void)state;
	snprintf(old, sizeof(old), "%s", before != NULL ? before : "");
	setenv("HOME", folder, 1);
	file("a.conf", "A 1\n");
	expect("Include \"~/a.conf\"\n", "A", "");
	setenv("HOME", old, 1);
}

static void missing(void **state)
{
	(void)state;
	expect("A 1\n  Include \"none.conf\"\nInclude \"none/*.conf\"\nB 1\n", "A B",
	       "main.conf:2:3: warning: there is no 'none.conf' to include\n"
	       "main.conf:3:1: warning: no file matches 'none/*.conf'\n");
	assert_null(conf_load("none.conf", calls, &problems));
	expect_problems(&problems, "error: cannot read 'none.conf': No such "
				   "file or directory\n");
	assert_null(conf_load(".", calls, &problems));
	expect_problems(&problems, "error: cannot read '.': Is a directory\n");
}

static void wrong_statements(void **state)
{
	(void)state;
	file("a.conf", "A 1\n");
	expect("Include \"a.conf\" \"a.conf\"\n<Include>\n</Include>\n"
	       "<Include \"a.conf\">\nFilters \"*\"\n</Include>\n"
	       "<Include \"a.conf\">\nFilter \"a*\" \"b*\"\n</Include>\n"
	       "Include \"/dev/null\"\n",
	       "A A",
	       "main.conf:1:1: warning: 'Include' takes one value, not 2: "
	       "nothing is included\n"
	       "main.conf:2:1: warning: 'Include' takes one value, not 0: "
	       "nothing is included\n"
	       "main.conf:5:1: warning: no option 'Filters' in <Include>, only "
	       "'Filter'\n"
	       "main.conf:8:1: warning: 'Filter' takes one value, not 2: all "
	       "files are included\n"
	       "main.conf:10:1: warning: '/dev/null' is neither a file nor a "
	       "folder\n");
}

static void errors_of_all_files(void **state)
{
	(void)state;
	file("a.conf", "A x.y\n<B>\n");
	expect("C x.y\nInclude \"a.conf\"\nD 1\n", "B D",
	       "main.conf:1:3: error: 'x.y' must be in quotes: \"x.y\"\n"
	       "a.conf:1:3: error: 'x.y' must be in quotes: \"x.y\"\n"
	       "a.conf:2:1: error: '<B>' is never closed\n");
}

/* collectd leaves an Include inside a block to the plugin. */
static void inside_blocks(void **state)
{
	struct conf_tree *tree;

	(void)state;
	file("a.conf", "A 1\n");
	file("main.conf", "<B>\nInclude \"a.conf\"\n</B>\n");
	tree = conf_load("main.conf", calls, &problems);
	expect_problems(&problems, "");
	assert_string_equal(tree->root->children[0]->children[0]->name, "Include");
	conf_free(tree);
}

static void cycles(void **state)
{
	(void)state;
	expect("A 1\nInclude \"main.conf\"\nB 1\n", "A B",
	       "main.conf:2:1: error: 'main.conf' includes itself\n");
	file("a.conf", "A 1\nInclude \"b.conf\"\n");
	file("b.conf", "B 1\nInclude \"a.conf\"\n");
	expect("Include \"a.conf\"\n", "A B", "b.conf:2:1: error: 'a.conf' includes itself\n");
	mkdir("d", 0755);
	file("d/a.conf", "D 1\n");
	assert_int_equal(symlink("../d", "d/loop"), 0);
	expect("Include \"d\"\n", "D", "main.conf:1:1: error: 'd/loop' includes itself\n");
}

static void depth(void **state)
{
	(void)state;
	for (int i = 1; i < 9; i++) {
		char name[32], text[64];

		snprintf(name, sizeof(name), "%d.conf", i);
		snprintf(text, sizeof(text), "A%d 1\nInclude \"%d.conf\"\n", i, i + 1);
		file(name, text);
	}
	file("9.conf", "A9 1\n");
	expect("Include \"1.conf\"\n", "A1 A2 A3 A4 A5 A6 A7 A8",
	       "8.conf:2:1: error: files are included deeper than 8 levels\n");
	expect("Include \"2.conf\"\n", "A2 A3 A4 A5 A6 A7 A8 A9", "");
}

static void large_files(void **state)
{
	FILE *out;

	(void)state;
	out = fopen("a.conf", "w");
	assert_non_null(out);
	for (int i = 0; i < 10000; i++)
		fprintf(out, "# %d\n", i);
	fprintf(out, "A 1\n");
	fclose(out);
	expect("Include \"a.conf\"\nB 1\n", "A B", "");
	assert_int_equal(truncate("a.conf", CONF_SIZE_MAX + 1), 0);
	expect("Include \"a.conf\"\nB 1\n", "B", "a.conf: error: the file is larger than 16 MiB\n");
}

/* Few files can include each other very often. */
static void many_files(void **state)
{
	(void)state;
	mkdir("outer", 0755);
	mkdir("inner", 0755);
	for (int i = 0; i < 101; i++) {
		char name[32];

		snprintf(name, sizeof(name), "outer/%d", i);
		file(name, "Include \"inner\"\n");
		snprintf(name, sizeof(name), "inner/%d", i);
		file(name, "");
	}
	expect("Include \"outer\"\nA 1\n", "A",
	       "outer/97:1:1: error: more than 10000 files are included\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_file),
		TEST(folders),
		TEST(literal_names),
		TEST(home),
		TEST(missing),
		TEST(wrong_statements),
		TEST(errors_of_all_files),
		TEST(inside_blocks),
		TEST(cycles),
		TEST(depth),
		TEST(large_files),
		TEST(many_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
