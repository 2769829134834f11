/* SPDX-License-Identifier: MIT */
#include "formats/snmp/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "formats/snmp/names_table.h"

struct word { /* Within a text. */
	const char *text;
	size_t size;
};

static bool word_is(const struct word *word, const char *text)
{
	return strlen(text) == word->size && memcmp(word->text, text, word->size) == 0;
}

/* The number before the name in "1 ifIndex 2 ifDescr"; false: it is not there. */
static bool find_child(const char *children, const struct word *name, struct word *number)
{
	while (*children != '\0') {
		size_t first = strcspn(children, " ");
		const char *second = children + first + 1;
		size_t size = strcspn(second, " ");

		if (size == name->size && memcmp(second, name->text, size) == 0) {
			*number = (struct word){ children, first };
			return true;
		}
		children = second + size;
		children += *children == ' ';
	}
	return false;
}

bool mc_snmp_find_name(const char *text, struct mc_object_id *id)
{
	const char *colons = strstr(text, "::");
	struct word module = { text, colons != NULL ? (size_t)(colons - text) : 0 };
	struct word name = { colons != NULL ? colons + 2 : text, 0 }, number;

	name.size = strcspn(name.text, ".");
	if (colons == NULL && mc_object_id_parse(text, id))
		return true;
	for (const struct names_group *group = names_table; group->parent != NULL; group++) {
		char *numbers;
		bool good;

		if ((colons != NULL && !word_is(&module, group->module)) ||
		    !find_child(group->children, &name, &number))
			continue;
		numbers = mc_alloc_printf("%s.%.*s%s", group->parent, (int)number.size, number.text,
					  name.text + name.size);
		good = mc_object_id_parse(numbers, id);
		free(numbers);
		return good;
	}
	return false;
}

/* --- And back ------------------------------------------------------------- */

/* The name of a group's child with that number; false: it has none. */
static bool name_of_child(const char *children, oid number, struct word *name)
{
	while (*children != '\0') {
		const char *second = strchr(children, ' ') + 1;
		size_t size = strcspn(second, " ");

		if (strtoul(children, NULL, 10) == number) {
			*name = (struct word){ second, size };
			return true;
		}
		children = second + size;
		children += *children == ' ';
	}
	return false;
}

/* The group with the longest name for a start of 'id'. */
static size_t find_start(const struct mc_object_id *id, struct word *name)
{
	size_t longest = 0;

	for (const struct names_group *group = names_table; group->parent != NULL; group++) {
		struct mc_object_id parent;
		struct word found;

		if (!mc_object_id_parse(group->parent, &parent))
			continue;
		if (parent.len >= longest && id->len > parent.len &&
		    mc_object_id_begins(id, &parent) &&
		    name_of_child(group->children, id->ids[parent.len], &found)) {
			longest = parent.len + 1;
			*name = found;
		}
		mc_object_id_done(&parent);
	}
	return longest;
}

const char *mc_snmp_name_of(const struct mc_object_id *id, char *out, size_t size)
{
	char numbers[MC_OBJECT_ID_TEXT_SIZE];
	struct word name = { "", 0 };
	size_t start = find_start(id, &name);
	struct mc_object_id rest = { id->ids + start, id->len - start };

	mc_object_id_text(&rest, numbers, sizeof(numbers));
	snprintf(out, size, "%.*s%s%s", (int)name.size, name.text,
		 start > 0 && rest.len > 0 ? "." : "", numbers);
	return out;
}
