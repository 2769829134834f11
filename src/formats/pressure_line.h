/* SPDX-License-Identifier: MIT */
/* One line of the kernel's files of pressure, in /proc/pressure and in control groups
 * (Documentation/accounting/psi.rst). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <collector/plugin.h>
#include <collector/scan.h>

#define MC_PRESSURE_AVERAGES 3

static const char *const mc_pressure_averages[MC_PRESSURE_AVERAGES] = { "avg10", "avg60",
									"avg300" };

struct mc_pressure_line {
	const char *level;                     /* "some" or "full". */
	double averages[MC_PRESSURE_AVERAGES]; /* Percent. */
	uint64_t total;                        /* Microseconds. */
};

/* Reads "some avg10=0.00 avg60=0.00 avg300=0.00 total=0", and the end of the line, which a line
 * that is cut lacks; false, and 'out' is left alone, if it is another.  Pure. */
static inline bool mc_pressure_line(const char *at, struct mc_pressure_line *out)
{
	struct mc_pressure_line line = { .level = "some" };

	if (!mc_scan_text(&at, "some")) {
		line.level = "full";
		if (!mc_scan_text(&at, "full"))
			return false;
	}
	for (size_t i = 0; i < MC_PRESSURE_AVERAGES; i++)
		if (!mc_scan_text(&at, mc_pressure_averages[i]) || !mc_scan_text(&at, "=") ||
		    !mc_scan_decimal(&at, &line.averages[i]) || !mc_scan_at_end(at) ||
		    line.averages[i] > 100.1)
			return false;
	if (!mc_scan_text(&at, "total=") || !mc_scan_u64(&at, &line.total) || !mc_scan_at_end(at) ||
	    line.total > INT64_MAX || strchr(at, '\n') == NULL)
		return false;
	*out = line;
	return true;
}
