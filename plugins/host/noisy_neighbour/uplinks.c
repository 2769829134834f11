/* SPDX-License-Identifier: MIT */
#include "uplinks.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#include "parse.h"

#define WHOLE_SCANS 6 /* Of that number of scans one looks at all devices again. */
#define TAPS_MAX NICS_MAX
#define LEVELS_MAX 8 /* Of VLANs and bonds above each other. */
#define LOWER "lower_"

struct uplink_device {
	char name[TRAFFIC_NAME_SIZE];
	char lower[TRAFFIC_NAME_SIZE];  /* One that it is on; "": none. */
	char master[TRAFFIC_NAME_SIZE]; /* Of a port: its bridge; "": none. */
	unsigned lowers;
	bool is_tap, is_card, is_bond;
	size_t link;       /* Where it leads; NICS_NO_LINK: nowhere, ... */
	bool is_ambiguous; /* ... as there are several. */
};

struct tap {
	struct mc_map_node node;
	char name[TRAFFIC_NAME_SIZE];
};

/* Cut, which no name of a device is. */
static void copy_name(char out[TRAFFIC_NAME_SIZE], const char *name)
{
	size_t size = strnlen(name, TRAFFIC_NAME_SIZE - 1);

	memcpy(out, name, size);
	out[size] = '\0';
}

/* --- Devices -------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct uplink_device *)a)->name,
		      ((const struct uplink_device *)b)->name);
}

static struct uplink_device *find(const struct uplinks *uplinks, const char *name)
{
	struct uplink_device key;

	if (uplinks->devices_len == 0)
		return NULL;
	copy_name(key.name, name);
	return bsearch(&key, uplinks->devices, uplinks->devices_len, sizeof(key), compare);
}

static void take_entry(struct uplink_device *device, const char *name)
{
	if (strcmp(name, "tun_flags") == 0) {
		device->is_tap = true;
	} else if (strcmp(name, "device") == 0) {
		device->is_card = true;
	} else if (strcmp(name, "bonding") == 0) {
		device->is_bond = true;
	} else if (strncmp(name, LOWER, strlen(LOWER)) == 0) {
		device->lowers++;
		copy_name(device->lower, name + strlen(LOWER));
	}
}

/* The last part of the target of the symbolic link; "": none. */
static void read_master(const struct uplinks *uplinks, const char *device,
			char out[TRAFFIC_NAME_SIZE])
{
	char path[TRAFFIC_NAME_SIZE + 8], target[PATH_MAX];
	const char *name;
	ssize_t size;

	out[0] = '\0';
	snprintf(path, sizeof(path), "%s/master", device);
	size = readlinkat(uplinks->net.folder, path, target, sizeof(target) - 1);
	if (size <= 0)
		return;
	target[size] = '\0';
	name = strrchr(target, '/') != NULL ? strrchr(target, '/') + 1 : target;
	if (strlen(name) < TRAFFIC_NAME_SIZE)
		copy_name(out, name);
}

static void add_tap(struct uplinks *uplinks, const char *name)
{
	struct tap *tap;

	if (uplinks->taps.len >= TAPS_MAX)
		return;
	tap = mc_alloc_zero(sizeof(*tap));
	copy_name(tap->name, name);
	tap->node.key = tap->name;
	tap->node.key_size = strlen(tap->name);
	mc_map_add(&uplinks->taps, &tap->node);
}

static void forget_taps(struct uplinks *uplinks)
{
	struct mc_map_node *node = mc_map_next(&uplinks->taps, NULL);

	while (node != NULL) {
		struct mc_map_node *next = mc_map_next(&uplinks->taps, node);

		mc_map_remove(&uplinks->taps, node);
		free(node);
		node = next;
	}
}

static void look_at(struct uplinks *uplinks, const char *name)
{
	struct uplink_device device = { .link = NICS_NO_LINK };
	DIR *folder = mc_kept_open_folder(&uplinks->net, name);
	const struct dirent *entry;

	if (folder == NULL)
		return;
	while (!device.is_tap && (entry = readdir(folder)) != NULL)
		take_entry(&device, entry->d_name);
	closedir(folder);
	if (device.is_tap) {
		add_tap(uplinks, name);
		return;
	}
	copy_name(device.name, name);
	read_master(uplinks, name, device.master);
	MC_ARRAY_GROW(uplinks->devices, uplinks->devices_len, uplinks->devices_room);
	uplinks->devices[uplinks->devices_len++] = device;
}

static void list_devices(struct uplinks *uplinks)
{
	DIR *folder = mc_kept_open_folder(&uplinks->net, ".");
	const struct dirent *entry;

	uplinks->devices_len = 0;
	if (uplinks->scans++ % WHOLE_SCANS == 0)
		forget_taps(uplinks);
	if (folder == NULL)
		return;
	while ((entry = readdir(folder)) != NULL && uplinks->devices_len < UPLINKS_DEVICES_MAX) {
		size_t size = strlen(entry->d_name);

		if (entry->d_name[0] != '.' && size < TRAFFIC_NAME_SIZE &&
		    mc_map_find(&uplinks->taps, entry->d_name, size) == NULL)
			look_at(uplinks, entry->d_name);
	}
	closedir(folder);
	if (uplinks->devices_len > 1)
		qsort(uplinks->devices, uplinks->devices_len, sizeof(*uplinks->devices), compare);
}

/* --- Links ---------------------------------------------------------------- */

static double configured_speed(const struct uplinks *uplinks, const char *name)
{
	for (size_t i = 0; i < uplinks->options_len; i++)
		if (strcmp(uplinks->options[i].name, name) == 0)
			return uplinks->options[i].speed;
	return 0;
}

/* In Mbit/s; 0: unknown, or it is no link. */
static double speed_of(struct uplinks *uplinks, const struct uplink_device *device)
{
	double configured = configured_speed(uplinks, device->name);
	char path[TRAFFIC_NAME_SIZE + 8];
	uint64_t speed;

	if (configured > 0 || (!device->is_card && !device->is_bond))
		return configured;
	/* It is -1 or UINT32_MAX where the kernel does not know it. */
	snprintf(path, sizeof(path), "%s/speed", device->name);
	if (mc_kept_read_once(&uplinks->net, path) <= 0 ||
	    !parse_count(uplinks->net.text, &speed) || speed >= INT32_MAX)
		return 0;
	return (double)speed;
}

/* The number of that link, which may be new; NICS_NO_LINK at the limit. */
static size_t find_link(struct uplinks *uplinks, const char *name, double speed)
{
	size_t i = 0;

	while (i < uplinks->len && strcmp(uplinks->items[i].name, name) != 0)
		i++;
	if (i == uplinks->len) {
		if (i >= UPLINKS_MAX)
			return NICS_NO_LINK;
		MC_ARRAY_GROW(uplinks->items, uplinks->len, uplinks->room);
		uplinks->items[i] = (struct uplink){ 0 };
		copy_name(uplinks->items[i].name, name);
		traffic_init(&uplinks->items[i].traffic);
		uplinks->len++;
	}
	uplinks->items[i].speed = speed * UPLINKS_MBIT;
	uplinks->items[i].is_there = true;
	return i;
}

/* Follows a device downwards, to the first one that has a speed. */
static size_t descend(struct uplinks *uplinks, const struct uplink_device *device)
{
	for (unsigned level = 0; device != NULL && level < LEVELS_MAX; level++) {
		double speed = speed_of(uplinks, device);

		if (speed > 0)
			return find_link(uplinks, device->name, speed);
		if (device->is_card || device->lowers != 1)
			return NICS_NO_LINK;
		device = find(uplinks, device->lower);
	}
	return NICS_NO_LINK;
}

/* A bridge leads where its ports do. */
static void lead(struct uplink_device *master, size_t link)
{
	if (master->link != NICS_NO_LINK && master->link != link)
		master->is_ambiguous = true;
	master->link = link;
}

static void find_links(struct uplinks *uplinks)
{
	for (size_t i = 0; i < uplinks->devices_len; i++) {
		struct uplink_device *device = &uplinks->devices[i];
		struct uplink_device *master =
			device->master[0] != '\0' ? find(uplinks, device->master) : NULL;
		size_t link = descend(uplinks, device);

		if (link == NICS_NO_LINK)
			continue;
		lead(device, link);
		if (master != NULL && !master->is_bond)
			lead(master, link);
	}
}

/* Numbers change: interfaces of guests are assigned anew after a scan. */
static void forget_gone(struct uplinks *uplinks)
{
	size_t len = 0, moved[UPLINKS_MAX];

	for (size_t i = 0; i < uplinks->len; i++) {
		moved[i] = len;
		if (uplinks->items[i].is_there)
			uplinks->items[len++] = uplinks->items[i];
		else
			traffic_close(&uplinks->items[i].traffic, &uplinks->net);
	}
	uplinks->len = len;
	for (size_t i = 0; i < uplinks->devices_len; i++)
		if (uplinks->devices[i].link != NICS_NO_LINK)
			uplinks->devices[i].link = moved[uplinks->devices[i].link];
}

void uplinks_scan(struct uplinks *uplinks)
{
	for (size_t i = 0; i < uplinks->len; i++)
		uplinks->items[i].is_there = false;
	list_devices(uplinks);
	find_links(uplinks);
	forget_gone(uplinks);
}

void uplinks_read(struct uplinks *uplinks)
{
	for (size_t i = 0; i < uplinks->len; i++)
		traffic_read(&uplinks->items[i].traffic, &uplinks->net, uplinks->items[i].name);
}

size_t uplinks_of(struct uplinks *uplinks, const char *device)
{
	const struct uplink_device *found = find(uplinks, device);
	char master[TRAFFIC_NAME_SIZE];

	if (found == NULL) {
		read_master(uplinks, device, master);
		found = find(uplinks, master);
	}
	return found != NULL && !found->is_ambiguous ? found->link : NICS_NO_LINK;
}

void uplinks_done(struct uplinks *uplinks)
{
	for (size_t i = 0; i < uplinks->len; i++)
		traffic_close(&uplinks->items[i].traffic, &uplinks->net);
	free(uplinks->items);
	free(uplinks->devices);
	forget_taps(uplinks);
	mc_map_done(&uplinks->taps);
}
