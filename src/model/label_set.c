/* SPDX-License-Identifier: MIT */
/* After the labels are their bytes: name, '\0', value, '\0', and the encoded value.  Of labels with
 * the same name the first one is kept. */
#include "model/label_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static const char *text_of(const char *text)
{
	return text != NULL ? text : "";
}

static bool fits(const struct mc_metric_label *label)
{
	return label->name != NULL && label->name[0] != '\0' &&
	       strnlen(label->name, MC_METRIC_NAME_SIZE) < MC_METRIC_NAME_SIZE &&
	       strnlen(text_of(label->value), MC_METRIC_VALUE_SIZE) < MC_METRIC_VALUE_SIZE &&
	       label->encoded_size < MC_METRIC_VALUE_SIZE;
}

struct choice { /* The labels to keep, by name. */
	const struct mc_metric_label *items[MC_METRIC_LABELS_MAX];
	unsigned len;
	size_t size; /* Of their bytes. */
	bool cut;
};

/* Inserts it at its place; of one name the first stays. */
static void choose(struct choice *choice, const struct mc_metric_label *label)
{
	unsigned at = choice->len;

	while (at > 0 && strcmp(choice->items[at - 1]->name, label->name) > 0)
		at--;
	if (at > 0 && strcmp(choice->items[at - 1]->name, label->name) == 0)
		return;
	if (choice->len == MC_METRIC_LABELS_MAX) {
		choice->cut = true;
		return;
	}
	memmove(&choice->items[at + 1], &choice->items[at],
		(choice->len - at) * sizeof(choice->items[0]));
	choice->items[at] = label;
	choice->len++;
	choice->size +=
		strlen(label->name) + 1 + strlen(text_of(label->value)) + 1 + label->encoded_size;
}

static const char *add_text(char **at, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = *at;

	memcpy(copy, text, size);
	text_make_printable(copy);
	*at += size;
	return copy;
}

struct label_set *label_set_copy(const struct mc_metric_labels *labels, bool *cut)
{
	struct choice choice = { .len = 0 };
	struct label_set *set;
	char *at;

	for (size_t i = 0; i < labels->len; i++) {
		if (fits(&labels->items[i]))
			choose(&choice, &labels->items[i]);
		else
			choice.cut = true;
	}
	*cut |= choice.cut;
	choice.size += sizeof(*set) + choice.len * sizeof(set->items[0]);
	set = alloc_zero(choice.size);
	set->shared.size = (uint32_t)choice.size;
	set->len = choice.len;
	at = (char *)&set->items[set->len];
	for (unsigned i = 0; i < set->len; i++) {
		const struct mc_metric_label *label = choice.items[i];

		set->items[i].name = add_text(&at, label->name);
		set->items[i].value = add_text(&at, text_of(label->value));
		if (label->encoded_size == 0)
			continue;
		set->items[i].encoded = memcpy(at, label->encoded, label->encoded_size);
		set->items[i].encoded_size = label->encoded_size;
		at += label->encoded_size;
	}
	return set;
}

static int compare_sizes(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int compare_labels(const struct mc_metric_label *a, const struct mc_metric_label *b)
{
	int order = strcmp(a->name, b->name);

	if (order == 0)
		order = strcmp(a->value, b->value);
	if (order == 0)
		order = compare_sizes(a->encoded_size, b->encoded_size);
	if (order == 0 && a->encoded_size > 0)
		order = memcmp(a->encoded, b->encoded, a->encoded_size);
	return order;
}

int label_set_compare(const struct label_set *a, const struct label_set *b)
{
	int order = compare_sizes(a->shared.size, b->shared.size);

	if (order == 0)
		order = compare_sizes(a->len, b->len);
	for (unsigned i = 0; order == 0 && i < a->len; i++)
		order = compare_labels(&a->items[i], &b->items[i]);
	return order;
}
