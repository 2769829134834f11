/* SPDX-License-Identifier: MIT */
/* Units of systemd: lines, drop-ins, their order and their masking.  What is
 * expected is what systemd 252 does ("systemctl show" and "systemctl cat"). */
#include "daemon/process/unit_file.h"

#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNIT "a.service"

struct lab {
	char folder[32];
	const char *folders[3]; /* Which units may be in. */
	char etc[PATH_MAX], usr[PATH_MAX];
	char taken[1000]; /* "NAME=VALUE;" for each setting. */
};

static void note(void *argument, const char *name, char *value)
{
	struct lab *lab = argument;
	size_t size = strlen(lab->taken);

	snprintf(lab->taken + size, sizeof(lab->taken) - size, "%s=%s;", name, value);
}

/* With the folder that it is in. */
static void write_file(const struct lab *lab, const char *path, const char *text)
{
	char whole[PATH_MAX];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s/%s", lab->folder, path);
	for (char *slash = strchr(whole + strlen(lab->folder) + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(whole, 0700);
		*slash = '/';
	}
	file = fopen(whole, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void mask(const struct lab *lab, const char *path)
{
	char whole[PATH_MAX];

	write_file(lab, path, "");
	snprintf(whole, sizeof(whole), "%s/%s", lab->folder, path);
	assert_int_equal(unlink(whole), 0);
	assert_int_equal(symlink("/dev/null", whole), 0);
}

static void name_folder(char out[PATH_MAX], const struct lab *lab, const char *name)
{
	char folder[sizeof(lab->folder)];

	memcpy(folder, lab->folder, sizeof(folder));
	snprintf(out, PATH_MAX, "%s/%s", folder, name);
}

static int setup(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	assert_non_null(lab);
	snprintf(lab->folder, sizeof(lab->folder), "unit_file_XXXXXX");
	assert_non_null(mkdtemp(lab->folder));
	name_folder(lab->etc, lab, "etc");
	name_folder(lab->usr, lab, "usr");
	lab->folders[0] = lab->etc;
	lab->folders[1] = lab->usr;
	*state = lab;
	return 0;
}

static int teardown(void **state)
{
	struct lab *lab = *state;
	char command[PATH_MAX];
	int status;

	snprintf(command, sizeof(command), "rm -rf '%s'", lab->folder);
	status = system(command);
	free(lab);
	return status;
}

static void expect(struct lab *lab, int rc, const char *taken)
{
	lab->taken[0] = '\0';
	assert_int_equal(unit_file_find(lab->folders, UNIT, note, lab), rc);
	assert_string_equal(lab->taken, taken);
}

static void test_lines(void **state)
{
	struct lab *lab = *state;

	write_file(lab, "usr/" UNIT,
		   "User=before\n"
		   "[Unit]\nUser=other\n"
		   "[Service]\n"
		   " User = one \n"
		   "# User=comment\n"
		   " ;User=comment\n"
		   "\n"
		   "Group=\n"
		   "Paths=/a \\\n"
		   "# in between\n"
		   "  /b\\\n"
		   "\n"
		   "nothing\n"
		   "[X]\nUser=x\n"
		   "[Service]\r\nLast=a=b");
	expect(lab, 0, "User=one;Group=;Paths=/a    /b ;Last=a=b;");
}

static void test_first_folder(void **state)
{
	struct lab *lab = *state;

	expect(lab, -ENOENT, "");
	write_file(lab, "usr/" UNIT, "[Service]\nUser=usr\n");
	expect(lab, 0, "User=usr;");
	write_file(lab, "etc/" UNIT, "[Service]\nUser=etc\n");
	expect(lab, 0, "User=etc;");
	write_file(lab, "etc/" UNIT, "");
	expect(lab, -ESHUTDOWN, "");
	mask(lab, "etc/" UNIT);
	expect(lab, -ESHUTDOWN, "");
}

/* By their names, whichever folder they are in. */
static void test_order(void **state)
{
	struct lab *lab = *state;

	write_file(lab, "usr/" UNIT, "[Service]\nUser=unit\n");
	write_file(lab, "etc/" UNIT ".d/a.conf", "[Service]\nUser=a\n");
	write_file(lab, "usr/" UNIT ".d/b.conf", "[Service]\nUser=b\n");
	write_file(lab, "etc/" UNIT ".d/c.conf", "[Service]\nUser=c\n");
	write_file(lab, "etc/" UNIT ".d/d.txt", "[Service]\nUser=d\n");
	write_file(lab, "etc/" UNIT ".d/e.conf", "User=e\n");
	expect(lab, 0, "User=unit;User=a;User=b;User=c;");
}

static void test_masked(void **state)
{
	struct lab *lab = *state;

	write_file(lab, "usr/" UNIT, "[Service]\n");
	write_file(lab, "usr/" UNIT ".d/a.conf", "[Service]\nUser=a\n");
	write_file(lab, "usr/" UNIT ".d/b.conf", "[Service]\nUser=b\n");
	write_file(lab, "usr/" UNIT ".d/c.conf", "[Service]\nUser=c\n");
	write_file(lab, "etc/" UNIT ".d/a.conf", "[Service]\nUser=other\n");
	mask(lab, "etc/" UNIT ".d/b.conf");
	write_file(lab, "etc/" UNIT ".d/c.conf", "");
	expect(lab, 0, "User=other;");
}

/* Those of all services are masked by those of the unit, wherever these are. */
static void test_all_services(void **state)
{
	struct lab *lab = *state;

	write_file(lab, "usr/" UNIT, "[Service]\n");
	write_file(lab, "etc/service.d/a.conf", "[Service]\nUser=all\n");
	write_file(lab, "etc/service.d/c.conf", "[Service]\nUser=last\n");
	write_file(lab, "usr/" UNIT ".d/b.conf", "[Service]\nUser=b\n");
	expect(lab, 0, "User=all;User=b;User=last;");
	write_file(lab, "usr/" UNIT ".d/a.conf", "[Service]\nUser=one\n");
	expect(lab, 0, "User=one;User=b;User=last;");
}

/* One that is not installed. */
static void test_path(void **state)
{
	struct lab *lab = *state;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" UNIT, lab->folder);
	assert_int_equal(unit_file_read(path, note, lab), -ENOENT);
	write_file(lab, UNIT, "[Service]\nUser=a\n");
	write_file(lab, UNIT ".d/b.conf", "[Service]\nUser=b\n");
	assert_int_equal(unit_file_read(path, note, lab), 0);
	assert_string_equal(lab->taken, "User=a;User=b;");
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_lines),  TEST(test_first_folder), TEST(test_order),
		TEST(test_masked), TEST(test_all_services), TEST(test_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
