/* SPDX-License-Identifier: MIT */
#include "mounts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "kit/base/mount_point.h"

/* --- Names ------------------------------------------------------------------------------ */

/* Writes the name with these bytes, and those that no series may have, as "%2f". */
static void escape(const char *name, const char *bytes, char out[MOUNTS_INSTANCE_SIZE])
{
	size_t used = 0;

	for (; *name != '\0' && used + 4 <= MOUNTS_INSTANCE_SIZE; name++) {
		unsigned char c = (unsigned char)*name;

		if (c < ' ' || c == 127 || strchr(bytes, (int)c) != NULL)
			used += (size_t)snprintf(out + used, MOUNTS_INSTANCE_SIZE - used, "%%%02x",
						 c);
		else
			out[used++] = (char)c;
	}
	out[used] = '\0';
}

static bool is_taken(const struct mounts *mounts, const char *name)
{
	return mc_map_find(&mounts->by_name, name, strlen(name)) != NULL;
}

/* As df names it, so that graphs of both go together, unless another mount has that name: "/srv/b"
 * and "/srv-b" are "srv-b" both. */
static char *name_of(const struct mounts *mounts, const char *point)
{
	char plain[MOUNTSTATS_POINT_SIZE], name[MOUNTS_INSTANCE_SIZE];

	mc_mount_point_name(point, plain, sizeof(plain));
	escape(plain, "%", name);
	if (is_taken(mounts, name))
		escape(point + 1, "%-/", name);
	return is_taken(mounts, name) ? NULL : mc_alloc_copy(name);
}

/* --- Mounts ----------------------------------------------------------------------------- */

static struct mount *find(struct mounts *mounts, const char *point)
{
	return (struct mount *)mc_map_find(&mounts->by_point, point, strlen(point));
}

static struct mount *add(struct mounts *mounts, const char *point)
{
	struct mount *mount;
	char *name;

	if (mounts->by_point.len == MOUNTS_MAX) {
		mounts->refused++;
		return NULL;
	}
	name = name_of(mounts, point);
	if (name == NULL)
		return NULL;
	mount = mc_alloc_zero(sizeof(*mount));
	mount->point = mc_alloc_copy(point);
	mount->name = name;
	mount->by_point.key = mount->point;
	mount->by_point.key_size = strlen(mount->point);
	mount->by_name.key = mount->name;
	mount->by_name.key_size = strlen(mount->name);
	mc_map_add(&mounts->by_point, &mount->by_point);
	mc_map_add(&mounts->by_name, &mount->by_name);
	if (mounts->first == NULL)
		mounts->end = &mounts->first;
	*mounts->end = mount;
	mounts->end = &mount->next;
	return mount;
}

static void free_mount(struct mount *mount)
{
	free(mount->point);
	free(mount->name);
	free(mount->operations);
	free(mount);
}

void mounts_done(struct mounts *mounts)
{
	struct mount *mount = mounts->first, *next;

	for (; mount != NULL; mount = next) {
		next = mount->next;
		free_mount(mount);
	}
	mc_map_done(&mounts->by_name);
	mc_map_done(&mounts->by_point);
}

/* --- What is read ----------------------------------------------------------------------- */

/* The kernel has the operations of a mount in one order. */
static struct mounts_operation *find_operation(struct mount *mount, size_t hint, const char *name)
{
	if (hint < mount->operations_len && strcmp(mount->operations[hint].now.name, name) == 0)
		return &mount->operations[hint];
	for (size_t i = 0; i < mount->operations_len; i++)
		if (strcmp(mount->operations[i].now.name, name) == 0)
			return &mount->operations[i];
	return NULL;
}

/* Those that were never called are not reported. */
static void take_operations(struct mount *mount, const struct mountstats *stats)
{
	size_t hint = 0;

	for (size_t i = 0; i < stats->operations_len; i++) {
		const struct mountstats_operation *now = &stats->operations[i];
		struct mounts_operation *operation = find_operation(mount, hint, now->name);

		if (operation == NULL) {
			if (now->counts[MOUNTSTATS_CALLS] == 0)
				continue;
			mount->operations =
				mc_alloc_resize(mount->operations, mount->operations_len + 1,
						sizeof(*mount->operations));
			operation = &mount->operations[mount->operations_len++];
			memset(operation, 0, sizeof(*operation));
			/* So far it had not been called. */
			operation->has_before = mount->has_before;
		}
		operation->now = *now;
		hint = (size_t)(operation - mount->operations) + 1;
	}
}

void mounts_take(struct mounts *mounts, const struct mountstats *stats)
{
	struct mount *mount = find(mounts, stats->point);

	if (mount == NULL)
		mount = add(mounts, stats->point);
	if (mount == NULL)
		return;
	mount->is_seen = true;
	mount->has_bytes = stats->has_bytes;
	memcpy(mount->bytes, stats->bytes, sizeof(mount->bytes));
	mount->has_transport = stats->has_transport;
	mount->transport = stats->transport;
	take_operations(mount, stats);
}

/* --- Values ----------------------------------------------------------------------------- */

static void put_pair(struct mc_batch *batch, const struct mount *mount, const char *type,
		     const char *instance, const uint64_t *pair)
{
	const union mc_value values[] = { { .derive = (int64_t)pair[0] },
					  { .derive = (int64_t)pair[1] } };

	mc_put(batch,
	       mc_series(batch, MC_ID(.plugin_instance = mount->name, .type = type,
				      .type_instance = instance)),
	       values, 2);
}

/* Of the calls since the last time; NaN without any, or if it is another mount now. */
static double average(const struct mounts_operation *operation, enum mountstats_count count)
{
	const uint64_t *now = operation->now.counts, *before = operation->before;

	if (now[MOUNTSTATS_CALLS] <= before[MOUNTSTATS_CALLS] || now[count] < before[count])
		return NAN;
	return (double)(now[count] - before[count]) /
	       (double)(now[MOUNTSTATS_CALLS] - before[MOUNTSTATS_CALLS]);
}

static void put_operation(struct mc_batch *batch, const struct mount *mount,
			  struct mounts_operation *operation)
{
	const uint64_t *now = operation->now.counts;
	uint64_t again = now[MOUNTSTATS_TRANSMISSIONS] - now[MOUNTSTATS_CALLS];
	const char *name = operation->now.name;
	const union mc_value faults[] = {
		{ .derive = now[MOUNTSTATS_TRANSMISSIONS] > now[MOUNTSTATS_CALLS] ? (int64_t)again
										  : 0 },
		{ .derive = (int64_t)now[MOUNTSTATS_TIMEOUTS] },
		{ .derive = (int64_t)now[MOUNTSTATS_ERRORS] },
	};
	const union mc_value latency[] = { { .gauge = average(operation, MOUNTSTATS_QUEUE) },
					   { .gauge = average(operation, MOUNTSTATS_RTT) },
					   { .gauge = average(operation, MOUNTSTATS_EXECUTE) } };

	mc_put_derive(batch, (int64_t)now[MOUNTSTATS_CALLS], .plugin_instance = mount->name,
		      .type = "nfs_procedure", .type_instance = name);
	put_pair(batch, mount, "if_octets", name,
		 (const uint64_t[]){ now[MOUNTSTATS_RECEIVED], now[MOUNTSTATS_SENT] });
	mc_put(batch,
	       mc_series(batch, MC_ID(.plugin_instance = mount->name, .type = "nfs_faults",
				      .type_instance = name)),
	       faults, 3);
	if (operation->has_before)
		mc_put(batch,
		       mc_series(batch, MC_ID(.plugin_instance = mount->name, .type = "nfs_latency",
					      .type_instance = name)),
		       latency, 3);
	memcpy(operation->before, now, sizeof(operation->before));
	operation->has_before = true;
}

static void put_transport(struct mc_batch *batch, struct mount *mount)
{
	const struct mountstats_transport *now = &mount->transport, *before = &mount->before;
	const union mc_value values[] = { { .derive = (int64_t)now->sent },
					  { .derive = (int64_t)now->received },
					  { .derive = (int64_t)now->bad_xids },
					  { .derive = (int64_t)now->connects } };
	double waiting = 0; /* Without a call nothing waits. */

	mc_put(batch,
	       mc_series(batch, MC_ID(.plugin_instance = mount->name, .type = "nfs_transport")),
	       values, 4);
	if (now->sent > before->sent && now->backlog >= before->backlog)
		waiting = (double)(now->backlog - before->backlog) /
			  (double)(now->sent - before->sent);
	if (mount->has_before)
		mc_put_gauge(batch, waiting, .plugin_instance = mount->name, .type = "queue_length",
			     .type_instance = "backlog");
	mount->before = *now;
}

static void put(struct mc_batch *batch, struct mount *mount)
{
	if (mount->has_bytes) {
		put_pair(batch, mount, "disk_octets", "normal",
			 &mount->bytes[MOUNTSTATS_NORMAL_READ]);
		put_pair(batch, mount, "disk_octets", "direct",
			 &mount->bytes[MOUNTSTATS_DIRECT_READ]);
		put_pair(batch, mount, "disk_octets", "server",
			 &mount->bytes[MOUNTSTATS_SERVER_READ]);
	}
	if (mount->has_transport)
		put_transport(batch, mount);
	for (size_t i = 0; i < mount->operations_len; i++)
		put_operation(batch, mount, &mount->operations[i]);
	mount->has_before = true;
}

void mounts_put(struct mounts *mounts, struct mc_batch *batch, bool is_whole)
{
	struct mount **at = &mounts->first;

	while (*at != NULL) {
		struct mount *mount = *at;

		if (mount->is_seen)
			put(batch, mount);
		if (mount->is_seen || !is_whole) {
			mount->is_seen = false;
			at = &mount->next;
			continue;
		}
		*at = mount->next;
		mc_map_remove(&mounts->by_name, &mount->by_name);
		mc_map_remove(&mounts->by_point, &mount->by_point);
		free_mount(mount);
	}
	mounts->end = at;
}
