/* SPDX-License-Identifier: MIT */
/* collector/private/storage_label.h - a label of a guest that says which storage its disks are on:
 * virt sets it, and collectors send it to each other.
 *
 *   vda vdb @sda;vdc nfs4:server:/export
 *
 * Names of disks, as their series have them, and at the end of each entry the storage that these
 * are on; '@' means a device or file system of the guest's hypervisor, so one of that name
 * elsewhere is another one.  Blanks, ';' and control characters in names are '_'. */
#pragma once

#include <collector/label.h>

#define MC_STORAGE_LABEL ".storage"
#define MC_STORAGE_SIZE 96 /* Of the name of a storage. */

/* A character as it is in a name. */
static inline char mc_storage_character(char c)
{
	return (unsigned char)c <= ' ' || c == ';' || c == 127 ? '_' : c;
}
