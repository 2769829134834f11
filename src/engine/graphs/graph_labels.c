/* SPDX-License-Identifier: MIT */
#include "engine/graphs/graph_labels.h"

#include <collector/metric.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define LINES_MAX 1000 /* In graphs of more, nobody reads a legend. */
#define NAME_SIZE MC_SOURCE_TEXT_SIZE

/* Equal sets of labels are one set. */
static bool are_told_apart(const struct mc_metric *metrics, size_t len)
{
	for (size_t i = 0; i < len; i++)
		for (size_t j = 0; j < i; j++)
			if (metrics[i].labels.items == metrics[j].labels.items)
				return false;
	return true;
}

static bool differs(const struct mc_metric *metrics, size_t len, const char *label)
{
	const char *first = mc_metric_label(&metrics->labels, label);

	for (size_t i = 1; i < len; i++) {
		const char *other = mc_metric_label(&metrics[i].labels, label);

		if ((first == NULL) != (other == NULL) ||
		    (first != NULL && strcmp(first, other) != 0))
			return true;
	}
	return false;
}

static bool has(const char *const *labels, size_t len, const char *label)
{
	for (size_t i = 0; i < len; i++)
		if (strcmp(labels[i], label) == 0)
			return true;
	return false;
}

/* Finds the labels that differ; those that only some lines have, too. */
static size_t find_differing(const struct mc_metric *metrics, size_t len,
			     const char *differing[MC_METRIC_LABELS_MAX])
{
	size_t found = 0;

	for (size_t i = 0; i < len; i++)
		for (size_t j = 0; j < metrics[i].labels.len; j++) {
			const char *label = metrics[i].labels.items[j].name;

			if (found < MC_METRIC_LABELS_MAX && !has(differing, found, label) &&
			    differs(metrics, len, label))
				differing[found++] = label;
		}
	return found;
}

static size_t add(char name[NAME_SIZE], size_t size, const char *text)
{
	size_t more = text_fit(text, NAME_SIZE - 1 - size);

	memcpy(name + size, text, more);
	name[size + more] = '\0';
	return size + more;
}

static const char *name_of(const struct mc_metric *metric, const char *const *labels, size_t len,
			   struct arena *arena)
{
	char name[NAME_SIZE] = "";
	size_t size = 0;

	for (size_t i = 0; i < len; i++) {
		const char *value = mc_metric_label(&metric->labels, labels[i]);

		if (value == NULL)
			continue;
		size = add(name, size, size > 0 ? " " : "");
		size = add(name, size, len > 1 ? labels[i] : "");
		size = add(name, size, len > 1 ? "=" : "");
		size = add(name, size, value);
	}
	return arena_copy(arena, name, size);
}

static void name_all(struct mc_drawing_line *lines, const struct mc_metric *metrics, size_t len,
		     struct arena *arena)
{
	const char *labels[MC_METRIC_LABELS_MAX];
	size_t labels_len;

	for (size_t i = 0; i < len; i++)
		if (metrics[i].part != MC_METRIC_VALUE)
			return;
	if (!are_told_apart(metrics, len))
		return;
	labels_len = find_differing(metrics, len, labels);
	for (size_t i = 0; i < len; i++) {
		const char *name = name_of(&metrics[i], labels, labels_len, arena);

		if (name[0] != '\0')
			lines[i].name = name;
	}
}

void graph_labels_name(struct mc_drawing_line *lines, const struct mc_series *const *series,
		       size_t len, struct arena *arena)
{
	struct mc_metric *metrics;
	size_t got = 0;

	if (len < 2 || len > LINES_MAX)
		return;
	metrics = alloc_array(len, sizeof(*metrics));
	while (got < len && mc_get_metric(series[got], &metrics[got]))
		got++;
	if (got == len)
		name_all(lines, metrics, len, arena);
	while (got > 0)
		mc_release_metric(&metrics[--got]);
	free(metrics);
}
