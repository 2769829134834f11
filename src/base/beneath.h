/* SPDX-License-Identifier: MIT */
/* Files below a folder: see <collector/beneath.h>. */
#pragma once

#include <collector/beneath.h>

/* What mc_open_beneath() does where the kernel has no openat2(2). */
int beneath_walk(int folder, const char *path, int flags, mode_t mode);
