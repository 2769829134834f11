/* SPDX-License-Identifier: MIT */
/* On which storage the disks of a guest are, by its label: collector/private/storage_label.h.
 * Pure. */
#pragma once

#include <stdbool.h>

#include <collector/private/storage_label.h>

/* Finds the storage of a disk; false if the label does not have it. */
bool places_find(const char *label, const char *disk, char storage[MC_STORAGE_SIZE]);
