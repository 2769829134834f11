/* SPDX-License-Identifier: MIT */
/* A notification as the result of a check, as
 * Nagios and its kin know them: a host, a service, a state.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kit/base/name_globs.h"
#include <collector/plugin.h>

/* The row of an option table for which notifications become results. */
#define MC_CHECK_RESULT_MATCH(self, field)                                                         \
	{                                                                                          \
		"Match", MC_OPT_STRINGS(self, field),                                              \
			.sample = "*/df-*/percent_bytes-used",                                     \
			.help = "Sends only notifications about series whose "                     \
				"names match one of these globs; by default "                      \
				"all but those of the plugin perfdata, which "                     \
				"Nagios has judged itself."                                        \
	}

/* The row for the count of results that are not sent, as there is no such service. */
#define MC_CHECK_RESULT_STATS(self, field)                                                         \
	{                                                                                          \
		"ReportStats", MC_OPT_BOOL(self, field),                                           \
			.default_value = "false",                                                  \
			.help = "Reports results that were not sent, as there is no such service." \
	}

/* Whether a notification becomes a result; 'host' is that of one without. */
static inline bool mc_check_result_wanted(const struct mc_strings *match, const struct mc_id *id,
					  const char *host)
{
	if (match->len > 0)
		return mc_name_globs_match(match, id, host);
	return id->plugin == NULL || strcmp(id->plugin, "perfdata") != 0;
}

/* 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN: what check plugins exit with. */
static inline int mc_check_result_state(enum mc_severity severity)
{
	switch (severity) {
	case MC_OKAY:
		return 0;
	case MC_WARNING:
		return 1;
	case MC_FAILURE:
		return 2;
	}
	return 3;
}

/* The name of the service, PLUGIN-INSTANCE/TYPE-INSTANCE without what is
 * missing, cut at 'size' bytes; ';', which ends a field of Nagios's commands,
 * and '!', which ends the host in Icinga's names, become '_'. */
static inline void mc_check_result_service(const struct mc_id *id, char *out, size_t size)
{
	const char *const parts[] = { id->plugin, id->plugin_instance, id->type,
				      id->type_instance };
	static const char between[] = "\0-/-";
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < 4; i++) {
		char separator[2] = { between[i], '\0' };

		if (parts[i] == NULL || parts[i][0] == '\0')
			continue;
		if (used < size)
			used += (size_t)snprintf(out + used, size - used, "%s%s",
						 used > 0 ? separator : "", parts[i]);
	}
	for (char *c = out; *c != '\0'; c++)
		if (*c == ';' || *c == '!')
			*c = '_';
}
