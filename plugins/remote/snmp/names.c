/* SPDX-License-Identifier: MIT */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "names_table.h"

struct word { /* Within a text. */
	const char *text;
	size_t size;
};

static bool word_is(const struct word *word, const char *text)
{
	return strlen(text) == word->size &&
	       memcmp(word->text, text, word->size) == 0;
}

/* The number before the name in "1 ifIndex 2 ifDescr"; false: it is not there.
 */
static bool find_child(const char *children, const struct word *name,
		       struct word *number)
{
	while (*children != '\0') {
		size_t first = strcspn(children, " ");
		const char *second = children + first + 1;
		size_t size = strcspn(second, " ");

		if (size == name->size &&
		    memcmp(second, name->text, size) == 0) {
			*number = (struct word){ children, first };
			return true;
		}
		children = second + size;
		children += *children == ' ';
	}
	return false;
}

bool names_find(const char *text, struct object_id *id)
{
	const char *colons = strstr(text, "::");
	struct word module = { text,
			       colons != NULL ? (size_t)(colons - text) : 0 };
	struct word name = { colons != NULL ? colons + 2 : text, 0 }, number;

	name.size = strcspn(name.text, ".");
	if (colons == NULL && object_id_parse(text, id))
		return true;
	for (const struct names_group *group = names_table;
	     group->parent != NULL; group++) {
		char *numbers;
		bool good;

		if ((colons != NULL && !word_is(&module, group->module)) ||
		    !find_child(group->children, &name, &number))
			continue;
		numbers = mc_alloc_printf("%s.%.*s%s", group->parent,
					  (int)number.size, number.text,
					  name.text + name.size);
		good = object_id_parse(numbers, id);
		free(numbers);
		return good;
	}
	return false;
}
