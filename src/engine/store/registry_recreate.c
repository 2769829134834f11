/* SPDX-License-Identifier: MIT */
/* Makes series again that have ended, of names that were put together. */
#include <collector/private/catalogue.h>

#include <string.h>

#include "engine/store/metric.h"
#include "engine/store/registry.h"
#include "engine/store/store.h"
#include "model/series.h"
#include "model/type.h"

/* The type is all of 'text' up to a '-', as there may be some in its name. */
static const struct mc_type *find_type(const struct registry *registry, const char *text,
				       size_t *size)
{
	const struct mc_type *type = NULL;

	for (*size = strcspn(text, "-"); type == NULL;
	     *size += 1 + strcspn(text + *size + 1, "-")) {
		type = type_set_find(registry->types, text, *size);
		if (type != NULL || text[*size] == '\0')
			break;
	}
	return type;
}

struct mc_series *registry_recreate(struct registry *registry, const struct mc_ended *ended)
{
	const char *plugin = strchr(ended->name, '/');
	const char *type_text = plugin != NULL ? strchr(plugin + 1, '/') : NULL;
	const struct store_life life = { ended->first, ended->last, ended->interval };
	struct mc_name_parts parts = { .name = ended->name };
	const struct mc_type *type;
	struct mc_series *series;
	size_t rest;

	if (type_text == NULL)
		return NULL;
	type_text++;
	type = find_type(registry, type_text, &parts.type_size);
	if (type == NULL)
		return NULL;
	parts.host_size = (size_t)(plugin - ended->name);
	rest = (size_t)(type_text - 1 - (plugin + 1));
	parts.plugin_size = strcspn(plugin + 1, "-/");
	parts.plugin_instance_size = rest > parts.plugin_size ? rest - parts.plugin_size - 1 : 0;
	rest = strlen(type_text);
	parts.type_instance_size = rest > parts.type_size ? rest - parts.type_size - 1 : 0;
	if (series_fault(&parts) != NULL)
		return NULL; /* It is that of a file. */
	series = store_recreate(registry->store, &parts, type, &life);
	if (ended->metric != NULL && series->retired != 0)
		metric_give(series, (struct metric_kept *)ended->metric->held);
	return series;
}
