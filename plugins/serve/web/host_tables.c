/* SPDX-License-Identifier: MIT */
#include "host_tables.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct host_slot {
	char metric[HOST_METRIC_SIZE]; /* "": none. */
	struct host_table *table;      /* NULL: none yet. */
	bool making;
	mc_time used;
};

void host_tables_init(struct host_tables *tables) MC_NO_LOCK
{
	pthread_mutex_init(&tables->lock, NULL);
	pthread_cond_init(&tables->made, NULL);
	tables->slots = mc_alloc_array(HOST_TABLES_MAX, sizeof(*tables->slots));
}

void host_tables_done(struct host_tables *tables) MC_NO_LOCK
{
	for (unsigned i = 0; i < HOST_TABLES_MAX; i++)
		host_table_release(tables->slots[i].table);
	free(tables->slots);
	pthread_cond_destroy(&tables->made);
	pthread_mutex_destroy(&tables->lock);
}

/* The slot of the metric, or the one that was not used for longest and is the metric's from now
 * on; NULL if tables are being made for all. */
static struct host_slot *slot_of(struct host_tables *tables, const char *metric)
	MC_REQUIRES(tables->lock)
{
	struct host_slot *oldest = NULL;

	for (unsigned i = 0; i < HOST_TABLES_MAX; i++) {
		struct host_slot *slot = &tables->slots[i];

		if (slot->used > 0 && strcmp(slot->metric, metric) == 0)
			return slot;
		if (!slot->making && (oldest == NULL || slot->used < oldest->used))
			oldest = slot;
	}
	if (oldest == NULL)
		return NULL;
	host_table_release(oldest->table);
	*oldest = (struct host_slot){ .table = NULL };
	memcpy(oldest->metric, metric, strlen(metric) + 1);
	return oldest;
}

/* The table of the slot, NULL if it is to be made.  Waits while another makes it. */
static struct host_table *take(struct host_tables *tables, const char *metric,
			       struct host_slot **slot) MC_REQUIRES(tables->lock)
{
	for (;;) {
		struct host_table *table;
		mc_time now = mc_now();

		*slot = slot_of(tables, metric);
		if (*slot == NULL)
			return NULL;
		(*slot)->used = now;
		table = (*slot)->table;
		if (table != NULL && now < ((*slot)->making ? table->stale : table->renewed)) {
			return host_table_share(table);
		}
		if (!(*slot)->making)
			return NULL;
		pthread_cond_wait(&tables->made, &tables->lock);
	}
}

static void put(struct host_tables *tables, struct host_slot *slot, struct host_table *table)
{
	struct host_table *before;

	host_table_share(table);
	pthread_mutex_lock(&tables->lock);
	before = slot->table;
	slot->table = table;
	slot->making = false;
	pthread_cond_broadcast(&tables->made);
	pthread_mutex_unlock(&tables->lock);
	host_table_release(before);
}

struct host_table *host_tables_get(struct host_tables *tables, struct mc_ctx *ctx,
				   struct silent *silent, const char *metric)
{
	struct host_table *table;
	struct host_slot *slot;

	pthread_mutex_lock(&tables->lock);
	table = take(tables, metric != NULL ? metric : "", &slot);
	if (table == NULL && slot != NULL)
		slot->making = true;
	pthread_mutex_unlock(&tables->lock);
	if (table != NULL)
		return table;
	table = host_table_make(ctx, silent, metric);
	if (slot != NULL)
		put(tables, slot, table);
	return table;
}

void host_tables_renew(struct host_tables *tables)
{
	struct host_table *before[HOST_TABLES_MAX];

	pthread_mutex_lock(&tables->lock);
	for (unsigned i = 0; i < HOST_TABLES_MAX; i++) {
		before[i] = tables->slots[i].table;
		tables->slots[i].table = NULL;
	}
	pthread_mutex_unlock(&tables->lock);
	for (unsigned i = 0; i < HOST_TABLES_MAX; i++)
		host_table_release(before[i]);
}
