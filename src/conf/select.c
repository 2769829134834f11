/* SPDX-License-Identifier: MIT */
/* collectd's ignore lists, as its manual's section IGNORELISTS and collectd
 * 5.12 have them: names are compared whole and with case, expressions are not
 * anchored and match with case, an empty list or an empty name lets through. */
#include "conf/select.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/lock.h>
#include <collector/kit/regex.h>

#include "base/alloc.h"

struct entry {
	char *name;
	struct mc_regex *regex; /* Or NULL: 'name' is compared. */
};

struct mc_select {
	struct mc_select *next;
	struct entry *entries;
	size_t entries_len;

	/* Serializes matches: run() may match at the same time as read(). */
	pthread_mutex_t lock;
};

struct mc_select *select_new(struct mc_select *next)
{
	struct mc_select *select = alloc_zero(sizeof(*select));

	select->next = next;
	pthread_mutex_init(&select->lock, NULL);
	return select;
}

struct mc_select *select_free(struct mc_select *select)
{
	struct mc_select *next = select->next;

	for (size_t i = 0; i < select->entries_len; i++) {
		free(select->entries[i].name);
		mc_regex_free(select->entries[i].regex);
	}
	free(select->entries);
	pthread_mutex_destroy(&select->lock);
	free(select);
	return next;
}

bool select_add(struct mc_select *select, const char *entry, char *reason, size_t reason_size)
{
	size_t size = strlen(entry);
	struct entry *added;
	struct mc_regex *regex = NULL;

	if (size == 0)
		return true;
	if (mc_regex_in_slashes(entry)) {
		regex = mc_regex_new_in_slashes(entry, reason, reason_size);
		if (regex == NULL)
			return false;
	}
	select->entries =
		alloc_resize(select->entries, select->entries_len + 1, sizeof(*select->entries));
	added = &select->entries[select->entries_len++];
	*added = (struct entry){ .name = alloc_copy(entry), .regex = regex };
	return true;
}

static bool entry_matches(struct mc_select *select, const struct entry *entry, const char *name)
{
	int result;

	if (entry->regex == NULL)
		return strcmp(entry->name, name) == 0;
	pthread_mutex_lock(&select->lock);
	result = mc_regex_match(entry->regex, name, strlen(name));
	pthread_mutex_unlock(&select->lock);
	return result > 0;
}

bool mc_selected(const struct mc_select *list, bool ignore, const char *name)
{
	/* The memory that a match writes to is not part of the list's value. */
	struct mc_select *select = (struct mc_select *)list;

	if (select == NULL || select->entries_len == 0 || name == NULL || name[0] == '\0')
		return true;
	for (size_t i = 0; i < select->entries_len; i++) {
		if (entry_matches(select, &select->entries[i], name))
			return !ignore;
	}
	return ignore;
}
