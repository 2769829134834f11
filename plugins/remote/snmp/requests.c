/* SPDX-License-Identifier: MIT */
/* Facts: RFC 6298 for how long to wait, RFC 3416 for errors. */
#include "requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/label.h>

#include "answer.h"
#include "pass.h"

#define TIMEOUT_MIN (250 * MC_MILLISECOND)

static const oid uptime_zero[] = { 1, 3, 6, 1, 2, 1, 1, 3, 0 };
static const oid name_zero[] = { 1, 3, 6, 1, 2, 1, 1, 5, 0 };
static const oid change_zero[] = { 1, 3, 6, 1, 2, 1, 31, 1, 5, 0 };

/* --- A request ------------------------------------------------------------ */

static bool has_changes(const struct table *table)
{
	return table != NULL && table->plan->interfaces_table;
}

/* How many values it asks for beside its own. */
static long clock_len(const struct task *task)
{
	return task->clock ? 1 + has_changes(task->table) + task->name : 0;
}

/* GETNEXT and GETBULK give what follows: they get the name without the 0. */
static void add_clock(netsnmp_pdu *pdu, const struct task *task)
{
	size_t less = task->table != NULL;

	if (!task->clock)
		return;
	snmp_add_null_var(pdu, uptime_zero, OID_LENGTH(uptime_zero) - less);
	if (has_changes(task->table))
		snmp_add_null_var(pdu, change_zero, OID_LENGTH(change_zero) - less);
	if (task->name)
		snmp_add_null_var(pdu, name_zero, OID_LENGTH(name_zero) - less);
}

static netsnmp_pdu *ask_rows(const struct device *device, const struct task *task)
{
	const struct table *table = task->table;
	bool bulk = device->options.version != 1;
	netsnmp_pdu *pdu = snmp_pdu_create(bulk ? SNMP_MSG_GETBULK : SNMP_MSG_GETNEXT);
	size_t rows = table_count(table, &task->from, &task->upto);

	add_clock(pdu, task);
	rows += task->upto.len == 0; /* To see the end. */
	if (!table->known || rows > task->limit)
		rows = task->limit;
	if (bulk) {
		pdu->non_repeaters = clock_len(task);
		pdu->max_repetitions = rows > 0 ? (long)rows : 1;
	}
	for (unsigned i = 0; i < table->plan->columns_len; i++) {
		struct mc_object_id id;

		if ((task->columns >> i & 1) == 0)
			continue;
		id = mc_object_id_join(&table->plan->columns[i].id, &task->from);
		snmp_add_null_var(pdu, id.ids, id.len);
		mc_object_id_done(&id);
	}
	return pdu;
}

static netsnmp_pdu *ask_singles(const struct task *task)
{
	const struct pass *pass = task->pass;
	netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_GET);
	unsigned asked = 0;

	add_clock(pdu, task);
	for (unsigned i = task->first; i < task->first + task->len; i++) {
		const struct mc_object_id *id = &pass->plan->singles[i];

		if (pass->singles[i].pass == pass->number ||
		    (task->limit > 0 && asked == task->limit))
			continue;
		snmp_add_null_var(pdu, id->ids, id->len);
		asked++;
	}
	return pdu;
}

/* --- Times ---------------------------------------------------------------- */

/* How long to wait for an answer: Timeout, or less where answers come quickly;
 * the last try gets it all. */
static mc_time wait_for(const struct device *device, unsigned tries)
{
	mc_time most = device->options.timeout;
	mc_time wait = device->round_trip + 4 * device->deviation;

	if (device->round_trip == 0 || tries >= (unsigned)device->options.retries)
		return most;
	if (wait < TIMEOUT_MIN)
		wait = TIMEOUT_MIN;
	for (; tries > 0 && wait < most; tries--)
		wait *= 2;
	return wait < most ? wait : most;
}

static void measured(struct device *device, mc_time taken)
{
	mc_time off = taken - device->round_trip;

	if (device->round_trip == 0) {
		device->round_trip = taken;
		device->deviation = taken / 2;
		return;
	}
	off = off < 0 ? -off : off;
	device->deviation += (off - device->deviation) / 4;
	device->round_trip += (taken - device->round_trip) / 8;
}

/* --- Answers -------------------------------------------------------------- */

static void refuse(struct device *device, const char *reason)
{
	device->refused = true;
	snprintf(device->reason, sizeof(device->reason), "%s", reason);
}

/* Of all series of the device it is a label; NULL: the device has no name. */
static void take_name(struct device *device, const netsnmp_variable_list *variable)
{
	char name[MC_SNMP_TEXT_SIZE] = "";
	const struct mc_field label = { "sysName", name };

	if (variable != NULL)
		answer_name(variable, name);
	device->named = mc_now();
	if (strcmp(device->system_name, name) == 0)
		return;
	memcpy(device->system_name, name, sizeof(name));
	mc_label(device->fleet->ctx, device->options.name, &label, name[0] != '\0');
}

/* A column or value that a device of version 1 has not (RFC 1157, 4.1.2).  Of the values beside
 * them the name is the last. */
static enum answer leave_out(struct device *device, struct task *task, long number)
{
	struct pass *pass = task->pass;
	long clock = clock_len(task);

	number -= clock;
	if (number < 1 && clock > 0) {
		if (task->name && number == 0)
			take_name(device, NULL);
		else
			task->clock = false;
		task->name = false;
		return ANSWER_MORE;
	}
	if (number < 1)
		return ANSWER_SHORT;
	for (unsigned i = 0; task->table != NULL && i < task->table->plan->columns_len; i++)
		if ((task->columns >> i & 1) != 0 && --number == 0) {
			task->columns &= ~((plan_columns)1 << i);
			return task->columns != 0 ? ANSWER_MORE : ANSWER_DONE;
		}
	for (unsigned i = task->first; task->table == NULL && i < task->first + task->len; i++)
		if (pass->singles[i].pass != pass->number && --number == 0) {
			pass->singles[i].pass = pass->number;
			pass->singles[i].number = (struct mc_snmp_number){ 0 };
			return answer_singles(task, NULL) == ANSWER_DONE ? ANSWER_DONE
									 : ANSWER_MORE;
		}
	return ANSWER_SHORT;
}

/* Asks for less at a time.  False: that is not possible. */
static bool ask_less(struct task *task)
{
	struct table *table = task->table;

	if (table == NULL) {
		unsigned now = task->limit > 0 ? task->limit : task->len;

		task->limit = now / 2;
		return now > 1;
	}
	if (task->limit <= 1)
		return false;
	task->limit /= 2;
	if (table->limit == 0 || table->limit > task->limit)
		table->limit = task->limit;
	return true;
}

static void end_task(struct request *request, const char *failed)
{
	struct task *task = request->task;

	request->task = NULL;
	pass_end_task(request->device, task, failed);
}

static void again(struct request *request)
{
	struct task *task = request->task;

	request->task = NULL;
	pass_give_back(request->device, task);
}

static void take(struct request *request, const netsnmp_pdu *pdu)
{
	struct device *device = request->device;
	struct task *task = request->task;
	const netsnmp_variable_list *variables = pdu->variables;
	enum answer answer;

	if (task->clock)
		variables = answer_clock(device, task->table, variables);
	if (task->clock && task->name && variables != NULL) {
		take_name(device, variables);
		variables = variables->next_variable;
	}
	answer = task->table != NULL ? answer_rows(task, variables)
				     : answer_singles(task, variables);
	if (task->table != NULL)
		task->clock = false;
	task->tries = 0;
	switch (answer) {
	case ANSWER_DONE:
		end_task(request, NULL);
		break;
	case ANSWER_MORE:
		again(request);
		break;
	case ANSWER_LOOPS:
		end_task(request, "gives rows that are not in order");
		break;
	case ANSWER_FULL:
		end_task(request, "has more rows than RowsMax");
		break;
	case ANSWER_SHORT:
		if (ask_less(task))
			again(request);
		else
			end_task(request, "gives too few values");
		break;
	}
}

static void take_error(struct request *request, const netsnmp_pdu *pdu)
{
	struct device *device = request->device;
	struct task *task = request->task;
	char text[96];

	if (pdu->errstat == SNMP_ERR_TOOBIG) {
		if (ask_less(task))
			again(request);
		else
			end_task(request, "finds one value too big");
		return;
	}
	if (pdu->errstat == SNMP_ERR_NOSUCHNAME && device->options.version == 1) {
		switch (leave_out(device, task, pdu->errindex)) {
		case ANSWER_MORE:
			again(request);
			break;
		case ANSWER_DONE:
			end_task(request, NULL);
			break;
		default:
			end_task(request, "says which it has not, wrongly");
		}
		return;
	}
	snprintf(text, sizeof(text), "says '%s'", snmp_errstring((int)pdu->errstat));
	end_task(request, text);
}

/* An answer that was not asked for so: its name, or its number of values. */
static void take_answer(struct request *request, const netsnmp_pdu *pdu)
{
	struct device *device = request->device;
	mc_time now = mc_now();

	if (request->task == NULL || request->task->tries == 0)
		measured(device, now - request->sent);
	device->heard = now;
	if (request->task == NULL)
		return; /* The probe, or nobody waits for it any more. */
	if (device->window < (unsigned)device->fleet->options->outstanding_max)
		device->window++;
	if (request->task->table != NULL && request->task->table->phase == TABLE_FAILED)
		end_task(request, NULL);
	else if (pdu->errstat != SNMP_ERR_NOERROR)
		take_error(request, pdu);
	else
		take(request, pdu);
}

static void take_timeout(struct request *request)
{
	struct device *device = request->device;
	struct task *task = request->task;

	device->fleet->counts.timeouts++;
	if (device->window > 1)
		device->window /= 2;
	if (task == NULL) {
		device->lost = device->lost || device->state == DEVICE_PROBING;
		return;
	}
	if (task->table != NULL && task->table->phase == TABLE_FAILED) {
		end_task(request, NULL);
		return;
	}
	if (++task->tries <= (unsigned)device->options.retries) {
		/* A long answer may be what is lost. */
		if (task->tries % 2 == 0)
			ask_less(task);
		device->fleet->counts.retries++;
		again(request);
		return;
	}
	if (device->heard >= task->begun) {
		end_task(request, "does not answer");
		return;
	}
	device->lost = true;
	again(request);
}

static int answered(int operation, netsnmp_session *session, int id, netsnmp_pdu *pdu,
		    void *argument)
{
	struct request *request = argument;
	struct device *device = request->device;
	const char *reason;

	(void)session;
	(void)id;
	if (!request->busy)
		return 1;
	switch (operation) {
	case NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE:
		request->busy = false;
		device->busy--;
		if (pdu->command == SNMP_MSG_RESPONSE) {
			take_answer(request, pdu);
			break;
		}
		reason = answer_report(pdu->variables);
		refuse(device, reason != NULL ? reason : "it refuses");
		if (request->task != NULL)
			again(request);
		break;
	case NETSNMP_CALLBACK_OP_TIMED_OUT:
	case NETSNMP_CALLBACK_OP_SEND_FAILED:
	case NETSNMP_CALLBACK_OP_DISCONNECT:
		request->busy = false;
		device->busy--;
		take_timeout(request);
		break;
	default:
		break;
	}
	return 1;
}

int requests_stray(int operation, netsnmp_session *session, int id, netsnmp_pdu *pdu,
		   void *argument)
{
	struct device *device = argument;

	(void)session;
	(void)id;
	(void)pdu;
	if (operation == NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE)
		device->fleet->counts.strays++;
	return 1;
}

/* --- Sending -------------------------------------------------------------- */

static struct request *find_free(struct device *device)
{
	for (unsigned i = 0; i < DEVICE_OUTSTANDING_MAX; i++)
		if (!device->requests[i].busy)
			return &device->requests[i];
	return NULL;
}

static bool send_pdu(struct device *device, struct request *request, netsnmp_pdu *pdu, mc_time wait)
{
	mc_time now = mc_now();

	request->device = device;
	request->sent = now;
	request->deadline = now + wait;
	if (!session_send(&device->session, pdu, wait, answered, request)) {
		mc_complain(device->fleet->ctx, &device->sending, 0, "cannot send to '%s'",
			    device->options.name);
		return false;
	}
	request->busy = true;
	device->busy++;
	device->fleet->counts.requests++;
	mc_works(device->fleet->ctx, &device->sending, "can send to '%s' again",
		 device->options.name);
	return true;
}

/* The first answer of an engine says what its clock is; until then it would refuse each. */
static unsigned window_of(const struct device *device)
{
	bool in_time = device->options.version != 3 || device->heard >= device->opened;

	return in_time ? device->window : 1;
}

void requests_send(struct device *device)
{
	while (device->busy < window_of(device) && !device->refused) {
		struct task *task = pass_take_task(device);
		struct request *request;
		mc_time wait;

		if (task == NULL)
			return;
		if (task->tries == 0)
			task->begun = mc_now();
		request = find_free(device);
		request->task = task;
		wait = wait_for(device, task->tries);
		if (!send_pdu(device, request,
			      task->table != NULL ? ask_rows(device, task) : ask_singles(task),
			      wait)) {
			/* As if it were lost; but not all at once. */
			again(request);
			device->lost = true;
			return;
		}
	}
}

bool requests_probe(struct device *device)
{
	netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_GET);
	struct request *request = find_free(device);

	snmp_add_null_var(pdu, uptime_zero, OID_LENGTH(uptime_zero));
	if (request == NULL) {
		snmp_free_pdu(pdu);
		return false;
	}
	request->task = NULL;
	return send_pdu(device, request, pdu, device->options.timeout);
}

mc_time requests_due(const struct device *device)
{
	mc_time due = INT64_MAX;

	for (unsigned i = 0; i < DEVICE_OUTSTANDING_MAX; i++)
		if (device->requests[i].busy && device->requests[i].deadline < due)
			due = device->requests[i].deadline;
	return due;
}

void requests_forget(struct device *device, const struct pass *pass)
{
	for (unsigned i = 0; i < DEVICE_OUTSTANDING_MAX; i++) {
		struct request *request = &device->requests[i];

		if (request->task == NULL || (pass != NULL && request->task->pass != pass))
			continue;
		/* Its pass drops it with those that wait. */
		again(request);
	}
}

void requests_reset(struct device *device)
{
	requests_forget(device, NULL);
	for (unsigned i = 0; i < DEVICE_OUTSTANDING_MAX; i++)
		device->requests[i].busy = false;
	device->busy = 0;
}
