/* SPDX-License-Identifier: MIT */
/* FORGET ends series that were taken out of service, SCAN finds those that have ended; their files
 * lie on a disk. */
#pragma once

#include "errands.h"

/* The errand for series that match the glob, which is copied. */
struct errand *past_forget(const char *glob, bool files);

/* The one for series that writers have files of. */
struct errand *past_scan(void);
