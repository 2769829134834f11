/* SPDX-License-Identifier: MIT */
/* Facts: RFC 3416, 4.2.3 (GetBulkRequest), RFC 3418 (sysUpTime, sysName), RFC 2863
 * (ifTableLastChange), RFC 3414, 3 (reports). */
#include "answer.h"

#include <string.h>

#define TICKS 100 /* Of sysUpTime, in a second. */
#define TICKS_WRAP (UINT64_C(1) << 32)
#define TICKS_SLACK (10 * TICKS)

/* --- Rows ----------------------------------------------------------------- */

struct columns { /* Of a task, in the order of the request. */
	unsigned order[PLAN_COLUMNS_MAX];
	unsigned len;
	struct mc_object_id last[PLAN_COLUMNS_MAX]; /* Indexes, by column. */
	plan_columns ended;
};

static void columns_init(struct columns *columns, const struct task *task)
{
	columns->len = 0;
	columns->ended = 0;
	for (unsigned i = 0; i < task->table->plan->columns_len; i++)
		if ((task->columns >> i & 1) != 0) {
			columns->order[columns->len++] = i;
			columns->last[i] = task->from;
		}
}

static enum answer take_cell(struct task *task, struct columns *columns, unsigned column,
			     const netsnmp_variable_list *variable)
{
	struct table *table = task->table;
	const struct mc_object_id *prefix = &table->plan->columns[column].id;
	const struct mc_object_id name = { variable->name, variable->name_length };
	struct mc_object_id index;
	struct row *row;

	if (!mc_snmp_variable_exists(variable) || !mc_object_id_begins(&name, prefix) ||
	    name.len == prefix->len) {
		columns->ended |= (plan_columns)1 << column;
		return ANSWER_MORE;
	}
	index = mc_object_id_behind(&name, prefix);
	if (mc_object_id_compare(&index, &columns->last[column]) <= 0)
		return ANSWER_LOOPS;
	columns->last[column] = index;
	row = table_row(table, &index);
	if (row == NULL)
		return ANSWER_FULL;
	table_take(table, row, column, variable);
	return ANSWER_MORE;
}

/* All columns that have not ended go on after the one that is least far. */
static enum answer go_on(struct task *task, const struct columns *columns)
{
	const struct mc_object_id *least = NULL;
	struct mc_object_id from;

	for (unsigned i = 0; i < columns->len; i++) {
		unsigned column = columns->order[i];

		if ((columns->ended >> column & 1) != 0)
			continue;
		if (least == NULL || mc_object_id_compare(&columns->last[column], least) < 0)
			least = &columns->last[column];
	}
	if (least == NULL)
		return ANSWER_DONE;
	if (mc_object_id_compare(least, &task->from) <= 0)
		return ANSWER_SHORT;
	if (task->upto.len > 0 && mc_object_id_compare(least, &task->upto) >= 0)
		return ANSWER_DONE;
	from = mc_object_id_copy(least);
	mc_object_id_done(&task->from);
	task->from = from;
	task->columns &= ~columns->ended;
	return ANSWER_MORE;
}

enum answer answer_rows(struct task *task, const netsnmp_variable_list *variables)
{
	struct columns columns;
	size_t place = 0;

	columns_init(&columns, task);
	for (; variables != NULL && columns.len > 0;
	     variables = variables->next_variable, place++) {
		unsigned column = columns.order[place % columns.len];
		enum answer answer;

		if ((columns.ended >> column & 1) != 0)
			continue;
		answer = take_cell(task, &columns, column, variables);
		if (answer != ANSWER_MORE)
			return answer;
	}
	return go_on(task, &columns);
}

/* --- Single values -------------------------------------------------------- */

enum answer answer_singles(struct task *task, const netsnmp_variable_list *variables)
{
	struct pass *pass = task->pass;
	bool some = false, all = true;

	for (; variables != NULL; variables = variables->next_variable) {
		const struct mc_object_id name = { variables->name, variables->name_length };

		for (unsigned i = task->first; i < task->first + task->len; i++) {
			struct single *single = &pass->singles[i];

			if (single->pass == pass->number ||
			    mc_object_id_compare(&pass->plan->singles[i], &name) != 0)
				continue;
			single->pass = pass->number;
			single->time = mc_wall();
			single->number = (struct mc_snmp_number){ 0 };
			if (mc_snmp_variable_exists(variables))
				single->number = mc_snmp_variable_number(variables);
			some = true;
		}
	}
	for (unsigned i = task->first; i < task->first + task->len; i++)
		all = all && pass->singles[i].pass == pass->number;
	if (all)
		return ANSWER_DONE;
	return some ? ANSWER_MORE : ANSWER_SHORT;
}

/* --- The device's clock --------------------------------------------------- */

/* It has begun anew if its clock is less than it should be, but for its wrap after 497 days. */
static void take_uptime(struct device *device, uint64_t ticks)
{
	mc_time now = mc_now(), since = now - device->uptime_at;
	uint64_t elapsed = (uint64_t)(since / (MC_SECOND / TICKS));
	uint64_t wanted = device->uptime + elapsed;
	bool known = device->uptime_at != 0;

	if (wanted >= TICKS_WRAP)
		wanted -= TICKS_WRAP;
	else if (known && ticks + TICKS < device->uptime)
		device->restarts++;
	if (known && ticks >= device->uptime && ticks + TICKS_SLACK + elapsed / 100 < wanted)
		device->restarts++;
	device->uptime = ticks;
	device->uptime_at = now;
}

static void take_change(struct table *table, uint64_t ticks)
{
	if (table->changed_known && ticks != table->changed)
		table->stale = true;
	table->changed_known = true;
	table->changed = ticks;
}

static bool is_clock(const netsnmp_variable_list *variable, const oid *ids, size_t len)
{
	const struct mc_object_id name = { variable->name, variable->name_length };
	const struct mc_object_id prefix = { ids, len };

	return mc_object_id_begins(&name, &prefix) && variable->type == ASN_TIMETICKS;
}

const netsnmp_variable_list *answer_clock(struct device *device, struct table *table,
					  const netsnmp_variable_list *variables)
{
	static const oid uptime[] = { 1, 3, 6, 1, 2, 1, 1, 3 };
	static const oid change[] = { 1, 3, 6, 1, 2, 1, 31, 1, 5 };

	if (variables != NULL) {
		if (is_clock(variables, uptime, OID_LENGTH(uptime)))
			take_uptime(device, mc_snmp_variable_number(variables).positive);
		variables = variables->next_variable;
	}
	if (table == NULL)
		return variables;
	if (table->restarts != device->restarts) {
		table->restarts = device->restarts;
		table->stale = true;
	}
	if (table->plan->interfaces_table && variables != NULL) {
		if (is_clock(variables, change, OID_LENGTH(change)))
			take_change(table, mc_snmp_variable_number(variables).positive);
		variables = variables->next_variable;
	}
	return variables;
}

void answer_name(const netsnmp_variable_list *variable, char out[MC_SNMP_TEXT_SIZE])
{
	static const oid ids[] = { 1, 3, 6, 1, 2, 1, 1, 5 };
	const struct mc_object_id prefix = { ids, OID_LENGTH(ids) };
	const struct mc_object_id name = { variable->name, variable->name_length };

	if (!mc_object_id_begins(&name, &prefix) || variable->type != ASN_OCTET_STR ||
	    !mc_snmp_variable_text(variable, out))
		out[0] = '\0';
}

/* --- Reports -------------------------------------------------------------- */

const char *answer_report(const netsnmp_variable_list *variables)
{
	static const oid statistics[] = { 1, 3, 6, 1, 6, 3, 15, 1, 1 };
	static const char *const reasons[] = {
		"it does not allow the SecurityLevel",
		"its clock and ours differ",
		"it does not know the Username",
		"it has another engine",
		"the AuthPassphrase or the AuthProtocol is wrong",
		"the PrivacyPassphrase or the PrivacyProtocol is wrong",
	};
	const struct mc_object_id prefix = { statistics, OID_LENGTH(statistics) };
	struct mc_object_id name;

	if (variables == NULL)
		return NULL;
	name = (struct mc_object_id){ variables->name, variables->name_length };
	if (!mc_object_id_begins(&name, &prefix) || name.len <= prefix.len ||
	    name.ids[prefix.len] < 1 || name.ids[prefix.len] > sizeof(reasons) / sizeof(*reasons))
		return NULL;
	return reasons[name.ids[prefix.len] - 1];
}
