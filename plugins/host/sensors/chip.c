/* SPDX-License-Identifier: MIT */
#include "chip.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/list_folder.h>
#include <collector/scan.h>

#include "bus.h"

#define PATH_SIZE 1024
#define TEXT_SIZE 128
#define PARENTS_MAX 8

static const struct {
	const char *prefix, *type;
	double unit; /* The file has a number of these. */
} kinds[] = {
	{ "in", "voltage", 1e3 },  { "fan", "fanspeed", 1 },   { "temp", "temperature", 1e3 },
	{ "power", "power", 1e6 }, { "curr", "current", 1e3 }, { "humidity", "humidity", 1e3 },
};
#define KINDS_LEN (sizeof(kinds) / sizeof(*kinds))

/* The first line of a file; 0 or an errno. */
static int read_line(const char *folder, const char *file, char *out, size_t size)
{
	char path[PATH_SIZE];
	ssize_t n;
	int fd, errnum;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return errno;
	n = read(fd, out, size - 1);
	errnum = n < 0 ? errno : 0;
	close(fd);
	if (errnum != 0)
		return errnum;
	out[n] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return 0;
}

/* Whether 'file' is "temp1_input": its kind, and the length of "temp1". */
static bool find_kind(const char *file, size_t *kind, size_t *size)
{
	for (size_t i = 0; i < KINDS_LEN; i++) {
		size_t start = strlen(kinds[i].prefix);
		size_t digits;

		if (strncmp(file, kinds[i].prefix, start) != 0)
			continue;
		digits = strspn(file + start, "0123456789");
		if (digits == 0 || digits > 9 || strcmp(file + start + digits, "_input") != 0)
			continue;
		*kind = i;
		*size = start + digits;
		return true;
	}
	return false;
}

/* A sensor that says itself that it is broken has no value. */
static bool is_faulty(const char *folder, const char *name)
{
	char file[CHIP_NAME_SIZE + 8], text[TEXT_SIZE];

	snprintf(file, sizeof(file), "%s_fault", name);
	return read_line(folder, file, text, sizeof(text)) == 0 && strcmp(text, "1") == 0;
}

static void read_sensor(struct chip *chip, const char *folder, const char *file)
{
	struct chip_sensor *sensor = &chip->sensors[chip->len];
	char text[TEXT_SIZE], label[CHIP_NAME_SIZE + 8];
	const char *at = text;
	size_t kind, size;
	int64_t number;
	int errnum;

	if (chip->len == CHIP_SENSORS_MAX || !find_kind(file, &kind, &size))
		return;
	snprintf(sensor->name, sizeof(sensor->name), "%.*s", (int)size, file);
	if (is_faulty(folder, sensor->name))
		return;
	errnum = read_line(folder, file, text, sizeof(text));
	if (errnum != 0 || !mc_scan_i64(&at, &number) || *at != '\0') {
		chip->failed++;
		chip->errnum = errnum;
		return;
	}
	snprintf(label, sizeof(label), "%s_label", sensor->name);
	if (read_line(folder, label, sensor->label, sizeof(sensor->label)) != 0 ||
	    sensor->label[0] == '\0')
		memcpy(sensor->label, sensor->name, sizeof(sensor->label));
	sensor->type = kinds[kind].type;
	sensor->value = (double)number / kinds[kind].unit;
	chip->len++;
}

/* The last part of the target of a link; false if it is not a link. */
static bool read_link(const char *folder, const char *link, char out[TEXT_SIZE])
{
	char path[PATH_MAX + 16], target[PATH_SIZE];
	const char *name;
	ssize_t size;

	snprintf(path, sizeof(path), "%s/%s", folder, link);
	size = readlink(path, target, sizeof(target) - 1);
	if (size <= 0)
		return false;
	target[size] = '\0';
	name = strrchr(target, '/');
	name = name != NULL ? name + 1 : target;
	snprintf(out, TEXT_SIZE, "%.*s", TEXT_SIZE - 1, name);
	return true;
}

/* A chip is a device, or a part of one: of an NVMe drive the controller is on
 * no bus, but the device that it is a part of. */
static void name_chip(struct chip *chip, const char *prefix)
{
	char device[PATH_MAX], path[PATH_MAX + 8], subsystem[TEXT_SIZE];

	snprintf(path, sizeof(path), "%s/device", chip->folder);
	for (unsigned i = 0; i < PARENTS_MAX; i++) {
		if (realpath(path, device) == NULL)
			break;
		if (read_link(device, "subsystem", subsystem) &&
		    bus_name(prefix, subsystem, strrchr(device, '/') + 1, chip->name,
			     sizeof(chip->name)))
			return;
		snprintf(path, sizeof(path), "%s/device", device);
	}
	bus_virtual_name(prefix, chip->name, sizeof(chip->name));
}

int chip_read(void *argument)
{
	struct chip *chip = argument;
	char prefix[TEXT_SIZE], folder[PATH_SIZE];
	struct mc_names files = { 0 };
	int rc;

	/* Old drivers have their files in the device's folder. */
	snprintf(folder, sizeof(folder), "%s", chip->folder);
	if (read_line(folder, "name", prefix, sizeof(prefix)) != 0) {
		snprintf(folder, sizeof(folder), "%s/device", chip->folder);
		if (read_line(folder, "name", prefix, sizeof(prefix)) != 0)
			return 0;
	}
	if (prefix[0] == '\0')
		return 0;
	name_chip(chip, prefix);
	rc = mc_list_path(&files, folder, "");
	if (rc != 0) {
		chip->failed++;
		chip->errnum = -rc;
	}
	for (size_t i = 0; i < files.len; i++)
		read_sensor(chip, folder, files.items[i]);
	mc_names_done(&files);
	return 0;
}
