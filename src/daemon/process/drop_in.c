/* SPDX-License-Identifier: MIT */
#include "daemon/process/drop_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "daemon/process/unit_file.h"

struct search {
	const char *setting;
	const char *word;
	bool is_set, has_word;
};

static void note(void *argument, const char *name, char *value)
{
	struct search *search = argument;
	char *rest;

	if (strcmp(name, search->setting) != 0)
		return;
	search->is_set = true;
	for (char *word = strtok_r(value, " \t", &rest); word != NULL;
	     word = strtok_r(NULL, " \t", &rest))
		search->has_word |= strcmp(word, search->word) == 0;
}

static bool sets(const char *path, const char *setting, const char *word)
{
	struct search search = { .setting = setting, .word = word };

	return unit_file_read(path, note, &search) == 0 && search.is_set &&
	       (word[0] == '\0' || search.has_word);
}

bool drop_in_find(const char *folder, const char *plugin, const char *setting,
		  const char *words, char path[PATH_MAX])
{
	char *copy = alloc_copy(words), *rest;
	bool found;

	if (plugin == NULL) {
		free(copy);
		return false;
	}
	snprintf(path, PATH_MAX, "%s/%s.conf", folder, plugin);
	found = sets(path, setting, "");
	for (char *word = strtok_r(copy, " ", &rest); found && word != NULL;
	     word = strtok_r(NULL, " ", &rest))
		found = sets(path, setting, word);
	free(copy);
	return found;
}
