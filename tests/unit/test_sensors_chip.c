/* SPDX-License-Identifier: MIT */
/* Chips have the names that lm-sensors gives them: the folders below are as the
 * kernel makes them. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/plugin.h>

#include "chip.h"

static char root[64];

/* Of the core, for what nothing here calls. */
int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	(void)ctx;
	(void)errnum;
	(void)fmt;
	abort();
}

const char *mc_path(struct mc_ctx *ctx, const char *path, char *out, size_t size)
{
	(void)ctx;
	(void)path;
	(void)out;
	(void)size;
	abort();
}

static void run(const char *command)
{
	assert_int_equal(system(command), 0);
}

static int open_root(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/test_sensors_chip.XXXXXX");
	return mkdtemp(root) == NULL || chdir(root) != 0;
}

static int remove_root(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return chdir("/") != 0 || system(command) != 0;
}

/* A device of a bus, and a part of it on none, as of an NVMe drive. */
static void add_device(const char *subsystem, const char *path, const char *part)
{
	char command[1000];

	snprintf(command, sizeof(command),
		 "mkdir -p '%s/%s/hwmon0' bus/%s &&"
		 "ln -s '%s/bus/%s' '%s/subsystem' &&"
		 "ln -s '%s/%s/%s' '%s/%s/hwmon0/device' &&"
		 "echo chip >'%s/%s/hwmon0/name' &&"
		 "echo 27800 >'%s/%s/hwmon0/temp1_input'",
		 path, part, subsystem, root, subsystem, path, root, path, part, path, part, path,
		 part, path, part);
	run(command);
	if (part[0] == '\0')
		return;
	snprintf(command, sizeof(command), "ln -s '%s/%s' '%s/%s/device'", root, path, path, part);
	run(command);
}

static struct chip *read_folder(const char *folder)
{
	struct chip *chip = mc_alloc_zero(sizeof(*chip) + strlen(root) + strlen(folder) + 2);

	memcpy(chip->folder, root, strlen(root));
	chip->folder[strlen(root)] = '/';
	memcpy(chip->folder + strlen(root) + 1, folder, strlen(folder) + 1);
	assert_int_equal(chip_read(chip), 0);
	return chip;
}

static void expect_name(const char *path, const char *part, const char *name)
{
	char folder[200];
	struct chip *chip;

	snprintf(folder, sizeof(folder), "%s/%s/hwmon0", path, part);
	chip = read_folder(folder);
	assert_string_equal(chip->name, name);
	assert_int_equal(chip->len, 1);
	assert_string_equal(chip->sensors[0].type, "temperature");
	assert_string_equal(chip->sensors[0].name, "temp1");
	assert_string_equal(chip->sensors[0].label, "temp1");
	assert_true(chip->sensors[0].value == 27.8);
	free(chip);
}

static void chips_are_named_after_their_bus(void **state)
{
	static const struct {
		const char *subsystem, *device, *name;
	} devices[] = {
		{ "platform", "coretemp.1", "chip-isa-0001" },
		{ "platform", "nct6775.656", "chip-isa-0290" },
		{ "platform", "thinkpad_hwmon", "chip-isa-0000" },
		{ "pci", "0000:00:18.3", "chip-pci-00c3" },
		{ "pci", "0001:02:00.0", "chip-pci-10200" },
		{ "i2c", "3-0048", "chip-i2c-3-48" },
		{ "spi", "spi0.1", "chip-spi-0-1" },
		{ "acpi", "ACPI000D:00", "chip-acpi-0" },
		{ "hid", "0003:1B1C:0C10.0004", "chip-hid-3-4" },
		{ "mdio_bus", "r8169-0-200:03", "chip-mdio-3" },
		{ "scsi", "2:0:1:0", "chip-scsi-2-10" },
		{ "usb", "1-1:1.0", "chip-virtual-0" },
		{ "pci", "nonsense", "chip-virtual-0" },
		{ "i2c", "3-", "chip-virtual-0" },
		{ "scsi", "99999999999:0:0:0", "chip-virtual-0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		char path[200];

		snprintf(path, sizeof(path), "%zu/%s", i, devices[i].device);
		add_device(devices[i].subsystem, path, "");
		expect_name(path, "", devices[i].name);
	}
}

static void a_part_is_named_after_its_device(void **state)
{
	(void)state;
	add_device("pci", "0000:01:00.0", "nvme0");
	expect_name("0000:01:00.0", "nvme0", "chip-pci-0100");
}

static void what_is_no_chip_has_no_name(void **state)
{
	struct chip *chip;

	(void)state;
	run("mkdir -p empty");
	chip = read_folder("empty");
	assert_string_equal(chip->name, "");
	assert_int_equal(chip->len, 0);
	free(chip);
	chip = read_folder("none");
	assert_string_equal(chip->name, "");
	free(chip);
}

static void there_may_be_too_many_sensors(void **state)
{
	struct chip *chip;

	(void)state;
	run("mkdir -p many && echo many >many/name &&"
	    "for i in `seq 300`; do echo $i >many/temp${i}_input; done");
	chip = read_folder("many");
	assert_string_equal(chip->name, "many-virtual-0");
	assert_int_equal(chip->len, CHIP_SENSORS_MAX);
	assert_string_equal(chip->sensors[1].name, "temp2");
	free(chip);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chips_are_named_after_their_bus),
		cmocka_unit_test(a_part_is_named_after_its_device),
		cmocka_unit_test(what_is_no_chip_has_no_name),
		cmocka_unit_test(there_may_be_too_many_sensors),
	};

	return cmocka_run_group_tests(tests, open_root, remove_root);
}
