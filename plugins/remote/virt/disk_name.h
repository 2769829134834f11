/* SPDX-License-Identifier: MIT */
/* The name that a guest's disk has in series. */
#pragma once

#include "decode.h"

struct guest;
struct virt;

/* The type instance of a disk by its name and path, or NULL if it is not to be reported. */
const char *disk_name(const struct virt *self, const struct guest *guest,
		      const struct decode_device *disk, char out[DECODE_NAME_MAX + 1]);
