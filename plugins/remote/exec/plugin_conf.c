/* SPDX-License-Identifier: MIT */
#include "plugin_conf.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define BLANKS " \t\r\v\f"

/* --- Reading ------------------------------------------------------------- */

/* Cuts off a comment and blanks around; "\#" is a '#'. */
static char *strip(char *line)
{
	char *to = line, *at = line;

	for (; *at != '\0' && *at != '#'; at++) {
		if (*at == '\\' && at[1] == '#')
			at++;
		*to++ = *at;
	}
	while (to > line && strchr(BLANKS, to[-1]) != NULL)
		to--;
	*to = '\0';
	return line + strspn(line, BLANKS);
}

static bool is_key(const char *key)
{
	static const char *const keys[] = { "user",      "group",   "command",
					    "host_name", "timeout", "update_rate" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return strncmp(key, "env.", 4) == 0 && key[4] != '\0' && strchr(key, '=') == NULL;
}

static bool add(struct plugin_conf *conf, const char *section, const char *key, const char *value)
{
	if (conf->len == PLUGIN_CONF_LINES_MAX)
		return false;
	MC_ARRAY_GROW(conf->items, conf->len, conf->room);
	conf->items[conf->len++] = (struct plugin_conf_line){
		.section = mc_alloc_copy(section),
		.key = mc_alloc_copy(key),
		.value = mc_alloc_copy(value),
	};
	return true;
}

/* "[NAME]": the name, or NULL. */
static char *section_of(char *line)
{
	size_t size = strlen(line);

	if (line[0] != '[' || size < 3 || line[size - 1] != ']' ||
	    strchr(line, ']') != line + size - 1)
		return NULL;
	line[size - 1] = '\0';
	return line + 1;
}

static bool take_line(struct plugin_conf *conf, char **section, char *line)
{
	char *found = section_of(line), *value;

	if (found != NULL) {
		*section = found;
		return true;
	}
	value = line + strcspn(line, BLANKS);
	if (*section == NULL || *value == '\0')
		return false;
	*value++ = '\0';
	value += strspn(value, BLANKS);
	return is_key(line) && add(conf, *section, line, value);
}

unsigned plugin_conf_take(struct plugin_conf *conf, char *text)
{
	char *section = NULL, *line;

	for (unsigned number = 1; (line = strsep(&text, "\n")) != NULL; number++) {
		line = strip(line);
		if (*line != '\0' && !take_line(conf, &section, line))
			return number;
	}
	return 0;
}

/* --- Answers ------------------------------------------------------------- */

/* "if_*" and "*_load"; the former are regular expressions in munin-node, whose
 * other signs nobody uses. */
static bool fits(const char *section, const char *plugin)
{
	size_t size = strlen(section), name = strlen(plugin);

	if (section[size - 1] == '*')
		return strncmp(section, plugin, size - 1) == 0;
	return section[0] == '*' && name >= size - 1 &&
	       strcmp(plugin + name - (size - 1), section + 1) == 0;
}

/* Whether 'line' counts more than 'found', for that plugin. */
static bool is_better(const struct plugin_conf_line *line, const struct plugin_conf_line *found,
		      const char *plugin)
{
	if (strcmp(line->section, plugin) == 0)
		return true;
	if (!fits(line->section, plugin))
		return false;
	return found == NULL ||
	       (strcmp(found->section, plugin) != 0 && strcmp(line->section, found->section) >= 0);
}

static const struct plugin_conf_line *find(const struct plugin_conf *conf, const char *plugin,
					   const char *key)
{
	const struct plugin_conf_line *found = NULL;

	for (size_t i = 0; i < conf->len; i++)
		if (strcmp(conf->items[i].key, key) == 0 &&
		    is_better(&conf->items[i], found, plugin))
			found = &conf->items[i];
	return found;
}

const char *plugin_conf_find(const struct plugin_conf *conf, const char *plugin, const char *key)
{
	const struct plugin_conf_line *found = find(conf, plugin, key);

	return found != NULL ? found->value : NULL;
}

const char *plugin_conf_variable(const struct plugin_conf *conf, const char *plugin, size_t i)
{
	const char *key = conf->items[i].key;

	if (strncmp(key, "env.", 4) != 0 || find(conf, plugin, key) != &conf->items[i])
		return NULL;
	return key;
}

void plugin_conf_done(struct plugin_conf *conf)
{
	for (size_t i = 0; i < conf->len; i++) {
		free(conf->items[i].section);
		free(conf->items[i].key);
		free(conf->items[i].value);
	}
	free(conf->items);
	*conf = (struct plugin_conf){ 0 };
}
