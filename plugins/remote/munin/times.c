/* SPDX-License-Identifier: MIT */
#include "times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/hash.h>
#include <collector/kit/number.h>

#include "node.h"

#define HEAD "collector munin spool 1\n"

static uint64_t hash_of(const struct node *node)
{
	return mc_hash_text(mc_hash_start(), node->host);
}

void times_dedup_name(const struct node *node, char out[MC_DEDUP_ID_MAX + 1])
{
	snprintf(out, MC_DEDUP_ID_MAX + 1, "munin-%016" PRIx64 "/1", hash_of(node));
}

/* --- Writing ------------------------------------------------------------- */

/* Adds the time of a service; NULL: that of the whole spool. */
static void add_time(struct mc_buffer *text, const struct node *node, const struct service *service,
		     uint64_t number, mc_time time)
{
	char start[64];

	snprintf(start, sizeof(start), "%s %" PRIu64 " %" PRId64 " ",
		 service != NULL ? "take" : "whole", number, time / MC_SECOND);
	mc_buffer_add(text, start, strlen(start));
	if (service != NULL) {
		mc_buffer_add(text, service->name, strlen(service->name));
		mc_buffer_add(text, " ", 1);
	}
	mc_buffer_add(text, node->host, strlen(node->host));
	mc_buffer_add(text, "\n", 1);
}

static void add_saved(struct mc_buffer *text, const struct node *node,
		      const struct service *service, const struct saved_time *saved)
{
	uint64_t confirmed = node->spool.confirmed;

	if (saved->number > confirmed && saved->before > 0)
		add_time(text, node, service, confirmed, saved->before);
	if (saved->time > 0)
		add_time(text, node, service, saved->number, saved->time);
}

static void save(struct saved_time *saved, const struct spool *spool, mc_time time)
{
	if (saved->number <= spool->confirmed)
		saved->before = saved->time;
	saved->time = time;
	saved->number = spool->number;
}

static void add_safe(struct mc_buffer *text, const struct node *node)
{
	char number[64];

	snprintf(number, sizeof(number), "safe %" PRIu64 " ", node->spool.confirmed);
	mc_buffer_add(text, number, strlen(number));
	mc_buffer_add(text, node->host, strlen(node->host));
	mc_buffer_add(text, "\n", 1);
}

static void add_node(struct mc_buffer *text, const struct node *node)
{
	const struct service *service = NULL;

	while ((service = services_next(&node->spool.services, service)) != NULL)
		add_saved(text, node, service, &service->saved);
	add_saved(text, node, NULL, &node->spool.saved);
	if (node->spool.confirmed > 0)
		add_safe(text, node);
}

/* Writes all anew. */
static int replace(struct times *times)
{
	struct mc_buffer text = { 0 };
	int fd, rc;

	mc_buffer_add(&text, HEAD, strlen(HEAD));
	for (size_t i = 0; i < times->nodes_len; i++)
		add_node(&text, &times->nodes[i]);
	fd = mc_state_file_write(times->path, &text);
	rc = mc_state_file_take(&times->file, fd, text.size);
	mc_buffer_free(&text);
	return rc;
}

static void append(struct times *times)
{
	int rc = 0;

	if (times->path[0] == '\0' || times->text.size == 0)
		return;
	if (mc_state_file_is_old(&times->file))
		rc = replace(times);
	if (rc == 0)
		rc = mc_state_file_append(&times->file, &times->text);
	if (rc < 0)
		mc_complain(times->ctx, &times->unwritable, -rc,
			    "cannot write '%s', so a restart fetches values of "
			    "spools again",
			    times->path);
	else
		mc_works(times->ctx, &times->unwritable, "'%s' is written again", times->path);
}

void times_add(struct times *times, struct node *node)
{
	struct service *service = NULL;
	struct spool *spool = &node->spool;

	mc_buffer_clear(&times->text);
	while ((service = services_next(&spool->services, service)) != NULL) {
		if (service->last > service->saved.time)
			add_time(&times->text, node, service, spool->number, service->last);
	}
	append(times);
	while ((service = services_next(&spool->services, service)) != NULL) {
		if (service->last > service->saved.time)
			save(&service->saved, spool, service->last);
	}
}

void times_add_whole(struct times *times, struct node *node)
{
	struct spool *spool = &node->spool;

	mc_buffer_clear(&times->text);
	add_time(&times->text, node, NULL, spool->number, spool->whole);
	append(times);
	save(&spool->saved, spool, spool->whole);
}

void times_confirm(struct times *times, const struct node *node)
{
	mc_buffer_clear(&times->text);
	add_safe(&times->text, node);
	append(times);
}

/* --- Reading ------------------------------------------------------------- */

static struct node *find_node(struct times *times, const char *host)
{
	if (times->found != NULL && strcmp(times->found->host, host) == 0)
		return times->found; /* A node has many lines. */
	for (size_t i = 0; i < times->nodes_len; i++)
		if (strcmp(times->nodes[i].host, host) == 0)
			return times->found = &times->nodes[i];
	return NULL;
}

static bool take_numbers(const char **at, uint64_t *number, mc_time *time)
{
	uint64_t seconds;

	if (!mc_number_take(at, 10, number) || *(*at)++ != ' ' ||
	    !mc_number_take(at, 10, &seconds) || *(*at)++ != ' ' ||
	    seconds > (uint64_t)(INT64_MAX / MC_SECOND) || *number == 0)
		return false;
	*time = (mc_time)seconds * MC_SECOND;
	return true;
}

/* Whether what batch 'number' has counts. */
static bool is_safe(struct spool *spool, uint64_t number)
{
	if (number > spool->number)
		spool->number = number;
	return number <= spool->confirmed;
}

/* "NUMBER SECONDS SERVICE HOST" */
static bool read_take(struct times *times, char *line)
{
	const char *at = line;
	struct service *service;
	struct node *node;
	uint64_t number;
	mc_time time;
	char *name, *host;

	if (!take_numbers(&at, &number, &time))
		return false;
	name = line + (at - line);
	host = strchr(name, ' ');
	if (host == NULL)
		return false;
	*host++ = '\0';
	node = find_node(times, host);
	if (node == NULL || !is_safe(&node->spool, number))
		return true;
	service = services_find(&node->spool.services, name);
	if (service != NULL && time > service->last)
		service->last = time;
	return true;
}

/* "NUMBER SECONDS HOST" */
static bool read_whole(struct times *times, const char *at)
{
	struct node *node;
	uint64_t number;
	mc_time time;

	if (!take_numbers(&at, &number, &time))
		return false;
	node = find_node(times, at);
	if (node != NULL && is_safe(&node->spool, number) && time > node->spool.whole)
		node->spool.whole = time;
	return true;
}

/* "safe NUMBER HOST" */
static bool read_safe(struct times *times, char *line)
{
	const char *at = line + 5;
	uint64_t number;
	struct node *node;

	if (strncmp(line, "safe ", 5) != 0)
		return true;
	if (!mc_number_take(&at, 10, &number) || *at++ != ' ')
		return false;
	node = find_node(times, at);
	if (node != NULL && number > node->spool.confirmed)
		node->spool.confirmed = number;
	return true;
}

static bool read_time(struct times *times, char *line)
{
	if (strncmp(line, "take ", 5) == 0)
		return read_take(times, line + 5);
	if (strncmp(line, "whole ", 6) == 0)
		return read_whole(times, line + 6);
	return strncmp(line, "safe ", 5) == 0;
}

/* Whole lines; the last may have been cut. */
static bool read_lines(struct times *times, char *at, bool (*read_line)(struct times *, char *line))
{
	bool good = true;
	char *end;

	if (strncmp(at, HEAD, strlen(HEAD)) != 0)
		return false;
	for (at += strlen(HEAD); good && (end = strchr(at, '\n')) != NULL; at = end + 1) {
		*end = '\0';
		good = read_line(times, at);
		*end = '\n';
	}
	return good;
}

static void know(void *argument, const struct mc_dedup_id *id)
{
	struct times *times = argument;
	char *end;
	uint64_t hash;

	if (strncmp(id->name, "munin-", 6) != 0)
		return;
	hash = strtoull(id->name + 6, &end, 16);
	for (size_t i = 0; i < times->nodes_len; i++) {
		struct spool *spool = &times->nodes[i].spool;

		if (hash_of(&times->nodes[i]) == hash && id->number > spool->confirmed)
			spool->confirmed = id->number;
	}
}

static void settle(struct spool *spool)
{
	struct service *service = NULL;

	if (spool->number < spool->confirmed)
		spool->number = spool->confirmed;
	spool->confirmed = spool->number;
	atomic_store(&spool->safe, spool->number);
	save(&spool->saved, spool, spool->whole);
	while ((service = services_next(&spool->services, service)) != NULL) {
		save(&service->saved, spool, service->last);
		service->fresh = true; /* As far as we know. */
	}
}

void times_load(struct times *times)
{
	struct mc_buffer text = { 0 };
	bool whole = true;
	int rc = 0;

	times->file.fd = -1;
	if (times->path[0] != '\0')
		rc = mc_state_file_read(times->path, &text);
	if (rc < 0)
		mc_log(times->ctx, MC_WARN, "cannot read '%s', fetches spools from the start: %s",
		       times->path, strerror(-rc));
	mc_buffer_add(&text, "", 0); /* Ends it with '\0'. */
	mc_each_dedup_id(times->ctx, know, times);
	/* First the safe times, then those that count therefore. */
	if (rc == 0 && text.size > 0) {
		whole = read_lines(times, text.at, read_safe);
		whole = read_lines(times, text.at, read_time) && whole;
	}
	if (!whole)
		mc_log(times->ctx, MC_WARN, "'%s' is damaged: values of spools may come again",
		       times->path);
	mc_buffer_free(&text);
	for (size_t i = 0; i < times->nodes_len; i++)
		settle(&times->nodes[i].spool);
}

void times_close(struct times *times)
{
	mc_buffer_free(&times->text);
	mc_state_file_close(&times->file);
}
