/* SPDX-License-Identifier: MIT */
/* Devices come and go, and so does what is known of them.  A property of udev
 * is a line "E:NAME=value" in /run/udev/data/bMAJOR:MINOR, as in udevadm(8)
 * info, or else one of the kernel, "NAME=value" in /sys/dev/block/MAJOR:MINOR/uevent;
 * reading it there needs no libudev. */
#include "device.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/scan.h>

#define UDEV_RECORD_SIZE 16384 /* Larger ones are read up to here. */

/* Counters of 32 bits wrap, all others only go back when the device was
 * replaced by another of its name. */
static uint64_t change(uint64_t before, uint64_t now)
{
	if (now >= before)
		return now - before;
	if (before <= UINT32_MAX && before > UINT32_MAX / 2)
		return now + (UINT64_C(1) << 32) - before;
	return now;
}

#define CENTURIES_MS 1e13 /* No counter of times gets there. */

/* The average time of a request, times the seconds of the interval, rounded. */
static uint64_t weigh(uint64_t time_ms, uint64_t ops, mc_time interval)
{
	double seconds = (double)interval / (double)MC_SECOND;
	double sum;

	if (ops == 0)
		return 0;
	sum = seconds * ((double)time_ms / (double)ops);
	return sum < CENTURIES_MS ? (uint64_t)(sum + 0.5) : 0;
}

static void update(struct device *device, const uint64_t now[COUNTERS_LEN], mc_time interval)
{
	uint64_t changes[COUNTERS_LEN];

	for (size_t i = 0; i < COUNTERS_LEN; i++) {
		changes[i] = change(device->counters[i], now[i]);
		device->counters[i] = now[i];
	}
	device->read_octets += 512 * changes[READ_SECTORS];
	device->write_octets += 512 * changes[WRITE_SECTORS];
	device->read_time += weigh(changes[READ_TIME], changes[READ_OPS], interval);
	device->write_time += weigh(changes[WRITE_TIME], changes[WRITE_OPS], interval);
	if (now[READ_MERGED] != 0 || now[WRITE_MERGED] != 0)
		device->was_merged = true;
	if (now[IN_FLIGHT] != 0)
		device->was_pending = true;
	if (now[BUSY_TIME] != 0)
		device->was_busy = true;
}

static struct device *add(struct devices *devices, struct mc_word name)
{
	struct device *device;

	MC_ARRAY_GROW(devices->items, devices->len, devices->size);
	device = &devices->items[devices->len++];
	*device = (struct device){ 0 };
	memcpy(device->name, name.text, name.size);
	return device;
}

/* The device of that name, which is moved to 'index', or added there: devices
 * before it have been met in this read.  The order of the file hardly ever
 * changes, so it is most often there already. */
static struct device *place(struct devices *devices, size_t index, struct mc_word name)
{
	struct device *device = NULL, moved;

	for (size_t i = index; i < devices->len && device == NULL; i++)
		if (strncmp(devices->items[i].name, name.text, name.size) == 0 &&
		    devices->items[i].name[name.size] == '\0')
			device = &devices->items[i];
	if (device == NULL)
		device = add(devices, name);
	if (device == &devices->items[index])
		return device;
	moved = *device;
	*device = devices->items[index];
	devices->items[index] = moved;
	return &devices->items[index];
}

/* Takes a line "8 1 sda1 12 34 ..." over to the device at 'index'; false if it is another line. */
static bool take_line(struct devices *devices, size_t index, const char *line, mc_time interval)
{
	uint64_t numbers[2], row[COUNTERS_LEN];
	struct device *device;
	struct mc_word name;

	if (mc_scan_row(&line, numbers, 2) != 2 || !mc_scan_word(&line, &name) ||
	    name.size >= sizeof(device->name) ||
	    mc_scan_row(&line, row, COUNTERS_LEN) != COUNTERS_LEN)
		return false;
	device = place(devices, index, name);
	if (device == NULL)
		return false;
	device->major = numbers[0];
	device->minor = numbers[1];
	update(device, row, interval);
	return true;
}

static void release(struct device *device)
{
	for (size_t i = 0; i < SERIES_LEN; i++) {
		mc_release(device->held[i]);
		device->held[i] = NULL;
	}
}

/* Keeps the first 'len' devices. */
static void forget_beyond(struct devices *devices, size_t len)
{
	while (devices->len > len)
		release(&devices->items[--devices->len]);
}

bool device_update(struct devices *devices, const char *text, mc_time interval)
{
	size_t found = 0;

	do {
		if (take_line(devices, found, text, interval))
			found++;
	} while (mc_scan_line(&text));
	if (found > 0)
		forget_beyond(devices, found);
	return found > 0;
}

/* Copies the value of 'attribute', in a line that begins with 'mark', into 'out', after 'folder';
 * false without one. */
static bool find_attribute(const char *record, const char *mark, const char *attribute,
			   const char *folder, char out[LABEL_SIZE])
{
	do {
		const char *at = record;
		size_t length;

		if (!mc_scan_text(&at, mark) || !mc_scan_text(&at, attribute) || *at++ != '=')
			continue;
		length = strcspn(at, "\n");
		if (length == 0)
			return false;
		snprintf(out, LABEL_SIZE, "%s%.*s", folder, (int)length, at);
		return true;
	} while (mc_scan_line(&record));
	return false;
}

/* Reads a record of the device, whose numbers stand between 'before' and 'after' in its path; false
 * without one. */
static bool read_record(struct mc_ctx *ctx, const struct device *device, const char *before,
			const char *after, char record[UDEV_RECORD_SIZE])
{
	char name[64], path[4096];
	ssize_t size;
	int fd;

	snprintf(name, sizeof(name), "%s%u:%u%s", before, (unsigned)device->major,
		 (unsigned)device->minor, after);
	fd = open(mc_path(ctx, name, path, sizeof(path)), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	size = read(fd, record, UDEV_RECORD_SIZE - 1);
	close(fd);
	if (size < 0)
		return false;
	record[size] = '\0';
	return true;
}

/* Looks the label up in udev's record of the device, then in the kernel's, whose DEVNAME is a path
 * below /dev for libudev; false if neither has it. */
static bool find_label(struct mc_ctx *ctx, const struct device *device, const char *attribute,
		       char out[LABEL_SIZE])
{
	char record[UDEV_RECORD_SIZE];
	const char *folder = strcmp(attribute, "DEVNAME") == 0 ? "/dev/" : "";

	return (read_record(ctx, device, "/run/udev/data/b", "", record) &&
		find_attribute(record, "E:", attribute, "", out)) ||
	       (read_record(ctx, device, "/sys/dev/block/", "/uevent", record) &&
		find_attribute(record, "", attribute, folder, out));
}

void device_label(struct mc_ctx *ctx, struct device *device, const char *attribute)
{
	char found[LABEL_SIZE];
	const char *label = device->name;

	if (attribute != NULL && find_label(ctx, device, attribute, found))
		label = found;
	if (strcmp(label, device->label) == 0)
		return;
	release(device);
	snprintf(device->label, LABEL_SIZE, "%s", label);
}

void device_free(struct devices *devices)
{
	forget_beyond(devices, 0);
	free(devices->items);
	*devices = (struct devices){ 0 };
}
