/* SPDX-License-Identifier: MIT */
#include "devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

/* "DEVNAME=sda" in its uevent. */
static void look_up(const struct devices *devices, struct device *device)
{
	char path[MC_KEPT_PATH_SIZE];
	struct mc_kept_files own = { .folder = -1 };
	const char *name = NULL;

	snprintf(path, sizeof(path), "%s/%u:%u/uevent", devices->folder, device->major,
		 device->minor);
	if (mc_kept_read_once(&own, path) > 0)
		name = strstr(own.text, "DEVNAME=");
	if (name != NULL) {
		size_t size;

		name += strlen("DEVNAME=");
		size = strcspn(name, "\n");
		if (size > 0 && size < DEVICES_NAME_SIZE && name[size] != '\0') {
			memcpy(device->name, name, size);
			device->name[size] = '\0';
			return;
		}
	}
	snprintf(device->name, sizeof(device->name), "%u:%u", device->major, device->minor);
}

const char *devices_name(struct devices *devices, unsigned major, unsigned minor,
			 char out[DEVICES_NAME_SIZE])
{
	struct device device = { .major = major, .minor = minor };

	for (size_t i = 0; i < devices->len; i++)
		if (devices->items[i].minor == minor && devices->items[i].major == major)
			return devices->items[i].name;
	look_up(devices, &device);
	if (devices->len < DEVICES_MAX) {
		if ((devices->len & (devices->len - 1)) == 0)
			devices->items = mc_alloc_resize(devices->items, devices->len * 2 + 1,
							 sizeof(*devices->items));
		devices->items[devices->len++] = device;
	}
	memcpy(out, device.name, sizeof(device.name));
	return out;
}

void devices_forget(struct devices *devices)
{
	free(devices->items);
	devices->items = NULL;
	devices->len = 0;
}
