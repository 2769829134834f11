/* SPDX-License-Identifier: MIT */
/* Which control groups are those of virtual machines under libvirt, and of which (libvirt's
 * "Control Groups Resource Management", systemd-machined(8)).  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The name of the guest in the name of a group, such as "machine-qemu\x2d1\x2dweb.scope", or
 * "qemu-1-web.libvirt-qemu" without systemd; false if it is not a guest's. libvirt leaves
 * characters out there, and cuts it. */
bool guest_of_group(const char *group, char *out, size_t size);
