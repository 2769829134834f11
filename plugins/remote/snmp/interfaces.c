/* SPDX-License-Identifier: MIT */
/* Facts: RFC 2863.  Counters go on in 64 bits of our own, so that neither their
 * wraps nor a restart of the device makes a spike. */
#include "interfaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/metadata.h>
#include <collector/metric.h>

#include "device.h"
#include "interface_names.h"

#define NAME_SIZE 192
#define SLACK 1.1      /* Of the speed, that a rate may have: clocks are coarse. */
#define HIGH_SPEED 1e6 /* Unit of ifHighSpeed, in bit/s. */
#define STATE_IS_UP 1  /* Of ifOperStatus. */

enum { OCTETS, PACKETS, ERRORS, DISCARDS, PAIRS };
enum { SPEED = PAIRS, STATE, SERIES };

static const char *const types[SERIES] = {
	"if_octets", "if_packets", "if_errors", "if_dropped", "if_speed", "if_state",
};

struct counter {
	bool known, wide;
	uint64_t raw;  /* As the device had it. */
	int64_t total; /* As it is reported. */
};

struct interface {
	char name[NAME_SIZE];
	struct mc_series *held[SERIES];
	uint32_t described[SERIES]; /* Pass since which their metadata are so. */
	struct counter counters[PAIRS][2];
	mc_time arrived; /* When the counters were. */
	unsigned restarts;
};

/* In the order of enum interfaces_column: below ifEntry 2.2.1, or ifXEntry. */
static const struct {
	bool more; /* ifXEntry. */
	oid column;
	bool kept, wide;
} columns[INTERFACES_COLUMNS] = {
	[INTERFACES_DESCR] = { false, 2, .kept = true },
	[INTERFACES_TYPE] = { false, 3, .kept = true },
	[INTERFACES_SPEED] = { false, 5, .kept = true },
	[INTERFACES_NAME] = { true, 1, .kept = true },
	[INTERFACES_HIGH_SPEED] = { true, 15, .kept = true },
	[INTERFACES_ALIAS] = { true, 18, .kept = true },
	[INTERFACES_STATE] = { false, 8, .kept = false },
	[INTERFACES_OCTETS] = { false, 10, .kept = false },
	[INTERFACES_OCTETS + 1] = { false, 16, .kept = false },
	[INTERFACES_WIDE_OCTETS] = { true, 6, .wide = true },
	[INTERFACES_WIDE_OCTETS + 1] = { true, 10, .wide = true },
	[INTERFACES_PACKETS] = { false, 11, .kept = false },
	[INTERFACES_PACKETS + 1] = { false, 17, .kept = false },
	[INTERFACES_WIDE_PACKETS] = { true, 7, .wide = true },
	[INTERFACES_WIDE_PACKETS + 1] = { true, 11, .wide = true },
	[INTERFACES_ERRORS] = { false, 14, .kept = false },
	[INTERFACES_ERRORS + 1] = { false, 20, .kept = false },
	[INTERFACES_DISCARDS] = { false, 13, .kept = false },
	[INTERFACES_DISCARDS + 1] = { false, 19, .kept = false },
};

#define NARROW ((plan_columns)3 << INTERFACES_OCTETS | (plan_columns)3 << INTERFACES_PACKETS)

void interfaces_plan(struct plan_table *table)
{
	static const oid entry[] = { 1, 3, 6, 1, 2, 1, 2, 2, 1 };
	static const oid more[] = { 1, 3, 6, 1, 2, 1, 31, 1, 1, 1 };

	*table = (struct plan_table){ .interfaces_table = true };
	table->columns = mc_alloc_array(PLAN_COLUMNS_MAX, sizeof(*table->columns));
	for (unsigned i = 0; i < INTERFACES_COLUMNS; i++) {
		const struct mc_object_id parent = {
			columns[i].more ? more : entry,
			columns[i].more ? OID_LENGTH(more) : OID_LENGTH(entry),
		};
		oid last = columns[i].column;

		table->columns[i].id =
			mc_object_id_join(&parent, &(struct mc_object_id){ &last, 1 });
		table->columns[i].text = columns[i].kept;
		if (columns[i].kept)
			table->kept |= (plan_columns)1 << i;
		if (columns[i].wide)
			table->wide |= (plan_columns)1 << i;
	}
	table->columns_len = INTERFACES_COLUMNS;
}

/* --- Which columns -------------------------------------------------------- */

static bool is_there(const struct table *table, const struct row *row, unsigned column)
{
	const struct cell *cell = &row->cells[column];

	return cell->pass == table->pass && cell->number.kind != MC_SNMP_NONE;
}

void interfaces_choose(struct table *table)
{
	plan_columns found = 0;
	bool all_wide = table->len > 0;

	for (size_t i = 0; i < table->len; i++) {
		const struct row *row = table->rows[i];

		for (unsigned j = 0; j < INTERFACES_COLUMNS; j++)
			if (row->cells[j].pass != 0)
				found |= (plan_columns)1 << j;
		if (!is_there(table, row, INTERFACES_WIDE_OCTETS) ||
		    !is_there(table, row, INTERFACES_WIDE_PACKETS))
			all_wide = false;
	}
	if (table->len == 0)
		return;
	table->absent |= ((plan_columns)1 << INTERFACES_COLUMNS) - 1;
	table->absent &= ~found;
	if (all_wide)
		table->absent |= NARROW;
}

/* --- Names ---------------------------------------------------------------- */

void interfaces_row_free(struct interface *interface)
{
	if (interface == NULL)
		return;
	for (unsigned i = 0; i < SERIES; i++)
		mc_release(interface->held[i]);
	free(interface);
}

static const char *text_of(const struct row *row, unsigned column)
{
	const char *text = row->cells[column].text;

	return text != NULL ? text : "";
}

/* One that is called otherwise is another interface. */
static void name_row(struct row *row, const struct interface_choice *choice)
{
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "%s%s", choice->prefix, choice->name);
	if (row->interface != NULL && strcmp(row->interface->name, name) == 0)
		return;
	interfaces_row_free(row->interface);
	row->interface = mc_alloc_zero(sizeof(*row->interface));
	memcpy(row->interface->name, name, sizeof(name));
}

static void say_shared(struct table *table, const struct device *device,
		       const struct interface_choice *choices)
{
	size_t shared = 0, first = 0;

	for (size_t i = table->len; i-- > 0;)
		if (choices[i].shared) {
			shared++;
			first = i;
		}
	if (shared == 0)
		mc_works(device->fleet->ctx, &table->naming,
			 "'%s' has a name of its own for each interface again",
			 device->options.name);
	else
		mc_complain(device->fleet->ctx, &table->naming, 0,
			    "'%s' has interfaces with one name: %zu are called "
			    "by ifDescr or ifIndex, the first one '%s'",
			    device->options.name, shared, table->rows[first]->interface->name);
}

/* By the part that distinguishes each from all others. */
static void name_rows(struct table *table, const struct device *device)
{
	struct interface_names *names = mc_alloc_array(table->len, sizeof(*names));
	struct interface_choice *choices = mc_alloc_array(table->len, sizeof(*choices));
	char(*indexes)[NAME_SIZE] = mc_alloc_array(table->len, NAME_SIZE);

	for (size_t i = 0; i < table->len; i++) {
		const struct row *row = table->rows[i];

		names[i].name = text_of(row, INTERFACES_NAME);
		names[i].description = text_of(row, INTERFACES_DESCR);
		names[i].index = mc_object_id_text(&row->index, indexes[i], NAME_SIZE);
	}
	interface_names_choose(names, table->len, choices);
	for (size_t i = 0; i < table->len; i++)
		name_row(table->rows[i], &choices[i]);
	say_shared(table, device, choices);
	free(indexes);
	free(choices);
	free(names);
}

/* --- Selection ------------------------------------------------------------ */

static bool has_type(const struct interfaces_options *options, const struct row *row)
{
	int64_t type = row->cells[INTERFACES_TYPE].number.negative;

	for (size_t i = 0; i < options->types.len; i++)
		if (options->types.items[i] == type)
			return true;
	return options->types.len == 0;
}

static bool is_selected(const struct table *table, const struct interfaces_options *options,
			const struct row *row)
{
	bool up = is_there(table, row, INTERFACES_STATE) &&
		  row->cells[INTERFACES_STATE].number.negative == STATE_IS_UP;

	if (!has_type(options, row) || (options->state == STATE_UP && !up) ||
	    (options->state == STATE_DOWN && up))
		return false;
	return mc_selected(options->names, options->ignore, row->interface->name) &&
	       mc_selected(options->aliases, options->ignore, text_of(row, INTERFACES_ALIAS));
}

static bool is_wanted(const struct table *table, const struct row *row)
{
	if (row->pass != table->pass || row->renamed == table->pass || !row->named)
		return false;
	for (unsigned i = 0; i < table->plan->interfaces_len; i++)
		if (is_selected(table, table->plan->interfaces[i], row))
			return true;
	return false;
}

/* --- Values --------------------------------------------------------------- */

/* In bit/s; 0: not known. */
static double speed_of(const struct row *row)
{
	const struct mc_snmp_number *high = &row->cells[INTERFACES_HIGH_SPEED].number;
	const struct mc_snmp_number *low = &row->cells[INTERFACES_SPEED].number;

	if (high->kind == MC_SNMP_UNSIGNED && high->positive > 0)
		return (double)high->positive * HIGH_SPEED;
	return low->kind == MC_SNMP_UNSIGNED ? (double)low->positive : 0;
}

/* How far it went on; false: that is not known. */
static bool advance(struct counter *counter, uint64_t raw, bool wide, uint64_t most)
{
	bool known = counter->known, same = counter->wide == wide;
	uint64_t more = raw - counter->raw;

	if (!wide)
		more = (uint32_t)more;
	counter->known = true;
	counter->wide = wide;
	counter->raw = raw;
	if (!known) {
		counter->total = (int64_t)raw;
		return true;
	}
	/* One of 32 bits says nothing about one of 64. */
	if (!same || more > most)
		return false;
	counter->total += (int64_t)more;
	return true;
}

struct sample {
	struct table *table;
	struct row *row;
	struct device *device;
	struct mc_batch *batch;
	struct mc_stamp stamp;
	bool restarted;
};

static void add_label(struct mc_metric_label labels[3], size_t *len, const char *name,
		      const char *value)
{
	if (*value != '\0')
		labels[(*len)++] = (struct mc_metric_label){ .name = name, .value = value };
}

/* An ifDescr that is its name is no label. */
static void set_labels(const struct sample *sample, struct mc_series *series, bool is_new)
{
	const struct row *row = sample->row;
	struct mc_metric_label labels[3];
	struct mc_metric metric = { .labels = { labels, 0 } };

	add_label(labels, &metric.labels.len, "ifAlias", text_of(row, INTERFACES_ALIAS));
	if (strcmp(text_of(row, INTERFACES_DESCR), row->interface->name) != 0)
		add_label(labels, &metric.labels.len, "ifDescr", text_of(row, INTERFACES_DESCR));
	add_label(labels, &metric.labels.len, "ifName", text_of(row, INTERFACES_NAME));
	if (metric.labels.len > 0 || !is_new)
		mc_set_metric(sample->batch, series, &metric);
}

/* Net-SNMP has the name as the alias of an interface without one. */
static const char *label_of(const struct row *row)
{
	const char *alias = text_of(row, INTERFACES_ALIAS);
	const char *label = *alias != '\0' ? alias : text_of(row, INTERFACES_DESCR);

	return strcmp(label, row->interface->name) != 0 ? label : "";
}

/* 'number' is that of a series of the interface. */
static void describe(const struct sample *sample, unsigned number, unsigned len, bool is_new)
{
	struct mc_series *series = sample->row->interface->held[number];
	const struct mc_metadata metadata = {
		.label = label_of(sample->row),
		.warning = { NAN, NAN },
		.failure = { NAN, NAN },
	};

	for (unsigned i = 0; i < len; i++)
		mc_set_metadata(sample->batch, series, i, &metadata);
	set_labels(sample, series, is_new);
}

static void put(const struct sample *sample, unsigned number, const union mc_value *values,
		unsigned len)
{
	struct interface *interface = sample->row->interface;
	struct mc_series **held = &interface->held[number];
	bool is_new = *held == NULL;

	if (is_new)
		*held = mc_hold(mc_series(sample->batch, MC_ID(.host = sample->device->options.name,
							       .type = types[number],
							       .type_instance = interface->name)));
	if (is_new || interface->described[number] != sample->row->renamed)
		describe(sample, number, len, is_new);
	interface->described[number] = sample->row->renamed;
	mc_put_at(sample->batch, *held, sample->stamp, values, len);
}

/* The largest possible increase of the counter: as much as the speed allows, or half of its
 * range. */
static uint64_t most_of(const struct sample *sample, unsigned pair, bool wide)
{
	double seconds =
		(double)(sample->row->arrived - sample->row->interface->arrived) / MC_SECOND;
	double octets = speed_of(sample->row) / 8 * SLACK * (seconds + 1);

	if (sample->restarted)
		return 0;
	if (pair == OCTETS && octets > 0 && octets < 9e18)
		return (uint64_t)octets;
	return wide ? INT64_MAX : UINT32_MAX / 2;
}

static void put_pair(const struct sample *sample, unsigned pair, unsigned narrow, unsigned wide)
{
	const struct row *row = sample->row;
	bool is_wide = wide != narrow && is_there(sample->table, row, wide);
	unsigned column = is_wide ? wide : narrow;
	union mc_value values[2];
	bool good = true;

	for (unsigned i = 0; i < 2; i++) {
		struct counter *counter = &row->interface->counters[pair][i];

		if (!is_there(sample->table, row, column + i))
			return;
		if (!advance(counter, row->cells[column + i].number.positive, is_wide,
			     most_of(sample, pair, is_wide)))
			good = false;
		values[i].derive = counter->total;
	}
	if (good)
		put(sample, pair, values, 2);
}

static void put_row(struct sample *sample)
{
	struct row *row = sample->row;
	double speed = speed_of(row);
	union mc_value value = { .gauge = speed };

	row->interface->restarts = sample->device->restarts;
	put_pair(sample, OCTETS, INTERFACES_OCTETS, INTERFACES_WIDE_OCTETS);
	put_pair(sample, PACKETS, INTERFACES_PACKETS, INTERFACES_WIDE_PACKETS);
	put_pair(sample, ERRORS, INTERFACES_ERRORS, INTERFACES_ERRORS);
	put_pair(sample, DISCARDS, INTERFACES_DISCARDS, INTERFACES_DISCARDS);
	if (speed > 0)
		put(sample, SPEED, &value, 1);
	if (is_there(sample->table, row, INTERFACES_STATE)) {
		value.gauge = (double)row->cells[INTERFACES_STATE].number.negative;
		put(sample, STATE, &value, 1);
	}
	row->interface->arrived = row->arrived;
}

void interfaces_report(struct table *table, struct device *device, mc_time interval,
		       struct mc_batch *batch)
{
	if (table->renamed)
		name_rows(table, device);
	for (size_t i = 0; i < table->len; i++) {
		struct row *row = table->rows[i];
		struct sample sample = {
			.table = table,
			.row = row,
			.device = device,
			.batch = batch,
			.stamp = { row->time, interval },
			.restarted = row->interface->restarts != device->restarts &&
				     row->interface->arrived != 0,
		};

		if (is_wanted(table, row)) {
			put_row(&sample);
			device->fleet->counts.rows++;
		}
	}
}
