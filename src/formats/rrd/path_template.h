/* SPDX-License-Identifier: MIT */
/* Paths of files by a template: for writers that carry on a tree of files which another program has
 * begun.
 *
 * "%{host}-%{plugin_instance/./-}-%{type_instance}-%{kind}" is text with fields:
 *
 *   %{host} %{plugin} %{plugin_instance} %{type} %{type_instance}
 *                 the parts of the series' name; plugin and type end at their
 *                 first '-'
 *   %{kind}       "g", "d", "c" or "a": GAUGE, DERIVE, COUNTER or ABSOLUTE
 *   %{label:NAME} the label NAME of the host: see <collector/label.h>
 *
 * %{FIELD/CHARS/C} is the field with each character of CHARS made C.  A '/' in a field becomes '_',
 * but C may be '/': "%{label:group/;//}".
 *
 * A path that comes out is safe below a folder: no component is empty, starts with a dot, is too
 * long for a file system or has control characters.  Two series may have one path; that is for the
 * caller to find out.
 */
#pragma once

#include <collector/plugin.h>

#define MC_PATH_TEMPLATE_SIZE 1024 /* Of a path, with '\0'. */
#define MC_PATH_TEMPLATE_WHY 256   /* Of a reason, with '\0'. */

struct mc_path_facts { /* Of a series. */
	const char *name;
	const char *kind; /* "": its type is not known. */
	/* Writes that label of its host; false without one. */
	bool (*label)(void *argument, const char *label, char *out, size_t size);
	void *argument;
};

/* Writes the path; false, and 'why', if none results.  Pure. */
bool mc_path_template_fill(const char *text, const struct mc_path_facts *,
			   char out[static MC_PATH_TEMPLATE_SIZE],
			   char why[static MC_PATH_TEMPLATE_WHY]);

/* Whether it is a template under which series can have files of their own. */
bool mc_path_template_is_sound(const char *text, char why[static MC_PATH_TEMPLATE_WHY]);

#define MC_PATH_PARTS 5       /* Of a name. */
#define MC_PATH_PART_SIZE 256 /* With '\0'. */

struct mc_path_parts {
	/* Host, plugin, its instance, type, its instance; "": the template has no such field. */
	char items[MC_PATH_PARTS][MC_PATH_PART_SIZE];
	char kind;
};

/* The parts of a series that may have that path: characters that the template has changed stay as
 * they are in the path.  'kind' is that of its data sources.  False: no series has it, or the
 * template has labels.  Pure. */
bool mc_path_template_match(const char *text, const char *path, char kind, struct mc_path_parts *);

struct mc_path_missing { /* Why series have no file.  All zero: each has one. */
	char why[MC_PATH_TEMPLATE_WHY], text[MC_PATH_TEMPLATE_WHY + 128];
};

/* "'web/cpu-0/cpu-idle' has no file: WHY", of the first series with that reason: so a log has one
 * line for all of them.  Any thread; the caller locks. */
const char *mc_path_missing(struct mc_path_missing *, const char *name, const char *why);
