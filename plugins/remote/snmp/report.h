/* SPDX-License-Identifier: MIT */
/* Samples of a pass. */
#pragma once

#include "device.h"

/* Commits what was read as a whole, and logs once what was not. */
void report_pass(struct pass *, struct device *);
