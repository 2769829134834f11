/* SPDX-License-Identifier: MIT */
#include "conventional.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/label.h>
#include <collector/writer.h>

#include "point_order.h"

struct part { /* A source of a series. */
	struct point *point;
	double divisor;
};

struct entry {                          /* A series, also one that has no other name. */
	struct mc_map_node node;        /* By 'series'. */
	const struct mc_series *series; /* An address, which is only compared. */
	const struct mc_type *type;
	uint64_t labels_sum;
	unsigned state; /* mc_convention_state() */
	unsigned round; /* In which it was added last. */
	unsigned len;   /* Of the parts; 0: it has no other name. */
	char *name;
	struct part parts[];
};

struct conventional {
	struct mc_map entries;
	struct points points;
	struct point **order; /* All points that have been sorted. */
	size_t len;
	unsigned round;
	size_t entries_used, points_used; /* In this round. */
	bool several;                     /* A point has several numbers. */
	bool changed;                     /* Points were made that are not in the order. */
};

/* --- Series --------------------------------------------------------------- */

static void free_entry(struct conventional *all, struct entry *entry)
{
	mc_map_remove(&all->entries, &entry->node);
	free(entry->name);
	free(entry);
}

/* A series may be gone, and another one be where it was. */
static bool is_of(const struct entry *entry, const struct conventional_series *added)
{
	return entry->type == mc_type(added->series) && entry->labels_sum == added->labels_sum &&
	       entry->state == mc_convention_state(added->series) &&
	       strcmp(entry->name, mc_name(added->series)) == 0;
}

static void find_parts(struct conventional *all, struct entry *entry,
		       const struct conventional_series *added)
{
	struct mc_metric_label labels[MC_LABELS_MAX];
	const struct mc_metric_labels resource = { labels, added->labels_len };
	unsigned len = entry->type->sources_len;
	struct mc_convention convention;

	for (unsigned i = 0; i < added->labels_len; i++)
		labels[i] = (struct mc_metric_label){ .name = added->labels[i].name,
						      .value = added->labels[i].value };
	while (entry->len < len &&
	       mc_get_convention(added->series, entry->len, &resource, &convention))
		entry->parts[entry->len++] = (struct part){
			.point = point_of_convention(&all->points, added->series, &convention),
			.divisor = convention.divisor,
		};
	all->changed |= entry->len > 0;
}

static struct entry *make_entry(struct conventional *all, const struct conventional_series *added)
{
	const struct mc_type *type = mc_type(added->series);
	struct entry *entry =
		mc_alloc_zero(sizeof(*entry) + type->sources_len * sizeof(struct part));

	entry->series = added->series;
	entry->type = type;
	entry->labels_sum = added->labels_sum;
	entry->state = mc_convention_state(added->series);
	entry->name = mc_alloc_copy(mc_name(added->series));
	entry->node.key = &entry->series;
	entry->node.key_size = sizeof(entry->series);
	mc_map_add(&all->entries, &entry->node);
	find_parts(all, entry, added);
	return entry;
}

static void put(struct conventional *all, const struct part *part, struct point_number number)
{
	struct point *point = part->point;

	if (part->divisor != 1) {
		double value =
			number.kind == MC_GAUGE ? number.value.gauge : (double)number.value.derive;

		number.kind = MC_GAUGE;
		number.value.gauge = value / part->divisor;
	}
	if (point->round != all->round) {
		point->round = all->round;
		point->len = 0;
		all->points_used++;
	} else {
		all->several = true;
	}
	point_put(point, &number);
}

bool conventional_add(struct conventional *all, const struct conventional_series *added)
{
	struct entry *entry =
		(struct entry *)mc_map_find(&all->entries, &added->series, sizeof(added->series));

	if (entry != NULL && !is_of(entry, added)) {
		free_entry(all, entry);
		entry = NULL;
	}
	if (entry == NULL)
		entry = make_entry(all, added);
	entry->round = all->round;
	all->entries_used++;
	for (unsigned i = 0; i < entry->len; i++)
		put(all, &entry->parts[i],
		    (struct point_number){
			    .kind = entry->type->sources[i].kind,
			    .value = added->latest->values[i],
			    .time = added->time,
		    });
	return entry->len > 0;
}

/* --- Their order ---------------------------------------------------------- */

static void drop_stale_entries(struct conventional *all)
{
	struct mc_map_node *node = mc_map_next(&all->entries, NULL), *next;

	for (; node != NULL; node = next) {
		next = mc_map_next(&all->entries, node);
		if (((struct entry *)node)->round != all->round)
			free_entry(all, (struct entry *)node);
	}
}

static void drop_stale_points(struct conventional *all)
{
	struct mc_map_node *node = mc_map_next(&all->points.map, NULL), *next;

	for (; node != NULL; node = next) {
		next = mc_map_next(&all->points.map, node);
		if (((struct point *)node)->round != all->round) {
			point_remove(&all->points, (struct point *)node);
			all->changed = true;
		}
	}
}

static void print_labels(struct point *point)
{
	struct exposition_text text = { 0 };

	for (size_t i = 0; i < point->labels.len; i++)
		exposition_add_label(&text, point->labels.items[i].name,
				     point->labels.items[i].value);
	exposition_add(&text, "}", 1);
	point->text = mc_alloc_bytes(text.at, text.size);
	point->text_size = text.size;
	free(text.at);
}

static void sort(struct conventional *all)
{
	free(all->order);
	all->order = mc_alloc_array(all->points.map.len, sizeof(struct point *));
	all->len = 0;
	for (struct mc_map_node *node = mc_map_next(&all->points.map, NULL); node != NULL;
	     node = mc_map_next(&all->points.map, node)) {
		struct point *point = (struct point *)node;

		all->order[all->len++] = point;
		if (point->text != NULL)
			continue;
		point_finish(point);
		print_labels(point);
	}
	qsort(all->order, all->len, sizeof(struct point *), point_order_compare);
	for (size_t i = 0; i < all->len; i++)
		all->order[i]->kept_relation =
			i == 0 ? POINT_OF_OTHER_METRIC
			       : point_order_relation(all->order[i - 1], all->order[i]);
}

struct point *const *conventional_sort(struct conventional *all, size_t *len)
{
	/* Walking them costs a miss of the cache for each. */
	if (all->entries_used < all->entries.len)
		drop_stale_entries(all);
	if (all->points_used < all->points.map.len)
		drop_stale_points(all);
	if (all->changed)
		sort(all);
	all->changed = false;
	for (size_t i = 0; all->several && i < all->len; i++)
		if (all->order[i]->len > 1)
			point_finish(all->order[i]);
	*len = all->len;
	return all->order;
}

/* --- The whole ------------------------------------------------------------ */

static void forget(struct conventional *all)
{
	all->round++;
	drop_stale_entries(all);
	mc_map_done(&all->entries);
	point_done(&all->points);
	free(all->order);
	*all = (struct conventional){ 0 };
}

void conventional_begin(struct conventional *all)
{
	all->round++;
	all->entries_used = all->points_used = 0;
	all->several = false;
}

void conventional_end(struct conventional *all)
{
	if (all->entries.len > CONVENTIONAL_MAX)
		forget(all);
}

struct conventional *conventional_new(void)
{
	return mc_alloc_zero(sizeof(struct conventional));
}

void conventional_free(struct conventional *all)
{
	if (all == NULL)
		return;
	forget(all);
	free(all);
}
