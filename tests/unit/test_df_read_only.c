/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/private/alerts.h>
#include <collector/private/status.h>

#include "read_only.h"

static const char fstab[] = "# device point type options\n"
			    "/dev/sda1\t/ ext4 errors=remount-ro 0 1\n"
			    "/dev/sdc1 /var/lib ext4 defaults 0 2\n"
			    "/dev/sr0 /media iso9660 ro,noauto 0 0\n"
			    "/dev/sdd1 /short";

/* --- In place of the core --------------------------------------------------- */

static struct {
	mc_time now;
	const char *mountinfo;
	char told[512]; /* What stood since the last look. */
	uint64_t rules;
	char *text;
} core;

mc_time mc_now(void)
{
	return core.now;
}

const char *mc_path(struct mc_ctx *ctx, const char *path, char *out, size_t size)
{
	(void)ctx;
	(void)path;
	snprintf(out, size, "/");
	return out;
}

ssize_t mc_read_file(struct mc_ctx *ctx, const char *path, char **text)
{
	(void)ctx;
	free(core.text);
	core.text = strdup(strcmp(path, "/etc/fstab") == 0 ? fstab : core.mountinfo);
	*text = core.text;
	return (ssize_t)strlen(core.text);
}

void mc_stand(struct mc_ctx *ctx, const struct mc_standing *standing)
{
	size_t size = strlen(core.told);

	(void)ctx;
	snprintf(core.told + size, sizeof(core.told) - size, "%s%s %s", size > 0 ? ", " : "",
		 standing->severity == MC_OKAY ? "good" : "bad", standing->id.plugin_instance);
}

void mc_status(struct mc_ctx *ctx, struct mc_status *status)
{
	(void)ctx;
	*status = (struct mc_status){ .rules = core.rules };
}

/* --- Tests ------------------------------------------------------------------ */

static void lines(void **state)
{
	char good[] =
		"36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 - ext3 /dev/root rw,errors=ro";
	char read_only[] = "24 22 0:21 / /proc rw - proc proc noatime,ro";
	static const char *const wrong[] = { "",
					     "36 35 98:0 / /mnt rw",
					     "36 35 98:0 / /mnt rw -",
					     "36 35 98:0 / /mnt rw - ext4 /dev/a",
					     "36 35 98:0 / none rw - ext4 /dev/a ro",
					     "36 35 - ext4 /dev/a ro" };
	struct read_only_line line;

	(void)state;
	assert_true(read_only_parse(good, &line));
	assert_string_equal(line.number, "98:0");
	assert_string_equal(line.point, "/mnt\\0402");
	assert_true(line.is_device && !line.is_read_only);
	assert_true(read_only_parse(read_only, &line));
	assert_true(!line.is_device && line.is_read_only);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char *copy = strdup(wrong[i]);

		assert_false(read_only_parse(copy, &line));
		free(copy);
	}
}

static void what_fstab_says(void **state)
{
	(void)state;
	assert_true(read_only_fstab_writes(fstab, "/"));
	assert_true(read_only_fstab_writes(fstab, "/var/lib"));
	assert_false(read_only_fstab_writes(fstab, "/media"));
	assert_false(read_only_fstab_writes(fstab, "/srv"));
	assert_false(read_only_fstab_writes(fstab, "point"));
	assert_false(read_only_fstab_writes("", "/"));
}

static void look(struct read_only *self, const char *mountinfo, const char *wanted)
{
	struct mc_ctx ctx = { .host = "web" };

	core.told[0] = '\0';
	core.mountinfo = mountinfo;
	core.now += 60 * MC_SECOND;
	assert_true(read_only_look(&ctx, self));
	assert_string_equal(core.told, wanted);
	assert_false(read_only_look(&ctx, self)); /* Once a minute. */
}

#define ROOT(options) "22 1 8:1 / / ro shared:1 - ext4 /dev/sda1 " options "\n"
#define SRV(options) "24 22 8:17 / /srv rw - ext4 /dev/sdb1 " options "\n"
#define BOUND "27 22 8:17 /x /bind ro - ext4 /dev/sdb1 rw\n"
#define LIB(options) "25 22 8:33 / /var/lib rw - ext4 /dev/sdc1 " options "\n"
#define OTHERS                                                                                     \
	"26 22 11:0 / /media ro - iso9660 /dev/sr0 ro\n23 22 0:21 / /proc rw - proc proc ro\nx\n"

/* What the mount is for this process alone does not count. */
static void what_becomes_read_only_stands(void **state)
{
	struct read_only self = { .due = 0 };

	(void)state;
	look(&self, ROOT("rw") SRV("rw") LIB("rw") OTHERS, "");
	look(&self, ROOT("ro,errors=remount-ro") SRV("rw") BOUND LIB("rw") OTHERS, "bad root");
	look(&self, ROOT("ro") SRV("ro") LIB("rw") OTHERS, "bad root, bad srv");
	look(&self, ROOT("rw") SRV("ro") LIB("rw") OTHERS, "good root, bad srv");
	look(&self, ROOT("rw") LIB("rw") OTHERS, "good srv");
	look(&self, ROOT("rw") SRV("ro") LIB("rw") OTHERS, ""); /* As it was mounted. */
	read_only_free(&self);
}

/* Where a rule judges it the value is enough, here and wherever it is sent. */
static void what_is_judged_has_a_value(void **state)
{
	struct read_only self = { .due = 0 };
	char name[MOUNTS_NAME_SIZE];
	bool stands;

	(void)state;
	core.rules = 1;
	look(&self, ROOT("rw") SRV("rw"), "");
	assert_false(read_only_value(&self, 0, name, &stands));
	look(&self, ROOT("rw") SRV("ro"), "");
	assert_false(read_only_value(&self, 0, name, &stands));
	assert_true(read_only_value(&self, 1, name, &stands));
	assert_string_equal(name, "srv");
	assert_true(stands);
	look(&self, ROOT("rw") SRV("rw"), "");
	assert_true(read_only_value(&self, 1, name, &stands));
	assert_false(stands);
	look(&self, ROOT("rw"), "");
	assert_int_equal(self.len, 1);
	read_only_free(&self);
	core.rules = 0;
}

/* After a restart. */
static void what_fstab_has_as_writable_stands(void **state)
{
	struct read_only self = { .due = 0 };

	(void)state;
	look(&self, ROOT("rw") SRV("ro") LIB("ro") OTHERS, "bad var-lib");
	look(&self, ROOT("rw") SRV("ro") LIB("rw") OTHERS, "good var-lib");
	look(&self, "", "");
	read_only_free(&self);
	free(core.text);
	core.text = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(what_fstab_says),
		cmocka_unit_test(what_becomes_read_only_stands),
		cmocka_unit_test(what_is_judged_has_a_value),
		cmocka_unit_test(what_fstab_has_as_writable_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
