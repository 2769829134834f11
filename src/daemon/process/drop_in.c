/* SPDX-License-Identifier: MIT */
#include "daemon/process/drop_in.h"

#include <glob.h>
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

/* "-/var/lib/" has all that is below it. */
static bool has(const char *value, const char *word)
{
	if (word[0] != '/')
		return strcmp(value, word) == 0;
	value += strspn(value, "-+");
	return value[0] == '/' && unit_file_is_below(word, value);
}

static void note(void *argument, const char *name, char *value)
{
	struct search *search = argument;
	char *rest;

	if (strcmp(name, search->setting) != 0)
		return;
	search->is_set = true;
	for (char *word = strtok_r(value, " \t", &rest); word != NULL;
	     word = strtok_r(NULL, " \t", &rest))
		search->has_word |= has(word, search->word);
}

static bool sets(const char *path, const char *setting, const char *word)
{
	struct search search = { .setting = setting, .word = word };

	return unit_file_read(path, note, &search) == 0 && search.is_set &&
	       (word[0] == '\0' || search.has_word);
}

/* All of the words; 'words' is changed. */
static bool sets_all(const char *path, const char *setting, char *words)
{
	bool all = sets(path, setting, "");
	char *rest;

	for (char *word = strtok_r(words, " ", &rest); all && word != NULL;
	     word = strtok_r(NULL, " ", &rest))
		all = sets(path, setting, word);
	return all;
}

bool drop_in_find(const char *folder, const char *plugin, const char *setting, const char *words,
		  char path[PATH_MAX])
{
	static const char *const patterns[] = { "%s/%s.conf", "%s/%s-*.conf" };
	bool found = false;
	char *copy;
	glob_t files;

	for (int i = 0; plugin != NULL && !found && i < 2; i++) {
		snprintf(path, PATH_MAX, patterns[i], folder, plugin);
		if (glob(path, 0, NULL, &files) != 0)
			continue;
		for (size_t j = 0; !found && j < files.gl_pathc; j++) {
			copy = alloc_copy(words);
			snprintf(path, PATH_MAX, "%s", files.gl_pathv[j]);
			found = sets_all(path, setting, copy);
			free(copy);
		}
		globfree(&files);
	}
	return found;
}
