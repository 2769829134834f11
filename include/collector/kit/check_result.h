/* SPDX-License-Identifier: MIT */
/* collector/kit/check_result.h - a notification as the result of a check, as
 * Nagios and its kin know them: a host, a service, a state.  Pure functions. */
#ifndef COLLECTOR_KIT_CHECK_RESULT_H
#define COLLECTOR_KIT_CHECK_RESULT_H

#include <stdio.h>

#include <collector/plugin.h>

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
static inline void mc_check_result_service(const struct mc_id *id, char *out,
					   size_t size)
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
			used += (size_t)snprintf(
				out + used, size - used, "%s%s",
				used > 0 ? separator : "", parts[i]);
	}
	for (char *c = out; *c != '\0'; c++)
		if (*c == ';' || *c == '!')
			*c = '_';
}

#endif
