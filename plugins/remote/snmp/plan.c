/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/serve.h>

#include "formats/snmp/names.h"
#include "interfaces.h"

/* RFC 2863: rows of both have the same index. */
static const oid if_entry[] = { 1, 3, 6, 1, 2, 1, 2, 2, 1 };
static const oid if_x_entry[] = { 1, 3, 6, 1, 2, 1, 31, 1, 1, 1 };
static const oid if_descr[] = { 1, 3, 6, 1, 2, 1, 2, 2, 1, 2 };
static const oid if_oper_status[] = { 1, 3, 6, 1, 2, 1, 2, 2, 1, 8 };

/* Whether it is a column of IF-MIB's interfaces. */
static bool is_of_interfaces(const struct mc_object_id *id)
{
	const struct mc_object_id entry = { if_entry, OID_LENGTH(if_entry) };
	const struct mc_object_id more = { if_x_entry, OID_LENGTH(if_x_entry) };

	return mc_object_id_begins(id, &entry) || mc_object_id_begins(id, &more);
}

/* --- Groups, tables, columns ---------------------------------------------- */

static struct plan_group *group_of(struct plan *plan, mc_time interval)
{
	for (unsigned i = 0; i < plan->groups_len; i++)
		if (plan->groups[i].interval == interval)
			return &plan->groups[i];
	plan->groups = mc_alloc_resize(plan->groups, plan->groups_len + 1, sizeof(*plan->groups));
	plan->groups[plan->groups_len] = (struct plan_group){
		.interval = interval,
	};
	return &plan->groups[plan->groups_len++];
}

/* Whether columns of both are read together: they have rows in common. */
static bool is_same_table(const struct plan_table *table, const struct mc_object_id *column)
{
	struct mc_object_id entry = *column;

	if (table->interfaces_table)
		return is_of_interfaces(column);
	entry.len--;
	return mc_object_id_begins(&table->columns[0].id, &entry);
}

/* A table that has room for 'len' more columns. */
static struct plan_table *table_of(struct plan_group *group, const struct mc_object_id *column,
				   unsigned len)
{
	struct plan_table *table;

	for (unsigned i = 0; i < group->tables_len; i++) {
		table = &group->tables[i];
		if (table->columns_len > 0 && is_same_table(table, column) &&
		    table->columns_len + len <= PLAN_COLUMNS_MAX)
			return table;
	}
	group->tables =
		mc_alloc_resize(group->tables, group->tables_len + 1, sizeof(*group->tables));
	table = &group->tables[group->tables_len++];
	*table = (struct plan_table){
		.interfaces_table = is_of_interfaces(column),
		.state = PLAN_NONE,
	};
	table->columns = mc_alloc_array(PLAN_COLUMNS_MAX, sizeof(*table->columns));
	return table;
}

/* The number of the column, which takes 'id'. */
static int column_of(struct plan_table *table, struct mc_object_id *id, bool text)
{
	unsigned i = 0;

	while (i < table->columns_len && mc_object_id_compare(&table->columns[i].id, id) != 0)
		i++;
	if (i == table->columns_len)
		table->columns[table->columns_len++] = (struct plan_column){
			.id = *id,
		};
	else
		mc_object_id_done(id);
	table->columns[i].text = table->columns[i].text || text;
	return (int)i;
}

/* --- <Data> --------------------------------------------------------------- */

/* Object identifiers of a <Data>, before they are columns. */
struct wanted {
	struct mc_object_id values[MC_SOURCES_MAX];
	unsigned values_len;
	struct mc_object_id host, plugin_instance, type_instance, filter, index;
};

static void wanted_done(struct wanted *wanted)
{
	for (unsigned i = 0; i < wanted->values_len; i++)
		mc_object_id_done(&wanted->values[i]);
	mc_object_id_done(&wanted->host);
	mc_object_id_done(&wanted->plugin_instance);
	mc_object_id_done(&wanted->type_instance);
	mc_object_id_done(&wanted->filter);
	mc_object_id_done(&wanted->index);
}

/* How many columns they are, if all of them are new ones. */
static unsigned columns_of(const struct wanted *wanted)
{
	return wanted->values_len + (wanted->host.len > 0) + (wanted->plugin_instance.len > 0) +
	       (wanted->type_instance.len > 0) + (wanted->filter.len > 0);
}

/* NULL and "" need none. */
static bool resolve(const struct plan_source *source, const struct data_options *data,
		    const char *name, struct mc_object_id *id)
{
	if (name == NULL || *name == '\0' || source->resolve(source->argument, name, id))
		return true;
	mc_log(source->ctx, MC_ERROR, "<Data \"%s\"> is left out: the object '%s' is not known",
	       data->name, name);
	return false;
}

static bool resolve_all(const struct plan_source *source, const struct data_options *data,
			struct wanted *wanted)
{
	for (size_t i = 0; i < data->values.len; i++) {
		if (!resolve(source, data, data->values.items[i], &wanted->values[i]))
			return false;
		wanted->values_len++;
		if (wanted->values[i].len < 2)
			return false;
	}
	if (!data->table)
		return true;
	if (!resolve(source, data, data->filter_oid, &wanted->filter) ||
	    !resolve(source, data, data->filter_index_oid, &wanted->index))
		return false;
	if (data->count)
		return true;
	if (!resolve(source, data, options_type_instance_oid(data), &wanted->type_instance) ||
	    !resolve(source, data, data->plugin_instance_oid, &wanted->plugin_instance) ||
	    !resolve(source, data, data->host_oid, &wanted->host))
		return false;
	if (columns_of(wanted) <= PLAN_COLUMNS_MAX)
		return true;
	mc_log(source->ctx, MC_ERROR, "<Data \"%s\"> is left out: it has more than %d columns",
	       data->name, PLAN_COLUMNS_MAX);
	return false;
}

static struct plan_instance instance_of(struct plan_table *table, const char *name,
					struct mc_object_id *id, const char *prefix,
					const char *fixed)
{
	struct plan_instance instance = {
		.wanted = name != NULL,
		.column = PLAN_NONE,
		.prefix = prefix,
		.fixed = fixed,
	};

	if (id->len > 0)
		instance.column = column_of(table, id, true);
	return instance;
}

static plan_columns bit_of(int column)
{
	return column == PLAN_NONE ? 0 : (plan_columns)1 << column;
}

static unsigned single_of(struct plan_group *group, struct mc_object_id *id)
{
	for (unsigned i = 0; i < group->singles_len; i++)
		if (mc_object_id_compare(&group->singles[i], id) == 0) {
			mc_object_id_done(id);
			return i;
		}
	group->singles =
		mc_alloc_resize(group->singles, group->singles_len + 1, sizeof(*group->singles));
	group->singles[group->singles_len] = *id;
	return group->singles_len++;
}

/* The column with the names of interfaces, for the log. */
static int label_of(struct plan_table *table)
{
	struct mc_object_id id = { (oid *)if_descr, OID_LENGTH(if_descr) };

	if (!table->interfaces_table || table->columns_len >= PLAN_COLUMNS_MAX)
		return PLAN_NONE;
	id = mc_object_id_copy(&id);
	return column_of(table, &id, true);
}

static void add_rows(struct plan_group *group, struct plan_data data, struct wanted *wanted)
{
	const struct data_options *options = data.options;
	struct plan_table *table = table_of(group, &wanted->values[0], columns_of(wanted));
	bool single = options->count;

	for (unsigned i = 0; i < wanted->values_len; i++) {
		data.values[i] = column_of(table, &wanted->values[i], false);
		data.columns |= bit_of(data.values[i]);
	}
	data.values_len = wanted->values_len;
	data.type_instance =
		instance_of(table, options_type_instance_oid(options), &wanted->type_instance,
			    options_type_instance_prefix(options), options_type_instance(options));
	data.plugin_instance = instance_of(
		table, single ? NULL : options->plugin_instance_oid, &wanted->plugin_instance,
		options->plugin_instance_prefix, options->plugin_instance);
	data.host = instance_of(table, single ? NULL : options->host_oid, &wanted->host,
				options->host_prefix, NULL);
	data.filter = wanted->filter.len > 0 ? column_of(table, &wanted->filter, true) : PLAN_NONE;
	if (wanted->index.len > 0) {
		data.index = (int)single_of(group, &wanted->index);
		data.label = label_of(table);
	}
	data.columns |= bit_of(data.type_instance.column) | bit_of(data.plugin_instance.column) |
			bit_of(data.host.column) | bit_of(data.filter);
	table->data = mc_alloc_resize(table->data, table->data_len + 1, sizeof(*table->data));
	table->data[table->data_len++] = data;
}

static void add_singles(struct plan_group *group, struct plan_data data, struct wanted *wanted)
{
	data.plugin_instance.fixed = data.options->plugin_instance;
	data.type_instance.fixed = options_type_instance(data.options);
	for (unsigned i = 0; i < wanted->values_len; i++)
		data.values[i] = (int)single_of(group, &wanted->values[i]);
	data.values_len = wanted->values_len;
	group->data = mc_alloc_resize(group->data, group->data_len + 1, sizeof(*group->data));
	group->data[group->data_len++] = data;
}

static void add_data(const struct plan_source *source, struct plan *plan,
		     const struct data_options *options)
{
	struct plan_data data = {
		.options = options,
		.type = mc_type_find(source->ctx, options->type),
		.filter = PLAN_NONE,
		.index = PLAN_NONE,
		.label = PLAN_NONE,
	};
	bool count = options->table && options->count;
	struct wanted wanted = { .values_len = 0 };

	if (data.type == NULL || options->values.len != (count ? 1 : data.type->sources_len) ||
	    (count && data.type->sources_len != 1))
		return; /* check() has said so. */
	if (!resolve_all(source, options, &wanted)) {
		wanted_done(&wanted);
		return;
	}
	if (options->table)
		add_rows(group_of(plan, options->interval), data, &wanted);
	else
		add_singles(group_of(plan, options->interval), data, &wanted);
}

/* --- <Interfaces> --------------------------------------------------------- */

static void add_interfaces(struct plan *plan, const struct interfaces_options *options)
{
	struct plan_group *group = group_of(plan, options->interval);
	struct plan_table *table = NULL;

	/* It has a table of its own: its columns are in a fixed order. */
	for (unsigned i = 0; i < group->tables_len; i++)
		if (group->tables[i].interfaces_len > 0)
			table = &group->tables[i];
	if (table == NULL) {
		group->tables = mc_alloc_resize(group->tables, group->tables_len + 1,
						sizeof(*group->tables));
		table = &group->tables[group->tables_len++];
		interfaces_plan(table);
		table->state = PLAN_NONE;
	}
	table->interfaces = mc_alloc_resize(table->interfaces, table->interfaces_len + 1,
					    sizeof(*table->interfaces));
	table->interfaces[table->interfaces_len++] = options;
}

/* Names of interfaces hold until the device says that they change; what else a
 * <Data> asks for is read each time. */
static void find_kept(struct plan_table *table)
{
	plan_columns others = 0;

	if (!table->interfaces_table || table->interfaces_len > 0)
		return;
	for (unsigned i = 0; i < table->data_len; i++) {
		const struct plan_data *data = &table->data[i];

		for (unsigned j = 0; j < data->values_len; j++)
			others |= bit_of(data->values[j]);
		others |= bit_of(data->filter);
	}
	for (unsigned i = 0; i < table->columns_len; i++)
		if ((others >> i & 1) == 0 && is_of_interfaces(&table->columns[i].id))
			table->kept |= (plan_columns)1 << i;
}

/* Adds the state: of interfaces with one name, the one that is up is taken. */
static void add_state(struct plan_table *table)
{
	struct mc_object_id id = { (oid *)if_oper_status, OID_LENGTH(if_oper_status) };

	if (!table->interfaces_table || table->interfaces_len > 0 ||
	    table->columns_len >= PLAN_COLUMNS_MAX)
		return;
	id = mc_object_id_copy(&id);
	table->state = column_of(table, &id, false);
}

struct plan *plan_new(const struct plan_source *source, struct mc_strings collect)
{
	struct plan *plan = mc_alloc_zero(sizeof(*plan));

	plan->collect = collect;
	for (size_t i = 0; i < collect.len; i++) {
		const char *name = collect.items[i];
		const struct data_options *data = options_find_data(source->options, name);
		const struct interfaces_options *interfaces =
			options_find_interfaces(source->options, name);

		if (data != NULL)
			add_data(source, plan, data);
		else if (interfaces != NULL)
			add_interfaces(plan, interfaces);
	}
	for (unsigned i = 0; i < plan->groups_len; i++)
		for (unsigned j = 0; j < plan->groups[i].tables_len; j++) {
			find_kept(&plan->groups[i].tables[j]);
			add_state(&plan->groups[i].tables[j]);
		}
	return plan;
}

static void table_done(struct plan_table *table)
{
	for (unsigned i = 0; i < table->columns_len; i++)
		mc_object_id_done(&table->columns[i].id);
	free(table->columns);
	free(table->data);
	free(table->interfaces);
}

void plan_free(struct plan *plan)
{
	if (plan == NULL)
		return;
	for (unsigned i = 0; i < plan->groups_len; i++) {
		struct plan_group *group = &plan->groups[i];

		for (unsigned j = 0; j < group->singles_len; j++)
			mc_object_id_done(&group->singles[j]);
		for (unsigned j = 0; j < group->tables_len; j++)
			table_done(&group->tables[j]);
		free(group->singles);
		free(group->data);
		free(group->tables);
	}
	free(plan->groups);
	free(plan);
}
