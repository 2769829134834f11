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
	snprintf(out, MC_DEDUP_ID_MAX + 1, "munin-%016" PRIx64 "/1",
		 hash_of(node));
}

/* --- Writing ---------------------------------------------------------------
 */

static void add_take(struct mc_buffer *text, const struct node *node,
		     const struct service *service, uint64_t number,
		     mc_time time)
{
	char numbers[64];

	snprintf(numbers, sizeof(numbers), "take %" PRIu64 " %" PRId64 " ",
		 number, time / MC_SECOND);
	mc_buffer_add(text, numbers, strlen(numbers));
	mc_buffer_add(text, service->name, strlen(service->name));
	mc_buffer_add(text, " ", 1);
	mc_buffer_add(text, node->host, strlen(node->host));
	mc_buffer_add(text, "\n", 1);
}

static void add_safe(struct mc_buffer *text, const struct node *node)
{
	char number[64];

	snprintf(number, sizeof(number), "safe %" PRIu64 " ",
		 node->spool.confirmed);
	mc_buffer_add(text, number, strlen(number));
	mc_buffer_add(text, node->host, strlen(node->host));
	mc_buffer_add(text, "\n", 1);
}

static void add_node(struct mc_buffer *text, const struct node *node)
{
	const struct service *service = NULL;

	while ((service = services_next(&node->spool.services, service)) !=
	       NULL) {
		if (service->saved > 0)
			add_take(text, node, service, service->number,
				 service->saved);
	}
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
	return fd < 0 ? fd : rc;
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
		mc_works(times->ctx, &times->unwritable,
			 "'%s' is written again", times->path);
}

void times_add(struct times *times, struct node *node)
{
	struct service *service = NULL;
	struct spool *spool = &node->spool;

	mc_buffer_clear(&times->text);
	while ((service = services_next(&spool->services, service)) != NULL) {
		if (service->last > service->saved)
			add_take(&times->text, node, service, spool->number,
				 service->last);
	}
	append(times);
	while ((service = services_next(&spool->services, service)) != NULL) {
		if (service->last > service->saved) {
			service->saved = service->last;
			service->number = spool->number;
		}
	}
}

void times_confirm(struct times *times, const struct node *node)
{
	mc_buffer_clear(&times->text);
	add_safe(&times->text, node);
	append(times);
}

/* --- Reading ---------------------------------------------------------------
 */

static struct node *find_node(struct times *times, const char *host)
{
	if (times->found != NULL && strcmp(times->found->host, host) == 0)
		return times->found; /* A node has many lines. */
	for (size_t i = 0; i < times->nodes_len; i++)
		if (strcmp(times->nodes[i].host, host) == 0)
			return times->found = &times->nodes[i];
	return NULL;
}

/* What was promised by a batch that is safe counts. */
static void settle(const struct spool *spool, struct service *service)
{
	if (service->number > 0 && service->number <= spool->confirmed &&
	    service->promised > service->last)
		service->last = service->promised;
}

static bool read_take(struct times *times, char *line)
{
	const char *at = line;
	uint64_t number, seconds;
	struct service *service = NULL;
	struct node *node;
	char *name, *host;

	if (!mc_number_take(&at, 10, &number) || *at++ != ' ' ||
	    !mc_number_take(&at, 10, &seconds) || *at++ != ' ' ||
	    seconds > (uint64_t)(INT64_MAX / MC_SECOND) || number == 0)
		return false;
	name = line + (at - line);
	host = strchr(name, ' ');
	if (host == NULL)
		return false;
	*host++ = '\0';
	node = find_node(times, host);
	if (node != NULL)
		service = services_find(&node->spool.services, name);
	if (service == NULL)
		return true;
	settle(&node->spool, service);
	service->number = number;
	service->promised = (mc_time)seconds * MC_SECOND;
	if (number > node->spool.number)
		node->spool.number = number;
	return true;
}

static bool read_safe(struct times *times, const char *at)
{
	uint64_t number;
	struct node *node;

	if (!mc_number_take(&at, 10, &number) || *at++ != ' ')
		return false;
	node = find_node(times, at);
	if (node != NULL && number > node->spool.confirmed)
		node->spool.confirmed = number;
	return true;
}

/* Whole lines; the last may have been cut. */
static bool read_lines(struct times *times, char *at)
{
	char *end;

	if (strncmp(at, HEAD, strlen(HEAD)) != 0)
		return false;
	for (at += strlen(HEAD); (end = strchr(at, '\n')) != NULL;
	     at = end + 1) {
		*end = '\0';
		if (!(strncmp(at, "take ", 5) == 0   ? read_take(times, at + 5)
		      : strncmp(at, "safe ", 5) == 0 ? read_safe(times, at + 5)
						     : false))
			return false;
	}
	return true;
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

		if (hash_of(&times->nodes[i]) == hash &&
		    id->number > spool->confirmed)
			spool->confirmed = id->number;
	}
}

static void settle_all(struct spool *spool)
{
	struct service *service = NULL;

	while ((service = services_next(&spool->services, service)) != NULL) {
		settle(spool, service);
		service->saved = service->last;
	}
	if (spool->number < spool->confirmed)
		spool->number = spool->confirmed;
	spool->confirmed = spool->number;
	atomic_store(&spool->safe, spool->number);
}

void times_load(struct times *times)
{
	struct mc_buffer text = { 0 };
	int rc = 0;

	times->file.fd = -1;
	if (times->path[0] != '\0')
		rc = mc_state_file_read(times->path, &text);
	if (rc < 0)
		mc_log(times->ctx, MC_WARN,
		       "cannot read '%s', fetches spools from their begin: %s",
		       times->path, strerror(-rc));
	mc_buffer_add(&text, "", 0); /* Ends it with '\0'. */
	if (rc == 0 && text.size > 0 && !read_lines(times, text.at))
		mc_log(times->ctx, MC_WARN,
		       "'%s' is damaged: values of spools may come again",
		       times->path);
	mc_buffer_free(&text);
	mc_each_dedup_id(times->ctx, know, times);
	for (size_t i = 0; i < times->nodes_len; i++)
		settle_all(&times->nodes[i].spool);
}

void times_close(struct times *times)
{
	mc_buffer_free(&times->text);
	mc_state_file_close(&times->file);
}
