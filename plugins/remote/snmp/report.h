/* SPDX-License-Identifier: MIT */
/* Samples of a pass. */
#ifndef SNMP_REPORT_H
#define SNMP_REPORT_H

#include "device.h"

/* Commits what was read as a whole, and logs once what was not. */
void report_pass(struct pass *, struct device *);

#endif
