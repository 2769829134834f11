/* SPDX-License-Identifier: MIT */
/* Makes the parts of a series' name of a path such as "servers.web01.cpu.load;rack=7", as Graphite
 * and its relatives have them.
 *
 * A template is a line "FILTER WORDS [PART=VALUE...]", as in telegraf:
 *
 *   servers.*.cpu.**   skip.host.plugin.type_instance*   interval=300
 *
 * FILTER is compared with the components of a path, one by one; '*' and '?'
 * stand for characters of one component, "**" for one component or more.  A
 * path may be longer than its filter.  WORDS say what each component becomes:
 *
 *   host plugin plugin_instance type type_instance source
 *   plugin_and_instance type_and_instance     split at the first '-'
 *   skip, or nothing                          it is dropped
 *   WORD*                                     all that the others leave
 *
 * Components of the same word are joined by '.'.  Components that no word takes are appended to
 * the type instance, so that two paths are not one series by accident.  VALUE is a text or, as
 * "$TAG", the value of that tag; it stands before components of the same word.  A tag "host" is
 * the host; if there is a tag "plugin", those with the names of the words are taken for them.
 * With limit=warning, failure, min or max the value is that limit of the series, not one of its
 * own.  With check=state, host_state or state_type it says the state of a check. Other tags that no
 * template has taken are appended to the type instance, sorted: ",rack=7".
 *
 * Pure functions, but that a set of templates allocates.  Any thread. */
#pragma once

#include <collector/metadata.h>
#include <collector/plugin.h>

/* --- Templates ------------------------------------------------------------ */

struct mc_name_templates;

/* Of the lines, in their order; of a path the first that matches counts, and at
 * last one of our own: the first component is the host, all others are the type
 * instance.  A line that is one word is the name of templates that come along:
 * "collectd", "icinga2", "icinga2_influxdb".  NULL, and why in 'reason', if a
 * line is wrong; '*wrong' is its number. */
struct mc_name_templates *mc_name_templates_new(const struct mc_strings *lines, size_t *wrong,
						char *reason, size_t reason_size);
void mc_name_templates_free(struct mc_name_templates *); /* NULL is fine. */

/* --- Names ---------------------------------------------------------------- */

#define MC_NAME_PART_SIZE 240 /* With '\0'. */
#define MC_NAME_COMPONENTS_MAX 64
#define MC_NAME_TAGS_MAX 64

enum mc_name_check { /* Meaning of a value for a check of Icinga. */
		     MC_NAME_CHECK_NONE,
		     MC_NAME_CHECK_STATE, /* 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN. */
		     MC_NAME_CHECK_HOST,  /* That of a host: 0 UP, 1 DOWN. */
		     MC_NAME_CHECK_TYPE, /* 0: the state is soft, as the check is being tried again.
					  */
};

struct mc_name_made { /* Parts that no word has made are "". */
	char host[MC_NAME_PART_SIZE];
	char plugin[MC_NAME_PART_SIZE];
	char plugin_instance[MC_NAME_PART_SIZE];
	char type[MC_NAME_PART_SIZE];
	char type_instance[MC_NAME_PART_SIZE];
	char source[MC_NAME_PART_SIZE];
	mc_time interval; /* 0: not given. */
	enum mc_limit limit;
	enum mc_name_check check;
};

/* Makes a name of the path, without '\0', "COMPONENT.COMPONENT;TAG=VALUE".  False: it is empty, has
 * more components or tags, or longer ones, than there is room, or a tag without '='. */
bool mc_name_make(const struct mc_name_templates *, const char *path, size_t size,
		  struct mc_name_made *);
