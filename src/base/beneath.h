/* SPDX-License-Identifier: MIT */
/* Files below a folder: see <collector/private/beneath.h>. */
#pragma once

#include <collector/private/beneath.h>

/* Does the work of mc_open_beneath() if the kernel lacks openat2(2). */
int beneath_walk(int folder, const char *path, int flags, mode_t mode);
