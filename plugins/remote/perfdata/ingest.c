/* SPDX-License-Identifier: MIT */
/* This is the path that costs: see service.h. */
#include "ingest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/metric.h>
#include <collector/serve.h>

#include "formats/perfdata/event.h"
#include "state.h"

#define FIRST_INTERVAL (300 * MC_SECOND) /* That of Nagios and Icinga. */
#define DESCRIBE_EVERY (3600 * MC_SECOND)

struct ingesting { /* One event. */
	struct ingest *ingest;
	const struct event *event;
	struct service *service;
	struct mc_stamp stamp;
};

static void refuse(struct ingest *ingest, enum count_reason reason, const char *text)
{
	count_refuse(ingest->count, ingest->ctx, reason, ingest->path, text);
}

/* --- Items ---------------------------------------------------------------- */

/* Texts that the name of a series cannot hold as they came; arguments of a check may have
 * passwords. */
static void set_labels(const struct ingesting *ingesting, const struct mc_perfdata_item *item,
		       struct mc_series *series)
{
	const struct event *event = ingesting->event;
	char command[MC_METRIC_NAME_SIZE];
	struct mc_metric_label labels[3] = { { .name = "label", .value = item->label } };
	struct mc_metric metric = { .labels = { labels, 1 } };
	size_t size = strcspn(event->command, "!");

	if (size > 0 && size < sizeof(command)) {
		memcpy(command, event->command, size);
		command[size] = '\0';
		labels[metric.labels.len++] =
			(struct mc_metric_label){ .name = "check_command", .value = command };
	}
	if (strcmp(event->service, EVENT_OF_HOST) != 0)
		labels[metric.labels.len++] =
			(struct mc_metric_label){ .name = "service", .value = event->service };
	mc_set_metric(ingesting->ingest->batch, series, &metric);
}

static void describe(struct ingesting *ingesting, struct service_label *label,
		     const struct mc_perfdata_item *item, struct mc_series *series)
{
	char unit[MC_METADATA_LABEL_SIZE];
	struct mc_metadata metadata =
		mc_perfdata_describe(item, ingesting->ingest->options->raw, unit);

	if (label->contradicted)
		mc_perfdata_unlimit(&metadata);
	mc_set_metadata(ingesting->ingest->batch, series, 0, &metadata);
	set_labels(ingesting, item, series);
	label->described = ingesting->stamp.time;
}

/* Whether the check has found the value to be better than its limits say. */
static bool is_contradicted(const struct ingesting *ingesting, const struct mc_perfdata_item *item)
{
	bool raw = ingesting->ingest->options->raw;
	char unit[MC_METADATA_LABEL_SIZE];
	struct mc_metadata metadata;

	if (ingesting->event->state[0] == '\0' || item->warning.size + item->critical.size == 0)
		return false;
	metadata = mc_perfdata_describe(item, raw, unit);
	return mc_perfdata_contradicts(&metadata, raw ? item->value : item->value * item->factor,
				       state_of_check(ingesting->event->state));
}

/* Sets the metadata of a series when they have changed, when the series may be a new one of the
 * same name, and now and then. */
static void keep_described(struct ingesting *ingesting, struct service_label *label,
			   const struct mc_perfdata_item *item, const char *end,
			   struct mc_series *series)
{
	size_t size = (size_t)(end - item->unit.text);
	mc_time time = ingesting->stamp.time;
	bool same = label->fields != NULL && label->fields_size == size &&
		    memcmp(label->fields, item->unit.text, size) == 0;
	bool contradicted = is_contradicted(ingesting, item);

	same = same && contradicted == label->contradicted;
	label->contradicted = contradicted;
	if (same && time - label->described < DESCRIBE_EVERY &&
	    time - label->last < 2 * ingesting->stamp.interval)
		return;
	if (!same) {
		free(label->fields);
		label->fields = mc_alloc_bytes(item->unit.text, size);
		label->fields_size = size;
	}
	describe(ingesting, label, item, series);
}

/* All bits of a counter count.  False if it is invalid. */
static bool convert(const struct mc_perfdata_item *item, bool raw, union mc_value *value)
{
	if (strcmp(item->type, "derive") != 0) {
		value->gauge = raw ? item->value : item->value * item->factor;
		return true;
	}
	if (item->whole) {
		value->derive = (int64_t)item->digits;
		return true;
	}
	if (fabs(item->value) >= 0x1p63)
		return false;
	value->derive = (int64_t)llround(item->value);
	return true;
}

static const char *type_of(const struct mc_perfdata_item *item, bool raw)
{
	if (raw && item->factor != 1)
		return "gauge";
	return item->type;
}

/* The label of the item, or NULL: it is refused, or not wanted. */
static struct service_label *find_label(struct ingesting *ingesting,
					const struct mc_perfdata_item *item)
{
	struct ingest *ingest = ingesting->ingest;
	const char *type = type_of(item, ingest->options->raw);
	struct service *service = ingesting->service;
	struct service_label *label = service_label(service, item->label, item->label_size, type);

	if (label == NULL) {
		label = service_add_label(service, ingest->options->plugin, item, type);
		if (label == NULL) {
			refuse(ingest, COUNT_LABELS, item->label);
			return NULL;
		}
		label->ignored = ingest->options->labels != NULL &&
				 !mc_selected(ingest->options->labels, true, item->label);
	}
	if (label->ignored) {
		count_add(&ingest->count->ignored, 1);
		return NULL;
	}
	if (label->clash) {
		refuse(ingest, COUNT_REPEATED, item->label);
		return NULL;
	}
	return label;
}

static void take_item(struct ingesting *ingesting, const struct mc_perfdata_item *item,
		      const char *end)
{
	struct ingest *ingest = ingesting->ingest;
	struct service_label *label = find_label(ingesting, item);
	struct mc_series *series;
	union mc_value value;

	if (label == NULL)
		return;
	if (label->event == ingesting->service->event) {
		refuse(ingest, COUNT_REPEATED, item->label);
		return;
	}
	if (!convert(item, ingest->options->raw, &value)) {
		refuse(ingest, COUNT_RANGE, item->label);
		return;
	}
	series = mc_series_named(ingest->batch, &label->parts);
	if (series == NULL) {
		refuse(ingest, COUNT_SERIES, label->name);
		return;
	}
	keep_described(ingesting, label, item, end, series);
	mc_put_at(ingest->batch, series, ingesting->stamp, &value, 1);
	label->last = ingesting->stamp.time;
	label->event = ingesting->service->event;
	count_add(&ingest->count->items, 1);
	if (item->tolerated)
		count_add(&ingest->count->tolerated, 1);
}

/* The check does not know a value: that of a level is unknown, too. */
static void take_unknown(struct ingesting *ingesting, const struct mc_perfdata_item *item)
{
	struct ingest *ingest = ingesting->ingest;
	struct service_label *label =
		service_label(ingesting->service, item->label, item->label_size, NULL);
	union mc_value value = { .gauge = NAN };

	count_add(&ingest->count->unknown, 1);
	if (label == NULL || label->ignored || label->clash || strcmp(label->type, "derive") == 0)
		return;
	mc_put_at(ingest->batch, mc_series_named(ingest->batch, &label->parts), ingesting->stamp,
		  &value, 1);
	label->last = ingesting->stamp.time;
}

static void take_items(struct ingesting *ingesting)
{
	static const enum count_reason reasons[] = {
		[MC_PERFDATA_NO_LABEL] = COUNT_NO_LABEL,
		[MC_PERFDATA_NO_VALUE] = COUNT_NO_VALUE,
		[MC_PERFDATA_NO_NUMBER] = COUNT_NO_NUMBER,
		[MC_PERFDATA_FIELDS] = COUNT_FIELDS,
	};
	enum mc_perfdata_found found;
	struct mc_perfdata_item item;
	struct mc_perfdata data;

	ingesting->service->next = 0;
	ingesting->service->event++;
	mc_perfdata_open(&data, ingesting->event->data);
	while ((found = mc_perfdata_next(&data, &item)) != MC_PERFDATA_END) {
		if (found == MC_PERFDATA_ITEM)
			take_item(ingesting, &item, data.at);
		else if (found == MC_PERFDATA_UNKNOWN)
			take_unknown(ingesting, &item);
		else
			refuse(ingesting->ingest, reasons[found], ingesting->event->data);
	}
}

/* --- Events --------------------------------------------------------------- */

/* False: its time cannot be. */
static bool time_good(struct ingest *ingest, const struct event *event, mc_time now)
{
	mc_time age = ingest->options->max_age;

	if (event->time > now + MC_AHEAD_MAX) {
		refuse(ingest, COUNT_FUTURE, event->host);
		return false;
	}
	if (age > 0 && event->time < now - age) {
		refuse(ingest, COUNT_OLD, event->host);
		return false;
	}
	return true;
}

static bool is_ignored(const struct ingest *ingest, const struct service *service)
{
	const struct ingest_options *options = ingest->options;

	return (options->hosts != NULL && !mc_selected(options->hosts, true, service->host)) ||
	       (options->services != NULL && !mc_selected(options->services, true, service->name));
}

/* The name of a command ends with its arguments: check_disk!20%!10%. */
static bool is_command_ignored(const struct ingest *ingest, const struct event *event)
{
	char name[128];

	if (ingest->options->commands == NULL)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(event->command, "!"), event->command);
	return !mc_selected(ingest->options->commands, true, name);
}

static struct service *find_service(struct ingest *ingest, const struct event *event)
{
	bool is_new;
	struct service *service =
		service_find(&ingest->services, event->host, event->service, &is_new);

	if (is_new)
		service->ignored = is_ignored(ingest, service);
	return service;
}

mc_time ingest_line(struct ingest *ingest, char *line, size_t size, mc_time now)
{
	static const enum count_reason reasons[] = {
		[EVENT_FORM] = COUNT_FORM,
		[EVENT_TIME] = COUNT_TIME,
		[EVENT_NAME] = COUNT_NAME,
	};
	struct ingesting ingesting = { .ingest = ingest };
	struct event event;
	enum event_fault fault = event_read(&event, line, size);

	if (fault == EVENT_BLANK)
		return 0;
	if (fault != EVENT_GOOD) {
		refuse(ingest, reasons[fault], line);
		return 0;
	}
	count_add(&ingest->count->events, 1);
	if (!time_good(ingest, &event, now))
		return event.time;
	ingesting.event = &event;
	ingesting.service = find_service(ingest, &event);
	if (ingesting.service->ignored || is_command_ignored(ingest, &event)) {
		count_add(&ingest->count->ignored, 1);
		return event.time;
	}
	interval_learn(&ingesting.service->interval, event.time);
	ingesting.stamp.time = event.time;
	ingesting.stamp.interval = ingest->options->interval;
	if (ingesting.stamp.interval == 0)
		ingesting.stamp.interval = ingesting.service->interval.length > 0
						   ? ingesting.service->interval.length
						   : FIRST_INTERVAL;
	take_items(&ingesting);
	state_take(ingest->ctx, ingest->options->plugin, ingesting.service, &event,
		   ingest->options->notify);
	return event.time;
}
