/* SPDX-License-Identifier: MIT */
/* The file of a series, when its first sample comes. */
#pragma once

#include <collector/plugin.h>

struct file;
struct mc_sample;

/* With the lock, which is given up meanwhile: the disk may be slow.  Opens the file of a series and
 * puts it into the slot; NULL: it has no sound path, rrdcached->missing says why. */
struct file *series_file_open(struct mc_ctx *, const struct mc_sample *, void **slot);
