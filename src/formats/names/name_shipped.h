/* SPDX-License-Identifier: MIT */
/* Templates of names that come along, for formats/names/name_template.c.
 *
 * Facts: what Icinga 2.13 and collectd 5.12 send. */
#pragma once

/* Those of values, and of the limits that Icinga sends beside them. */
#define WITH_LIMITS(filter, words)                                                                 \
	filter ".value " words, filter ".warn " words " limit=warning",                            \
		filter ".crit " words " limit=failure", filter ".min " words " limit=min",         \
		filter ".max " words " limit=max"

/* States of checks, which come with enable_send_metadata. */
#define WITH_STATES(filter, state, words)                                                          \
	filter ".state " words " check=" state, filter ".state_type " words " check=state_type"

#define NAME_SHIPPED_MAX 24
static const struct name_shipped {
	const char *name;
	const char *lines[NAME_SHIPPED_MAX];
} name_shipped[] = {
	{ "collectd", { "*.*.* host.plugin_and_instance.type_and_instance.source" } },
	{ "icinga2",
	  { WITH_LIMITS("icinga2.*.services.*.*.perfdata.**",
			"skip.host.skip.plugin_instance.skip.skip.type_instance*.skip"),
	    "icinga2.*.services.*.*.perfdata.** "
	    "skip.host.skip.plugin_instance.skip.skip.type_instance*",
	    WITH_STATES("icinga2.*.services.*.*.metadata", "state",
			"skip.host.skip.plugin_instance.skip.type_instance*"),
	    "icinga2.*.services.*.*.metadata.* "
	    "skip.host.skip.plugin_instance.skip.type_instance*",
	    WITH_LIMITS("icinga2.*.host.*.perfdata.**",
			"skip.host.plugin_instance.skip.skip.type_instance*.skip"),
	    "icinga2.*.host.*.perfdata.** "
	    "skip.host.plugin_instance.skip.skip.type_instance*",
	    WITH_STATES("icinga2.*.host.*.metadata", "host_state",
			"skip.host.plugin_instance.skip.type_instance*"),
	    "icinga2.*.host.*.metadata.* "
	    "skip.host.plugin_instance.skip.type_instance*",
	    "icinga.service.*.** skip.skip.plugin_instance.type_instance* "
	    "plugin=opentsdb",
	    "icinga.host.** skip.plugin_instance.type_instance* "
	    "plugin=opentsdb" } },
	{ "icinga2_influxdb",
	  { WITH_LIMITS("*", "skip.skip host=$hostname plugin_instance=$service "
			     "type_instance=$metric"),
	    WITH_STATES("*", "state",
			"skip.type_instance* host=$hostname plugin_instance=$service"),
	    "** skip.type_instance* host=$hostname "
	    "plugin_instance=$service type_instance=$metric" } },
};
