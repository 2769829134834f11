/* SPDX-License-Identifier: MIT */
#include "disk_name.h"

#include <stdio.h>
#include <string.h>

#include "guests.h"
#include "names.h"
#include "virt.h"

const char *disk_name(const struct virt *self, const struct guest *guest,
		      const struct decode_device *disk, char out[DECODE_NAME_MAX + 1])
{
	const char *name = self->disk_format == DISK_SOURCE ? disk->path : disk->name;
	const char *slash;
	char selector[GUESTS_NAME_SIZE + DECODE_NAME_MAX + 2];

	if (name == NULL || name[0] == '\0')
		return NULL;
	snprintf(selector, sizeof(selector), "%s:%s", guest->name, name);
	if (!mc_selected(self->disks, self->ignore, selector))
		return NULL;
	slash = strrchr(name, '/');
	if (self->disk_format == DISK_SOURCE && self->disk_basename && slash != NULL)
		name = slash + 1;
	else if (name[0] == '/') /* As collectd makes a path a name. */
		name++;
	names_clean(name, out, DECODE_NAME_MAX + 1);
	return out;
}
