/* SPDX-License-Identifier: MIT */
/* Facts about a series for the template of its path. */
#include "kit/series/rrd_place.h"

#include <stdio.h>
#include <string.h>

#include <collector/check.h>
#include <collector/control.h>
#include <collector/label.h>
#include <collector/metric.h>
#include <collector/serve.h>

enum { SOURCE_NAME_MAX = 19, HOST_SIZE = 256, TYPE_SIZE = 256 };

struct label_wanted {
	const char *name;
	char *out;
	size_t size;
	bool found;
};

struct series_wanted {
	struct mc_ctx *ctx;
	const char *name;
	char host[HOST_SIZE];
};

static void look_at(void *argument, const struct mc_field *label)
{
	struct label_wanted *wanted = argument;

	if (wanted->found || strcmp(label->name, wanted->name) != 0)
		return;
	wanted->found = true;
	snprintf(wanted->out, wanted->size, "%s", label->value);
}

/* That of the series itself: one that has ended has those of its files. */
static bool find_own_label(const struct series_wanted *series, struct label_wanted *wanted)
{
	struct mc_reading *reading = mc_read_begin(series->ctx);
	struct mc_series *found = mc_find(reading, series->name, strlen(series->name));
	struct mc_metric metric;
	const char *value;

	if (found != NULL && mc_get_metric(found, &metric)) {
		value = mc_metric_label(&metric.resource, wanted->name);
		if (value != NULL)
			look_at(wanted, &(struct mc_field){ wanted->name, value });
		mc_release_metric(&metric);
	}
	mc_read_end(reading);
	return wanted->found;
}

static bool find_label(void *argument, const char *name, char *out, size_t size)
{
	struct series_wanted *series = argument;
	struct label_wanted wanted = { name, out, size, false };

	mc_each_label(series->ctx, series->host, look_at, &wanted);
	return wanted.found || find_own_label(series, &wanted);
}

static const char *kind_of(struct mc_ctx *ctx, const char *name)
{
	static const char *const kinds[] = {
		[MC_COUNTER] = "c",
		[MC_GAUGE] = "g",
		[MC_DERIVE] = "d",
		[MC_ABSOLUTE] = "a",
	};
	const char *start = strrchr(name, '/');
	const struct mc_type *type;
	char text[TYPE_SIZE];

	start = start != NULL ? start + 1 : name;
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(start, "-"), start);
	type = mc_type_find(ctx, text);
	return type != NULL ? kinds[type->sources[0].kind] : "";
}

bool mc_path_template_find(struct mc_ctx *ctx, const char *text, const char *name,
			   char out[static MC_PATH_TEMPLATE_SIZE],
			   char why[static MC_PATH_TEMPLATE_WHY])
{
	struct series_wanted series = { .ctx = ctx, .name = name };
	struct mc_path_facts facts = { .name = name, .label = find_label, .argument = &series };

	if (text == NULL) {
		snprintf(out, MC_PATH_TEMPLATE_SIZE, "%s", name);
		return true;
	}
	snprintf(series.host, sizeof(series.host), "%.*s", (int)strcspn(name, "/"), name);
	facts.kind = kind_of(ctx, name);
	return mc_path_template_fill(text, &facts, out, why);
}

static bool is_source_name(const char *name)
{
	size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	return size > 0 && size <= SOURCE_NAME_MAX && name[size] == '\0';
}

void mc_path_template_check(struct mc_ctx *ctx, const char *const *text,
			    const struct mc_strings *source_names)
{
	char why[MC_PATH_TEMPLATE_WHY];

	if (*text != NULL && !mc_path_template_is_sound(*text, why))
		mc_check_error(ctx, text, "%s", why);
	for (size_t i = 0; i < source_names->len; i++) {
		const char *const *item = &source_names->items[i];

		if (!is_source_name(*item))
			mc_check_error(ctx, item,
				       "is not a name of a data source: 1 to %d letters, digits, "
				       "'_' and '-'",
				       SOURCE_NAME_MAX);
		for (size_t j = 0; j < i; j++)
			if (strcmp(*item, source_names->items[j]) == 0)
				mc_check_error(ctx, item, "is given twice");
	}
}
