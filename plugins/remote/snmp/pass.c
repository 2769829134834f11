/* SPDX-License-Identifier: MIT */
#include "pass.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "interfaces.h"
#include "report.h"

#define HEADERS_SIZE 110        /* Of a message, with the device's clock. */
#define HEADERS_SECURE_SIZE 210 /* With version 3. */
#define SINGLES_MAX 24          /* In a request. */

void pass_init(struct pass *pass, struct device *device, const struct plan_group *plan)
{
	*pass = (struct pass){
		.plan = plan,
		.interval = plan->interval > 0 ? plan->interval : device->options.interval,
		.tables = mc_alloc_array(plan->tables_len, sizeof(*pass->tables)),
		.singles = mc_alloc_array(plan->singles_len, sizeof(*pass->singles)),
		.held = mc_alloc_array(plan->data_len, sizeof(*pass->held)),
	};
	for (unsigned i = 0; i < plan->tables_len; i++) {
		table_init(&pass->tables[i], &plan->tables[i],
			   (size_t)device->fleet->options->rows_max);
		if (device->options.version == 1)
			pass->tables[i].never = plan->tables[i].wide;
		pass->tables[i].absent = pass->tables[i].never;
	}
}

void pass_done(struct pass *pass)
{
	for (unsigned i = 0; i < pass->plan->tables_len; i++)
		table_done(&pass->tables[i]);
	for (unsigned i = 0; i < pass->plan->data_len; i++)
		mc_release(pass->held[i]);
	free(pass->tables);
	free(pass->singles);
	free(pass->held);
}

/* --- Tasks ---------------------------------------------------------------- */

static struct task *add_task(struct device *device, struct pass *pass, struct table *table)
{
	struct task *task = mc_alloc_zero(sizeof(*task));

	task->pass = pass;
	task->table = table;
	*device->tasks_end = task;
	device->tasks_end = &task->next;
	pass->open++;
	if (table != NULL)
		table->open++;
	return task;
}

struct task *pass_take_task(struct device *device)
{
	struct task *task = device->tasks;

	if (task == NULL)
		return NULL;
	device->tasks = task->next;
	if (device->tasks == NULL)
		device->tasks_end = &device->tasks;
	task->next = NULL;
	return task;
}

void pass_give_back(struct device *device, struct task *task)
{
	task->next = device->tasks;
	device->tasks = task;
	if (task->next == NULL)
		device->tasks_end = &task->next;
}

static void free_task(struct task *task)
{
	task->pass->open--;
	if (task->table != NULL)
		task->table->open--;
	mc_object_id_done(&task->from);
	mc_object_id_done(&task->upto);
	free(task);
}

/* Frees those that wait, of the table or, NULL, of the whole pass. */
static void drop_tasks(struct device *device, const struct pass *pass, const struct table *table)
{
	struct task **link = &device->tasks;

	while (*link != NULL) {
		struct task *task = *link;

		if (task->pass == pass && (table == NULL || task->table == table)) {
			*link = task->next;
			free_task(task);
		} else {
			link = &task->next;
		}
	}
	device->tasks_end = link;
}

/* --- A table -------------------------------------------------------------- */

static size_t room(const struct device *device)
{
	size_t headers = device->options.version == 3 ? HEADERS_SECURE_SIZE : HEADERS_SIZE;

	return (size_t)device->fleet->options->message_size - headers;
}

static unsigned columns_of(plan_columns columns)
{
	return (unsigned)__builtin_popcountll(columns);
}

/* Asks with the first task of a pass for the device's clock, and now and then for its name. */
static void ask_clock(const struct device *device, struct task *task)
{
	mc_time hold = device->fleet->options->names_interval;

	task->clock = true;
	task->name = device->named == 0 || mc_now() - device->named >= hold;
}

/* How many rows to ask for at once. */
static unsigned rows_at_once(const struct device *device, const struct table *table,
			     plan_columns columns)
{
	unsigned fit = table_fit(table, columns, room(device));
	unsigned wanted = columns_of(columns);

	if (device->options.version == 1)
		return 1;
	if (device->options.bulk_size > 0 && wanted > 0) {
		unsigned most = (unsigned)device->options.bulk_size / wanted;

		fit = most < fit ? most : fit;
	}
	if (table->limit > 0 && table->limit < fit)
		fit = table->limit;
	return fit > 0 ? fit : 1;
}

/* Reads columns of all rows, each request as many as fit: the last one also finds rows after those
 * that are known. */
static void read_rows(struct device *device, struct pass *pass, struct table *table,
		      plan_columns columns)
{
	size_t len = table->known ? table->len : 0;
	size_t most = rows_at_once(device, table, columns);
	size_t parts = (len + most) / most, each = (len + parts) / parts;

	if (columns == 0)
		return;
	for (size_t first = 0; first <= len; first += each) {
		struct task *task = add_task(device, pass, table);

		task->columns = columns;
		task->limit = (unsigned)most;
		if (first == 0)
			ask_clock(device, task);
		if (first > 0)
			task->from = mc_object_id_copy(&table->rows[first - 1]->index);
		if (first + each <= len)
			task->upto = mc_object_id_copy(&table->rows[first + each - 1]->index);
	}
}

static void start_table(struct device *device, struct pass *pass, struct table *table, mc_time now)
{
	mc_time hold = device->fleet->options->names_interval;

	table->pass = pass->number;
	table->full = false;
	if (table->named == 0 || now - table->named >= hold)
		table->stale = true;
	if (table->stale || table->changed_rows)
		table->absent = table->never;
	table->changed_rows = false;
	if (table->limit > 0 && pass->number % 16 == 0)
		table->limit += 2;
	if (table->known) {
		table->phase = TABLE_VALUES;
		read_rows(device, pass, table, table_live(table));
		return;
	}
	table->phase = TABLE_INDEX;
	read_rows(device, pass, table,
		  table->plan->kept != 0 ? table->plan->kept : table_live(table));
}

/* All tasks of the phase have ended. */
static void next_phase(struct device *device, struct pass *pass, struct table *table)
{
	mc_time now = mc_now();

	if (table->phase == TABLE_INDEX && table->plan->kept != 0) {
		table_named(table, now);
		table->known = true;
		table->phase = TABLE_VALUES;
		read_rows(device, pass, table, table_live(table));
		return;
	}
	if (table->phase == TABLE_NAMES) {
		table_named(table, now);
		table->changed_rows = true;
	}
	table_sweep(table);
	table->known = true;
	if (table->phase == TABLE_VALUES && table_wants_names(table)) {
		table->phase = TABLE_NAMES;
		read_rows(device, pass, table, table->plan->kept);
		return;
	}
	table->phase = TABLE_DONE;
	if (table->plan->interfaces_len > 0)
		interfaces_choose(table);
}

static void fail_table(struct device *device, struct pass *pass, struct table *table,
		       const char *why)
{
	char column[64];

	table->phase = TABLE_FAILED;
	table->known = false; /* The rows are found anew. */
	drop_tasks(device, pass, table);
	if (table->full) /* Perhaps of rows that are gone. */
		table_sweep(table);
	mc_complain(device->fleet->ctx, &table->failing, 0,
		    "'%s' %s when asked for the table with %s", device->options.name, why,
		    mc_object_id_text(&table->plan->columns[0].id, column, sizeof(column)));
}

void pass_end_task(struct device *device, struct task *task, const char *failed)
{
	struct pass *pass = task->pass;
	struct table *table = task->table;

	free_task(task);
	if (failed != NULL && table == NULL) {
		pass->failed = true;
		mc_complain(device->fleet->ctx, &pass->failing, 0,
			    "'%s' %s when asked for single values", device->options.name, failed);
	}
	if (failed != NULL && table != NULL && table->phase != TABLE_FAILED)
		fail_table(device, pass, table, failed);
	if (table != NULL && table->open == 0 && table->phase != TABLE_FAILED) {
		next_phase(device, pass, table);
		if (table->phase == TABLE_DONE)
			mc_works(device->fleet->ctx, &table->failing, "'%s' gives its table again",
				 device->options.name);
	}
	if (pass->open == 0 && pass->running)
		pass_finish(pass, device, true);
}

/* --- The pass ------------------------------------------------------------- */

void pass_start(struct pass *pass, struct device *device, mc_time now)
{
	const struct plan_group *plan = pass->plan;

	pass->running = true;
	pass->failed = false;
	pass->started = now;
	if (++pass->number == 0) /* That means never. */
		pass->number = 1;
	for (unsigned i = 0; i < plan->singles_len; i += SINGLES_MAX) {
		struct task *task = add_task(device, pass, NULL);

		task->first = i;
		task->len =
			plan->singles_len - i < SINGLES_MAX ? plan->singles_len - i : SINGLES_MAX;
		if (i == 0)
			ask_clock(device, task);
	}
	for (unsigned i = 0; i < plan->tables_len; i++)
		start_table(device, pass, &pass->tables[i], now);
	if (pass->open == 0)
		pass_finish(pass, device, true);
}

void pass_finish(struct pass *pass, struct device *device, bool report)
{
	mc_time duration = mc_now() - pass->started;
	struct fleet_counts *counts = &device->fleet->counts;

	drop_tasks(device, pass, NULL);
	pass->running = false;
	if (!report)
		return;
	report_pass(pass, device);
	counts->passes++;
	if (duration > counts->slowest)
		counts->slowest = duration;
}
