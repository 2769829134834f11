/* SPDX-License-Identifier: MIT */
#include "conf/parse.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "problems.h"

static struct problems problems;
static struct arena arena;
static char *shown;

static int start(void **state)
{
	(void)state;
	problem_init(&problems);
	arena_init(&arena, 1024);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	problem_done(&problems);
	arena_done(&arena);
	free(shown);
	shown = NULL;
	return 0;
}

/* One line per node: name, values, ("quoted", bare), children in {}. */
static void show(const struct conf_node *node, FILE *out)
{
	fprintf(out, "%s", node->name);
	for (size_t i = 0; i < node->values_len; i++)
		fprintf(out, node->values[i].quoted ? " \"%s\"" : " %s", node->values[i].text);
	if (node->block) {
		fprintf(out, "{");
		for (size_t i = 0; i < node->children_len; i++)
			show(node->children[i], out);
		fprintf(out, "}");
	}
	fprintf(out, ";");
}

static const struct conf_node *read_text(const char *text)
{
	const struct conf_node *root = conf_parse(text, strlen(text), "x.conf", &problems, &arena);
	size_t size;
	FILE *out;

	free(shown);
	out = open_memstream(&shown, &size);
	for (size_t i = 0; i < root->children_len; i++)
		show(root->children[i], out);
	fclose(out);
	return root;
}

/* 'text' is read without any problem, as 'tree'. */
static void expect_tree(const char *text, const char *tree)
{
	read_text(text);
	expect_problems(&problems, "");
	assert_string_equal(shown, tree);
}

/* 'text' is read with these problems; 'tree' is what is left. */
static void expect_trouble(const char *text, const char *tree, const char *expected)
{
	read_text(text);
	expect_problems(&problems, expected);
	assert_string_equal(shown, tree);
}

static void words(void **state)
{
	(void)state;
	expect_tree("", "");
	expect_tree("LoadPlugin cpu", "LoadPlugin cpu;");
	expect_tree("\n \t\n# comment\nA 1\n\n", "A 1;");
	expect_tree("A b_C9 1true 08\n", "A b_C9 1true 08;");
	expect_tree("D 1 010 0x1f 1.5 -3 +4 -1.5e+3 .5 1e3\n",
		    "D 1 010 0x1f 1.5 -3 +4 -1.5e+3 .5 1e3;");
	expect_tree("A\tb \t c  \n", "A b c;");
	expect_tree("A x#comment\nB y # z\n", "A x;B y;");
	expect_tree("A\"x\"\n", "A \"x\";");
	expect_tree("URL_978 \"http://localhost/\"\n", "URL_978 \"http://localhost/\";");
}

static void addresses(void **state)
{
	(void)state;
	expect_tree("F 127.0.0.1 10.0.0.1:25826 ::1 fe80::1 [::1]:80 [::1] "
		    "ff18::efc0:4a42\n",
		    "F 127.0.0.1 10.0.0.1:25826 ::1 fe80::1 [::1]:80 [::1] "
		    "ff18::efc0:4a42;");
	expect_tree("<Listen 127.0.0.1>\n</Listen>\n", "Listen 127.0.0.1{};");
	expect_trouble("A 256.0.0.1\nA 10.0.0.1:70000\nA [::g]:80\nA [::1]80\n", "",
		       "x.conf:1:3: error: '256.0.0.1' must be in quotes: "
		       "\"256.0.0.1\"\n"
		       "x.conf:2:3: error: '10.0.0.1:70000' must be in quotes: "
		       "\"10.0.0.1:70000\"\n"
		       "x.conf:3:3: error: '[::g]:80' must be in quotes: "
		       "\"[::g]:80\"\n"
		       "x.conf:4:3: error: '[::1]80' must be in quotes: "
		       "\"[::1]80\"\n");
}

static void readings(void **state)
{
	const struct conf_node *node = read_text("B 7 \"0660\" True \"off\" x\n")->children[0];

	(void)state;
	assert_string_equal(node->name, "B");
	assert_int_equal(node->values_len, 5);
	assert_true(node->values[0].is_number);
	assert_true(node->values[0].number == 7);
	assert_false(node->values[0].quoted);
	assert_true(node->values[1].is_number);
	assert_true(node->values[1].number == 432);
	assert_true(node->values[1].quoted);
	assert_false(node->values[1].is_boolean);
	assert_true(node->values[2].is_boolean && node->values[2].boolean);
	assert_true(node->values[3].is_boolean && !node->values[3].boolean);
	assert_false(node->values[4].is_boolean || node->values[4].is_number);
}

static void places(void **state)
{
	const struct conf_node *root = read_text("\n  <A b>\n\tB \"x\" \\\n  y\n</A>\n");
	const struct conf_node *a = root->children[0], *b = a->children[0];

	(void)state;
	assert_string_equal(a->place.file, "x.conf");
	assert_int_equal(a->place.line, 2);
	assert_int_equal(a->place.column, 3);
	assert_int_equal(a->values[0].place.column, 6);
	assert_int_equal(b->place.line, 3);
	assert_int_equal(b->place.column, 2);
	assert_int_equal(b->values[0].place.line, 3);
	assert_int_equal(b->values[0].place.column, 4);
	assert_int_equal(b->values[1].place.line, 4);
	assert_int_equal(b->values[1].place.column, 3);
}

/* Each of these is what collectd 5.12 hands to a plugin. */
static void quotes(void **state)
{
	(void)state;
	expect_tree("A \"a\\\\b\" \"q\\\"q\" \"\" \"#no <x> = , '\"\n",
		    "A \"a\\b\" \"q\"q\" \"\" \"#no <x> = , '\";");
	expect_tree("B \"one \\\n     two \\\n\tthree\" x\n", "B \"one two three\" x;");
	expect_tree("B \"one\\\ntwo\"\n", "B \"onetwo\";");
	expect_tree("G \"raw\n   newline\"\nH 1\n", "G \"raw\n   newline\";H 1;");
	expect_tree("R \"([0-9a-fA-F:\\\\.]*): (?P<name>$1)\"\n",
		    "R \"([0-9a-fA-F:\\.]*): (?P<name>$1)\";");
	expect_tree("U \"\xc3\xa4\xff\"\n", "U \"\xc3\xa4\xff\";");
}

/* A backslash that protects nothing goes, as in collectd, but not silently. */
static void lone_backslashes(void **state)
{
	(void)state;
	expect_trouble("Disk \"/^loop\\d+\\w$/\"\n", "Disk \"/^loopd+w$/\";",
		       "x.conf:1:13: warning: '\\d' in quotes means 'd': for a "
		       "backslash, write '\\\\'\n");
	expect_trouble("H \"blanks \\  \n   next\"\n", "H \"blanks   \n   next\";",
		       "x.conf:1:11: warning: blanks after the '\\': the line is not "
		       "continued, the newline belongs to the value\n");
	expect_trouble("A x\\y\nB 1 \\ \nC 1\n", "C 1;",
		       "x.conf:1:4: error: '\\' outside of quotes continues a "
		       "line only as its last character\n"
		       "x.conf:2:5: error: '\\' outside of quotes continues a "
		       "line only as its last character\n");
}

static void continued_lines(void **state)
{
	(void)state;
	expect_tree("C a \\\n  b\nD 1\n", "C a b;D 1;");
	expect_tree("C \\\n\\\n  b", "C b;");
	expect_tree("# comment \\\nA 1\n", "A 1;");
	expect_tree("<A \\\n b>\n</A>\n", "A b{};");
}

static void line_ends(void **state)
{
	(void)state;
	expect_tree("A 1\r\n<B \"x\">\r\n</B>\r\nC a \\\r\n b\r\n", "A 1;B \"x\"{};C a b;");
	expect_tree("D \"x \\\r\n  y\"\r\nE \"r\r\n w\"\r\n", "D \"x y\";E \"r\n w\";");
	expect_tree("\xef\xbb\xbf"
		    "A 1",
		    "A 1;");
}

static void blocks(void **state)
{
	(void)state;
	expect_tree("<Plugin cpu>\n</Plugin>\n", "Plugin cpu{};");
	expect_tree("<Plugin \"disk\" >\n# nothing\n</Plugin>#x\n", "Plugin \"disk\"{};");
	expect_tree("<Aggregation>\n A 1\n</aggregation>\n", "Aggregation{A 1;};");
	expect_tree("< S a >\n</ S >\n", "S a{};");
	expect_tree("<A>\n<B 1 \"2\">\nC 1\n</B>\n<B>\n</B>\nD 1\n</A>\nE 1\n",
		    "A{B 1 \"2\"{C 1;};B{};D 1;};E 1;");
	expect_tree("<Plugin perl>\n<Plugin \"X\">\nLoadPlugin y\n"
		    "</Plugin>\n</Plugin>\n",
		    "Plugin perl{Plugin \"X\"{LoadPlugin y;};};");
}

static void block_errors(void **state)
{
	(void)state;
	expect_trouble("<Plugin memory>\nA 1\n", "Plugin memory{A 1;};",
		       "x.conf:1:1: error: '<Plugin memory>' is never closed\n");
	expect_trouble("</A>\nB 1\n", "B 1;", "x.conf:1:1: error: '</A>' closes nothing\n");
	expect_trouble("<A>\n</B>\nC 1\n", "A{};C 1;",
		       "x.conf:2:1: error: '</B>' where '</A>' is expected: "
		       "'<A>' was opened in line 1\n");
	expect_trouble("<A>\n<B>\nC 1\n</A>\nD 1\n", "A{B{C 1;};};D 1;",
		       "x.conf:2:1: error: '<B>' is not closed before '</A>' "
		       "in line 4\n");
	expect_trouble("<A x\nB 1\n</A\nC 1\n", "A x{B 1;};C 1;",
		       "x.conf:1:5: error: '>' is missing\n"
		       "x.conf:3:4: error: '>' is missing\n");
	expect_trouble("<A> B 1\n</A> C 1\nD 1\n", "A{};D 1;",
		       "x.conf:1:5: error: nothing may follow '>' on its "
		       "line\n"
		       "x.conf:2:6: error: nothing may follow '>' on its "
		       "line\n");
	expect_trouble("<A-b x>\nC d.e\n</A-b>\nD 1\n", "D 1;",
		       "x.conf:1:2: error: 'A-b' is not a name: only letters, "
		       "digits and '_' are\n"
		       "x.conf:2:3: error: 'd.e' must be in quotes: \"d.e\"\n");
	expect_trouble("<>\nD 1\n", "D 1;", "x.conf:1:2: error: '>' where a name is expected\n");
	expect_trouble("<A x.y>\nB 1\n</A>\n", "A{B 1;};",
		       "x.conf:1:4: error: 'x.y' must be in quotes: \"x.y\"\n");
}

static void strays(void **state)
{
	(void)state;
	expect_trouble("ReportByState = true\n", "ReportByState true;",
		       "x.conf:1:15: warning: '=' is ignored: write "
		       "'ReportByState VALUE'\n");
	expect_trouble("<Server \"localhost\", \"25826\">\n</Server>\n",
		       "Server \"localhost\" \"25826\"{};",
		       "x.conf:1:20: warning: ',' is ignored: values are "
		       "separated by blanks\n");
	expect_trouble("A x=y\nB , 1\nC <x>\nD 1\n", "D 1;",
		       "x.conf:1:4: error: '=' in a value: put the value in "
		       "quotes\n"
		       "x.conf:2:3: error: ',' in a value: put the value in "
		       "quotes\n"
		       "x.conf:3:3: error: '<' in a value: put the value in "
		       "quotes\n");
	expect_trouble("Interval {{ X }}\nDataDir /var/lib\n", "",
		       "x.conf:1:10: error: '{{' must be in quotes: \"{{\"\n"
		       "x.conf:2:9: error: '/var/lib' must be in quotes: "
		       "\"/var/lib\"\n");
	expect_trouble("Interval\nInterval #...\n\"A\" 1\n> 1\nx-y 1\n", "",
		       "x.conf:1:1: error: option 'Interval' has no value\n"
		       "x.conf:2:1: error: option 'Interval' has no value\n"
		       "x.conf:3:1: error: '\"' where a name is expected\n"
		       "x.conf:4:1: error: '>' where a name is expected\n"
		       "x.conf:5:1: error: 'x-y' is not a name: only letters, "
		       "digits and '_' are\n");
}

/* What collectd 5.12 makes of these is the same. */
static void strays_around_a_value(void **state)
{
	(void)state;
	expect_trouble("Include [\"a\", \"b\"]\nPorts [10, 20]\n",
		       "Include \"a\" \"b\";Ports 10 20;",
		       "x.conf:1:9: warning: '[' is ignored\n"
		       "x.conf:1:13: warning: ',' is ignored: values are separated by blanks\n"
		       "x.conf:1:18: warning: ']' is ignored\n"
		       "x.conf:2:7: warning: '[10' is read as '10': to keep all of it, write "
		       "\"[10\"\n"
		       "x.conf:2:10: warning: ',' is ignored: values are separated by blanks\n"
		       "x.conf:2:12: warning: '20]' is read as '20': to keep all of it, write "
		       "\"20]\"\n");
	expect_trouble("Flag 'False'\nPart 50%\nHome $HOME\nLike ^x$\nAt [::1\n",
		       "Flag False;Part 50;Home HOME;Like x;At ::1;",
		       "x.conf:1:6: warning: ''False'' is read as 'False': to keep all of it, "
		       "write \"'False'\"\n"
		       "x.conf:2:6: warning: '50%' is read as '50': to keep all of it, write "
		       "\"50%\"\n"
		       "x.conf:3:6: warning: '$HOME' is read as 'HOME': to keep all of it, write "
		       "\"$HOME\"\n"
		       "x.conf:4:6: warning: '^x$' is read as 'x': to keep all of it, write "
		       "\"^x$\"\n"
		       "x.conf:5:4: warning: '[::1' is read as '::1': to keep all of it, write "
		       "\"[::1\"\n");
}

/* The values are those of collectd 5.12, which also makes some of the last two. */
static void strays_between_values(void **state)
{
	(void)state;
	expect_trouble("A pa$$word\nA 'a'b\nA [a][2]'c'\nA \"a\"[\"b\"]\n",
		       "A pa word;A a b;A a 2 c;A \"a\" \"b\";",
		       "x.conf:1:3: warning: 'pa$$word' is read as 'pa' 'word': to keep all of it, "
		       "write \"pa$$word\"\n"
		       "x.conf:2:3: warning: ''a'b' is read as 'a' 'b': to keep all of it, write "
		       "\"'a'b\"\n"
		       "x.conf:3:3: warning: '[a][2]'c'' is read as 'a' '2' 'c': to keep all of "
		       "it, write \"[a][2]'c'\"\n"
		       "x.conf:4:6: warning: '[' is ignored\n"
		       "x.conf:4:10: warning: ']' is ignored\n");
	expect_trouble("A 'a.b'\nA a$b/c\n", "",
		       "x.conf:1:3: error: ''a.b'' must be in quotes: \"'a.b'\"\n"
		       "x.conf:2:3: error: 'a$b/c' must be in quotes: \"a$b/c\"\n");
}

static void typographic_quotes(void **state)
{
	(void)state;
	expect_trouble("Host \u201chv1\u201d\nHost \u201ehv1\u201c\n", "",
		       "x.conf:1:6: error: '\u201chv1\u201d' has typographic quotation marks: only "
		       "'\"' is one\n"
		       "x.conf:2:6: error: '\u201ehv1\u201c' has typographic quotation marks: only "
		       "'\"' is one\n");
}

/* A missing quotation mark swallows the rest of the file up to the next one:
 * the error is where it is missing, and reading goes on after that line. */
static void open_quotes(void **state)
{
	(void)state;
	expect_trouble("A \"x\nB 1\nC 2\n", "B 1;C 2;",
		       "x.conf:1:3: error: the quotation mark is not closed\n");
	expect_trouble("A \"x\nB \"y\"\nC \"z\"\n", "B \"y\";C \"z\";",
		       "x.conf:1:3: error: the quotation mark is not closed: "
		       "the next one is in line 2, in front of a value\n");
	expect_trouble("A \"say \"hi\" now\"\nB 1\n", "B 1;",
		       "x.conf:1:8: error: no blank after the closing "
		       "quotation mark; inside a value write '\\\"'\n");
	expect_trouble("A \"x\\", "", "x.conf:1:3: error: the quotation mark is not closed\n");
}

static void all_errors_at_once(void **state)
{
	(void)state;
	expect_trouble("A a.b\n<B>\nC\nD 1\n</C>\nE \"x\n", "B{D 1;};",
		       "x.conf:1:3: error: 'a.b' must be in quotes: \"a.b\"\n"
		       "x.conf:3:1: error: option 'C' has no value\n"
		       "x.conf:5:1: error: '</C>' where '</B>' is expected: "
		       "'<B>' was opened in line 2\n"
		       "x.conf:6:3: error: the quotation mark is not closed\n");
}

/* 'levels' blocks inside each other with one option in the innermost, and one option after them. */
static void read_nested(int levels)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < levels; i++)
		fprintf(out, "<A>\n");
	fprintf(out, "X 1\n");
	for (int i = 0; i < levels; i++)
		fprintf(out, "</A>\n");
	fprintf(out, "B 1\n");
	fclose(out);
	read_text(text);
	free(text);
}

static void depth(void **state)
{
	(void)state;
	read_nested(CONF_DEPTH_MAX);
	expect_problems(&problems, "");
	assert_non_null(strstr(shown, "A{X 1;};"));
	read_nested(CONF_DEPTH_MAX + 2);
	expect_problems(&problems, "x.conf:33:1: error: blocks are nested "
				   "deeper than 32\n");
	assert_null(strstr(shown, "X 1;"));
	assert_non_null(strstr(shown, ";B 1;"));
}

static void not_text(void **state)
{
	static const char zero[] = "A 1\nB \0 2\n";
	char *large = alloc_zero(CONF_SIZE_MAX + 1);
	const struct conf_node *root;

	(void)state;
	root = conf_parse(zero, sizeof(zero) - 1, "x.conf", &problems, &arena);
	assert_int_equal(root->children_len, 0);
	expect_problems(&problems, "x.conf:2:3: error: control character 0x00: "
				   "this is not a text file\n");
	root = conf_parse(large, CONF_SIZE_MAX + 1, "x.conf", &problems, &arena);
	assert_int_equal(root->children_len, 0);
	expect_problems(&problems, "x.conf: error: the file is larger than 16 MiB\n");
	memset(large, '\n', CONF_SIZE_MAX);
	conf_parse(large, CONF_SIZE_MAX, "x.conf", &problems, &arena);
	expect_problems(&problems, "");
	free(large);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(words),
		TEST(addresses),
		TEST(readings),
		TEST(places),
		TEST(quotes),
		TEST(lone_backslashes),
		TEST(continued_lines),
		TEST(line_ends),
		TEST(blocks),
		TEST(block_errors),
		TEST(strays),
		TEST(strays_around_a_value),
		TEST(strays_between_values),
		TEST(typographic_quotes),
		TEST(open_quotes),
		TEST(all_errors_at_once),
		TEST(depth),
		TEST(not_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
