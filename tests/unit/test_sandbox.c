/* SPDX-License-Identifier: MIT */
/* What units of systemd leave of the file system, and the drop-in that makes room. */
#include "daemon/process/sandbox.h"

#include "unit.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct lab {
	char folder[PATH_MAX]; /* Absolute. */
	char unit[PATH_MAX + 10];
	struct sandbox *sandbox;
};

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int setup(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	char name[] = "sandbox_XXXXXX";

	assert_non_null(lab);
	assert_non_null(mkdtemp(name));
	assert_non_null(realpath(name, lab->folder));
	snprintf(lab->unit, sizeof(lab->unit), "%s/unit", lab->folder);
	*state = lab;
	return 0;
}

static int teardown(void **state)
{
	static const char *const files[] = { "unit.d/b.conf", "unit.d/a.conf", "unit.d/c.txt",
					     "link",          "plugin.conf",   "unit" };
	struct lab *lab = *state;
	char path[PATH_MAX + 20];

	sandbox_free(lab->sandbox);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", lab->folder, files[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/unit.d", lab->folder);
	rmdir(path);
	rmdir(lab->folder);
	free(lab);
	return 0;
}

static void read_unit(struct lab *lab, const char *settings)
{
	char text[1000];

	snprintf(text, sizeof(text), "[Service]\n%s", settings);
	write_file(lab->unit, text);
	sandbox_free(lab->sandbox);
	lab->sandbox = sandbox_read(lab->unit, lab->folder, lab->folder);
	assert_non_null(lab->sandbox);
}

/* 'why' is how the reason ends; NULL: it is not hidden. */
static void expect(struct lab *lab, const char *path, bool write, const char *why)
{
	char *text = sandbox_hides(lab->sandbox, "plugin", path, write ? CHECK_WRITE : CHECK_READ);

	if (why == NULL) {
		assert_null(text);
		return;
	}
	assert_non_null(text);
	assert_true(strlen(text) > strlen(why));
	assert_string_equal(text + strlen(text) - strlen(why), why);
	free(text);
}

static void expect_drop_in(struct lab *lab, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	sandbox_print(lab->sandbox, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void test_no_unit(void **state)
{
	struct lab *lab = *state;

	errno = 0;
	assert_null(sandbox_read(lab->unit, lab->folder, lab->folder));
	assert_int_equal(errno, ENOENT);
	sandbox_free(NULL);
}

/* Everything may be read; what is named may be written to. */
static void test_strict(void **state)
{
	struct lab *lab = *state;

	read_unit(lab, "ProtectSystem=strict\n"
		       "ReadWritePaths=-/srv/one /srv/two\n"
		       "#ReadWritePaths=/srv/four\n"
		       "StateDirectory=collector other\n");
	expect(lab, "/srv/one/a", true, NULL);
	expect(lab, "/srv/one", true, NULL);
	expect(lab, "/srv/two/deep/a.rrd", true, NULL);
	expect(lab, "/var/lib/collector/rrd", true, NULL);
	expect(lab, "/var/lib/other", true, NULL);
	expect(lab, "/dev/null", true, NULL);
	expect(lab, "/srv/three/a", false, NULL);
	expect_drop_in(lab, "");
	expect(lab, "/srv/onehundred/a", true, ": ProtectSystem");
	expect(lab, "/srv/four/file.log", true, ": ProtectSystem");
	expect(lab, "/srv/four/other.log", true, ": ProtectSystem");
	expect_drop_in(lab, "A drop-in makes room, /etc/systemd/system/"
			    "collector.service.d/paths.conf:\n[Service]\n"
			    "ReadWritePaths=/srv/onehundred/a\n"
			    "NoExecPaths=/srv/onehundred/a\n"
			    "ReadWritePaths=/srv/four\n"
			    "NoExecPaths=/srv/four\n");
}

static void test_levels(void **state)
{
	struct lab *lab = *state;

	read_unit(lab, "ProtectSystem=true\n");
	expect(lab, "/usr/share/a", true, ": ProtectSystem");
	expect(lab, "/etc/a", true, NULL);
	expect(lab, "/srv/a", true, NULL);
	read_unit(lab, "ProtectSystem=full\n");
	expect(lab, "/boot/a", true, ": ProtectSystem");
	expect(lab, "/etc/a", true, ": ProtectSystem");
	expect(lab, "/srv/a", true, NULL);
	read_unit(lab, "ProtectSystem=no\n");
	expect(lab, "/usr/share/a", true, NULL);
}

static void test_homes(void **state)
{
	struct lab *lab = *state;

	read_unit(lab, "ProtectHome=yes\n");
	expect(lab, "/home/nobody/a", false, ": ProtectHome");
	expect(lab, "/run/user/0/a", true, ": ProtectHome");
	expect(lab, "/homes/a", true, NULL);
	expect_drop_in(lab, "A drop-in makes room, /etc/systemd/system/"
			    "collector.service.d/paths.conf:\n[Service]\n"
			    "ProtectHome=read-only\n");
	read_unit(lab, "ProtectHome=read-only\n");
	expect(lab, "/home/nobody/a", false, NULL);
	expect(lab, "/home/nobody/a", true, ": ProtectHome");
}

static void test_tmp(void **state)
{
	struct lab *lab = *state;

	read_unit(lab, "PrivateTmp=yes\n");
	expect(lab, "/tmp/a", false, ": PrivateTmp");
	expect(lab, "/var/tmp/a", true, ": PrivateTmp");
	expect(lab, "/tmpfs/a", true, NULL);
	expect_drop_in(lab, "A drop-in makes room, /etc/systemd/system/"
			    "collector.service.d/paths.conf:\n[Service]\n"
			    "PrivateTmp=no\n");
}

static void expect_lack(struct lab *lab, const char *wanted, const char *lacking)
{
	char *text = sandbox_lacks(lab->sandbox, "exec", wanted);

	if (lacking == NULL)
		assert_null(text);
	else
		assert_memory_equal(text, lacking, strlen(lacking));
	free(text);
}

static void test_capabilities(void **state)
{
	struct lab *lab = *state;

	read_unit(lab, "");
	expect_lack(lab, "CAP_KILL CAP_SETUID", NULL);
	expect_drop_in(lab, "");
	read_unit(lab, "CapabilityBoundingSet=CAP_CHOWN CAP_KILL\n"
		       "CapabilityBoundingSet=CAP_SETGID\n");
	expect_lack(lab, "CAP_KILL CAP_CHOWN", NULL);
	expect_lack(lab, "CAP_SETUID CAP_SETGID CAP_KILL", "needs CAP_SETUID, which");
	expect_lack(lab, "CAP_NET_RAW CAP_SETUID", "needs CAP_NET_RAW CAP_SETUID, which");
	expect_drop_in(lab, "A drop-in makes room, /etc/systemd/system/"
			    "collector.service.d/paths.conf:\n[Service]\n"
			    "CapabilityBoundingSet=CAP_SETUID CAP_NET_RAW\n"
			    "SystemCallFilter=@setuid\n");
	read_unit(lab, "CapabilityBoundingSet=CAP_CHOWN CAP_KILL\n"
		       "CapabilityBoundingSet=\n");
	expect_lack(lab, "CAP_KILL", "needs CAP_KILL, which");
	read_unit(lab, "CapabilityBoundingSet=~CAP_CHOWN CAP_KILL\n");
	expect_lack(lab, "CAP_SETUID", NULL);
	expect_lack(lab, "CAP_KILL", "needs CAP_KILL, which");
}

/* As systemd: a line changes what those before it have left. */
static void test_merging(void **state)
{
	struct lab *lab = *state;

	read_unit(lab, "CapabilityBoundingSet=~CAP_CHOWN CAP_KILL\n"
		       "CapabilityBoundingSet=CAP_KILL\n");
	expect_lack(lab, "CAP_KILL CAP_SETUID", NULL);
	expect_lack(lab, "CAP_CHOWN", "needs CAP_CHOWN, which");
	read_unit(lab, "CapabilityBoundingSet=CAP_CHOWN CAP_KILL\n"
		       "CapabilityBoundingSet=~CAP_KILL\n");
	expect_lack(lab, "CAP_KILL", "needs CAP_KILL, which");
	read_unit(lab, "CapabilityBoundingSet=CAP_CHOWN CAP_KILL\n"
		       "CapabilityBoundingSet=~CAP_KILL\n"
		       "CapabilityBoundingSet=CAP_KILL\n");
	expect_lack(lab, "CAP_KILL CAP_CHOWN", NULL);
	expect_lack(lab, "CAP_SETUID", "needs CAP_SETUID, which");
	read_unit(lab, "CapabilityBoundingSet=\nCapabilityBoundingSet=~\n");
	expect_lack(lab, "CAP_KILL", NULL);
}

/* A user has only what it is given; its drop-in is named if there is one. */
static void test_user(void **state)
{
	struct lab *lab = *state;
	char path[PATH_MAX + 20], why[PATH_MAX + 200];

	read_unit(lab, "User=nobody\nCapabilityBoundingSet=CAP_KILL "
		       "CAP_NET_RAW\nAmbientCapabilities=CAP_NET_RAW\n");
	expect_lack(lab, "CAP_NET_RAW", NULL);
	expect_lack(lab, "CAP_KILL", "needs CAP_KILL, which collector.service does not have");
	expect_drop_in(lab, "A drop-in makes room, /etc/systemd/system/"
			    "collector.service.d/paths.conf:\n[Service]\n"
			    "CapabilityBoundingSet=CAP_KILL\n"
			    "AmbientCapabilities=CAP_KILL\n");
	read_unit(lab, "User=nobody\nCapabilityBoundingSet=CAP_SETUID\n");
	snprintf(path, sizeof(path), "%s/exec.conf", lab->folder);
	write_file(path, "[Service]\nCapabilityBoundingSet=CAP_SETUID\n");
	snprintf(why, sizeof(why),
		 "needs CAP_SETUID, which collector.service does not have: the "
		 "drop-in '%s' is missing",
		 path);
	expect_lack(lab, "CAP_SETUID", why);
	unlink(path);
	expect_drop_in(lab, "A drop-in makes room, /etc/systemd/system/"
			    "collector.service.d/paths.conf:\n[Service]\n"
			    "CapabilityBoundingSet=CAP_SETUID\n"
			    "SystemCallFilter=@setuid\nUser=root\n");
	read_unit(lab, "User=root\nCapabilityBoundingSet=CAP_SETUID\n");
	expect_lack(lab, "CAP_SETUID", NULL);
}

/* What root keeps to itself; what systemd makes is the user's. */
static void test_modes(void **state)
{
	struct lab *lab = *state;
	const char *closed = "be read by 'nobody', the user of collector.service";

	if (access("/etc/shadow", F_OK) != 0)
		skip();
	read_unit(lab, "User=nobody\nStateDirectory=collector\n");
	expect(lab, "/etc/passwd", false, NULL);
	expect(lab, "/var/lib/collector/a", true, NULL);
	expect(lab, "/etc/shadow", false, closed);
	expect_drop_in(lab, "A drop-in makes room, /etc/systemd/system/"
			    "collector.service.d/paths.conf:\n[Service]\n"
			    "SupplementaryGroups=shadow\n");
	expect(lab, "/srv/a.log", true,
	       "be written to by 'nobody', the user of "
	       "collector.service");
	read_unit(lab, "User=root\n");
	expect(lab, "/etc/shadow", false, NULL);
	read_unit(lab, "User=no-such-user\n");
	expect(lab, "/etc/shadow", false, NULL);
}

/* Group takes the place of the user's own group, wherever it stands. */
static void test_group(void **state)
{
	struct lab *lab = *state;
	char *why;

	if (getgrnam("shadow") == NULL || getgrnam("nogroup") == NULL)
		skip();
	read_unit(lab, "User=nobody\n");
	assert_null(sandbox_is_outside(lab->sandbox, "plugin", "nogroup"));
	read_unit(lab, "User=nobody\nGroup=shadow\n");
	expect(lab, "/etc/shadow", false, NULL);
	assert_null(sandbox_is_outside(lab->sandbox, "plugin", "shadow"));
	why = sandbox_is_outside(lab->sandbox, "plugin", "nogroup");
	assert_non_null(why);
	free(why);
	read_unit(lab, "Group=shadow\nUser=nobody\n");
	expect(lab, "/etc/shadow", false, NULL);
	read_unit(lab, "User=nobody\nGroup=shadow\nGroup=\n");
	expect(lab, "/etc/shadow", false, "be read by 'nobody', the user of collector.service");
}

/* Root reads what is another's, and any user does, by a capability alone. */
static void test_override(void **state)
{
	struct lab *lab = *state;
	const struct passwd *nobody = getpwnam("nobody");
	char path[PATH_MAX + 20];

	if (nobody == NULL)
		skip();
	snprintf(path, sizeof(path), "%s/link", lab->folder);
	write_file(path, "");
	assert_int_equal(chmod(path, 0600), 0);
	if (geteuid() == 0)
		assert_int_equal(chown(path, nobody->pw_uid, 0), 0);
	read_unit(lab, "User=root\n");
	expect(lab, path, false, NULL);
	expect(lab, path, true, NULL);
	read_unit(lab, "CapabilityBoundingSet=CAP_SETUID\n");
	expect(lab, path, false, "be read by 'root', the user of collector.service");
	read_unit(lab, "User=root\nCapabilityBoundingSet="
		       "CAP_DAC_READ_SEARCH\n");
	expect(lab, path, false, NULL);
	expect(lab, path, true, "be written to by 'root', the user of collector.service");
	read_unit(lab, "User=root\nCapabilityBoundingSet=CAP_DAC_OVERRIDE\n");
	expect(lab, path, true, NULL);
	read_unit(lab, "User=daemon\nCapabilityBoundingSet="
		       "CAP_DAC_READ_SEARCH\n"
		       "AmbientCapabilities=CAP_DAC_READ_SEARCH\n");
	expect(lab, path, false, NULL);
}

static void expect_drop_in_named(const struct lab *lab, char *text, const char *why)
{
	char whole[PATH_MAX + 200];

	snprintf(whole, sizeof(whole), "%s: the drop-in '%s/plugin.conf' is missing", why,
		 lab->folder);
	assert_non_null(text);
	assert_string_equal(text, whole);
	free(text);
}

static void expect_lacks_named(const struct lab *lab, const char *file, const char *capability)
{
	char whole[PATH_MAX + 200], *text = sandbox_lacks(lab->sandbox, "plugin", capability);

	snprintf(whole, sizeof(whole),
		 "needs %s, which collector.service does not have: the drop-in "
		 "'%s/%s' is missing",
		 capability, lab->folder, file);
	assert_non_null(text);
	assert_string_equal(text, whole);
	free(text);
}

/* What helps is named: that of the plugin, if it has what is lacking. */
static void test_named(void **state)
{
	struct lab *lab = *state;
	char drop_in[PATH_MAX + 20], path[PATH_MAX + 20];

	if (getgrnam("shadow") == NULL)
		skip();
	snprintf(drop_in, sizeof(drop_in), "%s/plugin.conf", lab->folder);
	snprintf(path, sizeof(path), "%s/link", lab->folder);
	assert_int_equal(symlink("/etc/shadow", path), 0);
	write_file(drop_in, "[Service]\nSupplementaryGroups=adm shadow\n"
			    "ExecPaths=/opt\n");
	read_unit(lab, "User=nobody\nCapabilityBoundingSet=\nNoExecPaths=/"
		       "\nExecPaths=/usr/lib\n");
	expect_drop_in_named(lab, sandbox_hides(lab->sandbox, "plugin", path, CHECK_READ),
			     "cannot be read by 'nobody', the user of collector.service");
	expect_drop_in_named(lab, sandbox_is_outside(lab->sandbox, "plugin", "shadow"),
			     "needs the group 'shadow', which 'nobody', the user of "
			     "collector.service, is not in");
	expect_drop_in_named(lab, sandbox_hides(lab->sandbox, "plugin", "env", CHECK_RUN),
			     "cannot be run under collector.service: NoExecPaths");
	expect_drop_in(lab, "A drop-in makes room, /etc/systemd/system/"
			    "collector.service.d/paths.conf:\n[Service]\n"
			    "ExecPaths=/usr/bin/env\n"
			    "SupplementaryGroups=shadow\n");
	expect(lab, "/etc/shadow", true,
	       "be written to by 'nobody', the user of collector.service");
	write_file(drop_in, "[Service]\nReadWritePaths=-/srv/more/ /srv/o\n");
	read_unit(lab, "ProtectSystem=strict\n");
	expect_drop_in_named(lab, sandbox_hides(lab->sandbox, "plugin", "/srv/more/a", CHECK_WRITE),
			     "cannot be written to under collector.service: ProtectSystem");
	expect(lab, "/srv/other", true, ": ProtectSystem");
	read_unit(lab, "User=nobody\nCapabilityBoundingSet=\nNoExecPaths=/"
		       "\nExecPaths=/usr/lib\n");
	write_file(drop_in, "[Service]\nCapabilityBoundingSet=CAP_KILL\n");
	expect_lacks_named(lab, "plugin.conf", "CAP_KILL");
	snprintf(path, sizeof(path), "%s/plugin-more.conf", lab->folder);
	write_file(path, "[Service]\nCapabilityBoundingSet=CAP_CHOWN\n");
	expect_lacks_named(lab, "plugin-more.conf", "CAP_CHOWN");
	unlink(path);
	unlink(drop_in);
	expect(lab, "/etc/shadow", false, "be read by 'nobody', the user of collector.service");
	assert_null(sandbox_hides(lab->sandbox, "plugin", "/usr/lib/x", CHECK_RUN));
	read_unit(lab, "User=nobody\nSupplementaryGroups=shadow\n");
	expect(lab, "/etc/shadow", false, NULL);
	assert_null(sandbox_is_outside(lab->sandbox, "plugin", "shadow"));
	assert_null(sandbox_is_outside(lab->sandbox, "plugin", "no-such"));
}

/* They come after the unit, and those alone that end with ".conf". */
static void test_drop_ins(void **state)
{
	struct lab *lab = *state;
	char path[PATH_MAX + 20];

	snprintf(path, sizeof(path), "%s.d", lab->unit);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s.d/a.conf", lab->unit);
	write_file(path, "[Service]\nReadWritePaths=/srv/a\n");
	snprintf(path, sizeof(path), "%s.d/b.conf", lab->unit);
	write_file(path, "[Service]\nPrivateTmp = no\n");
	snprintf(path, sizeof(path), "%s.d/c.txt", lab->unit);
	write_file(path, "ReadWritePaths=/srv/c\n");
	read_unit(lab, "ProtectSystem=strict\nPrivateTmp=yes\n");
	expect(lab, "/srv/a/b", true, NULL);
	expect(lab, "/srv/c/b", true, ": ProtectSystem");
	expect(lab, "/tmp/a", false, NULL);
}

/* A link counts as where it leads, what is not there yet as what is above it,
 * and a relative path is below BaseDir. */
static void test_resolving(void **state)
{
	struct lab *lab = *state;
	char path[PATH_MAX + 20], usr[PATH_MAX];

	snprintf(path, sizeof(path), "%s/link", lab->folder);
	assert_int_equal(symlink("/usr/share", path), 0);
	read_unit(lab, "ProtectSystem=yes\n");
	expect(lab, path, true, ": ProtectSystem");
	expect(lab, "link/not/there", true, ": ProtectSystem");
	expect(lab, "not/there", true, NULL);
	/* Where that is a link. */
	if (realpath("/lib", usr) != NULL && strcmp(usr, "/usr/lib") == 0)
		expect(lab, "/lib/not-there", true, ": ProtectSystem");
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_no_unit),   TEST(test_strict),       TEST(test_levels),
		TEST(test_homes),     TEST(test_tmp),          TEST(test_drop_ins),
		TEST(test_resolving), TEST(test_capabilities), TEST(test_merging),
		TEST(test_user),      TEST(test_modes),        TEST(test_named),
		TEST(test_group),     TEST(test_override),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
