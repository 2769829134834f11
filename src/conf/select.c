/* SPDX-License-Identifier: MIT */
/* collectd's ignore lists, as its manual's section IGNORELISTS and collectd
 * 5.12 have them: names are compared whole and with case, expressions are not
 * anchored and match with case, an empty list or an empty name lets through.
 *
 * collectd's expressions are POSIX extended ones.  PCRE2 reads those the same
 * way, but for what POSIX leaves open (\d, \b); '$' and '.' are set to mean
 * what they mean there.  Its limits end expressions that would take for ever,
 * which then do not match. */
#include "conf/select.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/lock.h>

#include "base/alloc.h"

#define STEPS_MAX 100000 /* Of one match: some milliseconds. */
#define MATCH_KIB_MAX 1024

struct entry {
	char *name;
	pcre2_code *code; /* Or NULL: 'name' is compared. */
};

struct mc_select {
	struct mc_select *next;
	struct entry *entries;
	size_t entries_len;

	/* Of the match that is being made.  run() may ask at the same time as
	 * read(). */
	pthread_mutex_t lock;
	pcre2_match_data *match MC_GUARDED_BY(lock);
	pcre2_match_context *limits MC_GUARDED_BY(lock);
};

static void *memory_take(size_t size, void *unused)
{
	(void)unused;
	return alloc_zero(size);
}

static void memory_free(void *memory, void *unused)
{
	(void)unused;
	free(memory);
}

struct mc_select *select_new(struct mc_select *next)
{
	struct mc_select *select = alloc_zero(sizeof(*select));

	select->next = next;
	pthread_mutex_init(&select->lock, NULL);
	return select;
}

struct mc_select *select_free(struct mc_select *select) MC_NO_LOCK
{
	struct mc_select *next = select->next;

	for (size_t i = 0; i < select->entries_len; i++) {
		free(select->entries[i].name);
		pcre2_code_free(select->entries[i].code);
	}
	free(select->entries);
	pcre2_match_data_free(select->match);
	pcre2_match_context_free(select->limits);
	pthread_mutex_destroy(&select->lock);
	free(select);
	return next;
}

/* Whether it is written "/expression/". */
static bool is_expression(const char *entry, size_t size)
{
	return size > 2 && entry[0] == '/' && entry[size - 1] == '/';
}

static pcre2_code *compile(const char *entry, size_t size, char *reason,
			   size_t reason_size)
{
	PCRE2_UCHAR text[256];
	PCRE2_SIZE offset;
	int error;
	pcre2_code *code =
		pcre2_compile((PCRE2_SPTR)entry + 1, size - 2,
			      PCRE2_DOLLAR_ENDONLY | PCRE2_DOTALL |
				      PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UTF,
			      &error, &offset, NULL);

	if (code == NULL) {
		pcre2_get_error_message(error, text, sizeof(text));
		snprintf(reason, reason_size, "%s at character %zu",
			 (const char *)text, (size_t)offset + 1);
	}
	return code;
}

/* Before there are threads. */
static void prepare_match(struct mc_select *select) MC_NO_LOCK
{
	pcre2_general_context *memory;

	if (select->match != NULL)
		return;
	memory = pcre2_general_context_create(memory_take, memory_free, NULL);
	select->match = pcre2_match_data_create(1, memory);
	select->limits = pcre2_match_context_create(memory);
	pcre2_set_match_limit(select->limits, STEPS_MAX);
	pcre2_set_depth_limit(select->limits, STEPS_MAX);
	pcre2_set_heap_limit(select->limits, MATCH_KIB_MAX);
	pcre2_general_context_free(memory);
}

bool select_add(struct mc_select *select, const char *entry, char *reason,
		size_t reason_size)
{
	size_t size = strlen(entry);
	struct entry *added;
	pcre2_code *code = NULL;

	if (size == 0)
		return true;
	if (is_expression(entry, size)) {
		code = compile(entry, size, reason, reason_size);
		if (code == NULL)
			return false;
		prepare_match(select);
	}
	select->entries = alloc_resize(select->entries, select->entries_len + 1,
				       sizeof(*select->entries));
	added = &select->entries[select->entries_len++];
	*added = (struct entry){ .name = alloc_copy(entry), .code = code };
	return true;
}

static bool entry_matches(struct mc_select *select, const struct entry *entry,
			  const char *name)
{
	int result;

	if (entry->code == NULL)
		return strcmp(entry->name, name) == 0;
	pthread_mutex_lock(&select->lock);
	result = pcre2_match(entry->code, (PCRE2_SPTR)name, strlen(name), 0, 0,
			     select->match, select->limits);
	pthread_mutex_unlock(&select->lock);
	return result >= 0;
}

bool mc_selected(const struct mc_select *list, bool ignore, const char *name)
{
	/* What a match writes to is no part of the list's value. */
	struct mc_select *select = (struct mc_select *)list;

	if (select == NULL || select->entries_len == 0 || name == NULL ||
	    name[0] == '\0')
		return true;
	for (size_t i = 0; i < select->entries_len; i++) {
		if (entry_matches(select, &select->entries[i], name))
			return !ignore;
	}
	return ignore;
}
