/* SPDX-License-Identifier: MIT */
/* FORGET: ends series that were taken out of service; their files lie on a disk. */
#pragma once

#include "errands.h"

/* The errand for series that match the glob, which is copied. */
struct errand *forget_errand(const char *glob, bool files);
