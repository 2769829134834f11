/* SPDX-License-Identifier: MIT */
/* What the snmp plugin makes of what devices send. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <collector/serve.h>

#include "discovery.h"
#include "formats/snmp/library.h"
#include "formats/snmp/names.h"
#include "formats/snmp/variable.h"
#include "moment.h"
#include "plan.h"
#include "snmp_fixture.h"
#include "unit.h"

/* --- Names ---------------------------------------------------------------- */

static void is_named(const char *name, const char *wanted)
{
	struct mc_object_id id;
	char text[MC_OBJECT_ID_TEXT_SIZE];

	if (!mc_snmp_find_name(name, &id))
		fail_msg("'%s' is not known", name);
	assert_string_equal(mc_object_id_text(&id, text, sizeof(text)), wanted);
	mc_object_id_done(&id);
}

static void objects_have_names(void **state)
{
	static const char *const wrong[] = { "",
					     ".",
					     "1..3",
					     "1.3.",
					     "IF-MIB::",
					     "IF-MIB::no",
					     "UCD::ifDescr",
					     "ifDescr.x",
					     "1.4294967296",
					     "ifDescr." };
	struct mc_object_id id;

	(void)state;
	is_named(".1.3.6.1", "1.3.6.1");
	is_named("iso.3.6", "1.3.6");
	is_named("IF-MIB::ifHCInOctets", "1.3.6.1.2.1.31.1.1.1.6");
	is_named("ifDescr.3", "1.3.6.1.2.1.2.2.1.2.3");
	is_named("SNMPv2-SMI::enterprises.6050.5", "1.3.6.1.4.1.6050.5");
	is_named("HOST-RESOURCES-MIB::hrSystemNumUsers.0", "1.3.6.1.2.1.25.1.5.0");
	is_named("UPS-MIB::upsInputVoltage", "1.3.6.1.2.1.33.1.3.3.1.3");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(mc_snmp_find_name(wrong[i], &id));
}

/* --- Values --------------------------------------------------------------- */

static netsnmp_variable_list *variable_of(u_char type, const void *value, size_t size)
{
	static const oid name[] = { 1, 3, 1, 2, 7 };
	netsnmp_variable_list *list = NULL;

	snmp_varlist_add_variable(&list, name, 5, type, value, size);
	assert_non_null(list);
	return list;
}

static double gauge_of(u_char type, const void *value, size_t size)
{
	netsnmp_variable_list *variable = variable_of(type, value, size);
	struct mc_snmp_number number = mc_snmp_variable_number(variable);
	union mc_value as = { .gauge = NAN };

	if (!mc_snmp_variable_value(&number, MC_GAUGE, 10, 1, &as))
		as.gauge = NAN;
	snmp_free_varbind(variable);
	return as.gauge;
}

static double text_gauge(const char *text)
{
	return gauge_of(ASN_OCTET_STR, text, strlen(text));
}

static void numbers_are_taken(void **state)
{
	long negative = -5, large = 4000000000;
	struct counter64 wide = { .high = 1, .low = 2 };
	float single = 2.5F;

	(void)state;
	assert_true(gauge_of(ASN_INTEGER, &negative, sizeof(negative)) == -49);
	assert_true(gauge_of(ASN_GAUGE, &large, sizeof(large)) == 4e10 + 1);
	assert_true(gauge_of(ASN_COUNTER64, &wide, sizeof(wide)) == 42949672981.0);
	assert_true(gauge_of(ASN_OPAQUE_FLOAT, &single, sizeof(single)) == 26);
	assert_true(text_gauge("23.5 C") == 23.5);
	assert_true(text_gauge(" -7") == -7);
	assert_true(text_gauge("18446744073709551615") == 18446744073709551615.0);
	assert_true(text_gauge("1e3") == 1000);
	assert_true(isnan(text_gauge("")));
	assert_true(isnan(text_gauge("none")));
	assert_true(isnan(text_gauge("-")));
	assert_true(isnan(gauge_of(ASN_NULL, NULL, 0)));
}

static void counters_have_no_decimals_that_do_not_fit(void **state)
{
	const struct mc_snmp_number much = { .kind = MC_SNMP_FLOAT, .real = 1e300 };
	const struct mc_snmp_number none = { .kind = MC_SNMP_FLOAT, .real = NAN };
	const struct mc_snmp_number some = { .kind = MC_SNMP_FLOAT, .real = 7.9 };
	union mc_value value;

	(void)state;
	assert_false(mc_snmp_variable_value(&much, MC_COUNTER, 1, 0, &value));
	assert_false(mc_snmp_variable_value(&none, MC_DERIVE, 1, 0, &value));
	assert_true(mc_snmp_variable_value(&some, MC_DERIVE, 10, 5, &value));
	assert_int_equal(value.derive, 7);
}

static void is_text(u_char type, const void *bytes, size_t size, const char *wanted)
{
	netsnmp_variable_list *variable = variable_of(type, bytes, size);
	char text[MC_SNMP_TEXT_SIZE];

	assert_true(mc_snmp_variable_text(variable, text));
	assert_string_equal(text, wanted);
	snmp_free_varbind(variable);
}

static void texts_are_parts_of_names(void **state)
{
	static const oid id[] = { 1, 3, 6 };
	long number = -3;
	char longest[300];
	netsnmp_variable_list *variable;
	char text[MC_SNMP_TEXT_SIZE];

	(void)state;
	is_text(ASN_OCTET_STR, "eth0/1", 6, "eth0/1");
	is_text(ASN_OCTET_STR, "\0\x1b\xff", 3, "00:1b:ff");
	is_text(ASN_OCTET_STR, "", 0, "");
	is_text(ASN_IPADDRESS, "\xc0\0\2\1", 4, "192.0.2.1");
	is_text(ASN_OBJECT_ID, id, sizeof(id), "1.3.6");
	is_text(ASN_INTEGER, &number, sizeof(number), "-3");
	memset(longest, 'x', sizeof(longest));
	variable = variable_of(ASN_OCTET_STR, longest, sizeof(longest));
	assert_true(mc_snmp_variable_text(variable, text));
	assert_int_equal(strlen(text), MC_SNMP_TEXT_SIZE - 1);
	variable->val.string[299] = 1; /* Beyond what is taken. */
	assert_true(mc_snmp_variable_text(variable, text));
	assert_int_equal(text[0], 'x');
	variable->val.string[0] = 1;
	assert_true(mc_snmp_variable_text(variable, text));
	assert_true(strlen(text) < MC_SNMP_TEXT_SIZE);
	snmp_free_varbind(variable);
}

/* --- Answers -------------------------------------------------------------- */

/* Adds 1.3.1.COLUMN.ROW = number. */
static void add(netsnmp_variable_list **list, oid column, oid row, long number)
{
	const oid name[] = { 1, 3, 1, column, row };

	snmp_varlist_add_variable(list, name, 5, ASN_INTEGER, &number, sizeof(number));
}

static void rows_are_told_by_their_index(void **state)
{
	netsnmp_variable_list *list = NULL;
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	/* The third column has no row 1. */
	add(&list, 1, 1, 11);
	add(&list, 2, 1, 21);
	add(&list, 3, 2, 32);
	add(&list, 1, 2, 12);
	add(&list, 2, 2, 22);
	add(&list, 3, 3, 33);
	assert_int_equal(answer_rows(&fixture.task, list), ANSWER_MORE);
	assert_int_equal(fixture.table.len, 3);
	assert_int_equal(fixture.table.rows[1]->cells[2].number.negative, 32);
	assert_false(table_has(&fixture.table, fixture.table.rows[0], 7));
	assert_true(table_has(&fixture.table, fixture.table.rows[1], 7));
	assert_false(table_has(&fixture.table, fixture.table.rows[2], 7));
	assert_string_equal(fixture.table.rows[1]->cells[0].text, "12");
	/* It goes on where the least far column is. */
	assert_int_equal(fixture.task.from.len, 1);
	assert_int_equal(fixture.task.from.ids[0], 2);
	snmp_free_varbind(list);
	/* Two columns end, the third has one more. */
	list = NULL;
	add(&list, 2, 1, 0);
	add(&list, 3, 1, 0);
	add(&list, 3, 3, 33);
	add(&list, 2, 2, 0);
	add(&list, 3, 2, 0);
	add(&list, 4, 1, 0);
	assert_int_equal(answer_rows(&fixture.task, list), ANSWER_DONE);
	assert_int_equal(fixture.table.len, 3);
	snmp_free_varbind(list);
	fixture_done(&fixture);
}

static void tables_that_never_end_are_left(void **state)
{
	netsnmp_variable_list *list = NULL;
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	fixture.task.columns = 2;
	add(&list, 2, 5, 0);
	add(&list, 2, 4, 0);
	assert_int_equal(answer_rows(&fixture.task, list), ANSWER_LOOPS);
	snmp_free_varbind(list);
	list = NULL;
	assert_int_equal(answer_rows(&fixture.task, list), ANSWER_SHORT);
	for (oid row = 1; row <= FIXTURE_ROWS_MAX + 1; row++)
		add(&list, 2, row, 0);
	assert_int_equal(answer_rows(&fixture.task, list), ANSWER_FULL);
	assert_int_equal(fixture.table.len, FIXTURE_ROWS_MAX);
	snmp_free_varbind(list);
	fixture_done(&fixture);
}

static void a_task_ends_at_its_last_row(void **state)
{
	netsnmp_variable_list *list = NULL;
	struct fixture fixture;
	oid last = 2;

	(void)state;
	fixture_init(&fixture);
	fixture.task.columns = 2;
	fixture.task.upto = (struct mc_object_id){ &last, 1 };
	add(&list, 2, 1, 0);
	assert_int_equal(answer_rows(&fixture.task, list), ANSWER_MORE);
	add(&list, 2, 3, 0);
	mc_object_id_done(&fixture.task.from);
	assert_int_equal(answer_rows(&fixture.task, list), ANSWER_DONE);
	snmp_free_varbind(list);
	fixture_done(&fixture);
}

static void a_restart_is_seen(void **state)
{
	static const oid uptime[] = { 1, 3, 6, 1, 2, 1, 1, 3, 0 };
	netsnmp_variable_list *list = NULL;
	struct fixture fixture;
	long ticks = 100000;

	(void)state;
	fixture_init(&fixture);
	snmp_varlist_add_variable(&list, uptime, 9, ASN_TIMETICKS, &ticks, sizeof(ticks));
	assert_null(answer_clock(&fixture.device, &fixture.table, list));
	assert_int_equal(fixture.device.restarts, 0);
	assert_false(fixture.table.stale);
	*list->val.integer = 99990; /* Two answers, one before the other. */
	answer_clock(&fixture.device, &fixture.table, list);
	assert_int_equal(fixture.device.restarts, 0);
	*list->val.integer = 500;
	answer_clock(&fixture.device, &fixture.table, list);
	assert_int_equal(fixture.device.restarts, 1);
	assert_true(fixture.table.stale);
	snmp_free_varbind(list);
	fixture_done(&fixture);
}

/* --- The engine ----------------------------------------------------------- */

/* As net-snmp's agent answers, message 0x01020304, engine 80001f8804 61. */
static const uint8_t report[] = {
	0x30, 0x58, 0x02, 0x01, 0x03, 0x30, 0x11, 0x02, 0x04, 0x01, 0x02, 0x03, 0x04, 0x02, 0x03,
	0x00, 0xff, 0xe3, 0x04, 0x01, 0x00, 0x02, 0x01, 0x03, 0x04, 0x16, 0x30, 0x14, 0x04, 0x06,
	0x80, 0x00, 0x1f, 0x88, 0x04, 0x61, 0x02, 0x01, 0x05, 0x02, 0x01, 0x64, 0x04, 0x00, 0x04,
	0x00, 0x04, 0x00, 0x30, 0x28, 0x04, 0x06, 0x80, 0x00, 0x1f, 0x88, 0x04, 0x61, 0x04, 0x00,
	0xa8, 0x1c, 0x02, 0x01, 0x00, 0x02, 0x01, 0x00, 0x02, 0x01, 0x00, 0x30, 0x11, 0x30, 0x0f,
	0x06, 0x0a, 0x2b, 0x06, 0x01, 0x06, 0x03, 0x0f, 0x01, 0x01, 0x04, 0x00, 0x41, 0x01, 0x01,
};

static void the_engine_is_asked_for(void **state)
{
	uint8_t out[DISCOVERY_SIZE], bytes[sizeof(report)];
	struct discovery_engine engine;

	(void)state;
	memcpy(bytes, report, sizeof(bytes));
	assert_int_equal(discovery_write(0x01020304, out), 64);
	assert_int_equal(out[1], 62);
	assert_true(discovery_read(bytes, sizeof(bytes), 0x01020304, &engine));
	assert_int_equal(engine.size, 6);
	assert_memory_equal(engine.id, report + 30, 6);
	assert_false(discovery_read(bytes, sizeof(bytes), 0x01020305, &engine));
	for (size_t size = 0; size < sizeof(report); size++)
		assert_false(discovery_read(bytes, size, 0x01020304, &engine));
	bytes[60] = 0xa2; /* An answer is not a report. */
	assert_false(discovery_read(bytes, sizeof(bytes), 0x01020304, &engine));
	/* Our own question, sent back. */
	assert_false(discovery_read(out, 64, 0x01020304, &engine));
}

/* --- What is asked for ---------------------------------------------------- */

/* What plan.c asks of the core and of interfaces.c: a type "N" has N sources. */
const struct mc_type *mc_type_find(struct mc_ctx *ctx, const char *name)
{
	static struct mc_type types[MC_SOURCES_MAX + 1];
	unsigned len = (unsigned)strtoul(name, NULL, 10);

	(void)ctx;
	types[len].sources_len = len;
	return &types[len];
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *format, ...)
{
	(void)ctx;
	(void)level;
	(void)format;
}

void interfaces_plan(struct plan_table *table)
{
	(void)table;
}

static bool is_number(void *argument, const char *name, struct mc_object_id *id)
{
	(void)argument;
	return mc_object_id_parse(name, id);
}

/* A <Data> of columns 'first' to 'first' + 'len' - 1, and of columns 1 to 4 for
 * its names and its filter. */
struct columns {
	struct data_options data;
	char type[4];
	char texts[MC_SOURCES_MAX][16];
	const char *values[MC_SOURCES_MAX];
};

static void columns_init(struct columns *columns, const char *name, unsigned first, unsigned len)
{
	*columns = (struct columns){ 0 };
	snprintf(columns->type, sizeof(columns->type), "%u", len);
	for (unsigned i = 0; i < len; i++) {
		snprintf(columns->texts[i], sizeof(columns->texts[i]), "1.3.9.1.%u", first + i);
		columns->values[i] = columns->texts[i];
	}
	columns->data = (struct data_options){
		.name = name,
		.type = columns->type,
		.table = true,
		.type_instance_oid = "1.3.9.1.1",
		.plugin_instance_oid = "1.3.9.1.2",
		.host_oid = "1.3.9.1.3",
		.filter_oid = "1.3.9.1.4",
		.values = { columns->values, len },
	};
}

static void tables_have_no_more_columns_than_fit(void **state)
{
	static const char *collect[] = { "a", "b", "c", "d" };
	struct columns a, b, c, d;
	struct data_options data[4];
	struct snmp_options options = { .data = { data, 4 } };
	const struct plan_source source = { .options = &options, .resolve = is_number };
	struct plan *plan;

	(void)state;
	columns_init(&a, "a", 10, 36); /* 40 columns. */
	columns_init(&b, "b", 50, 20); /* And 20: one table. */
	columns_init(&c, "c", 70, 60); /* 64 are a table of their own. */
	columns_init(&d, "d", 70, 61); /* Too many. */
	memcpy(data, (struct data_options[]){ a.data, b.data, c.data, d.data }, sizeof(data));
	plan = plan_new(&source, (struct mc_strings){ collect, 4 });
	assert_int_equal(plan->groups_len, 1);
	assert_int_equal(plan->groups[0].tables_len, 2);
	assert_int_equal(plan->groups[0].tables[0].columns_len, 60);
	assert_int_equal(plan->groups[0].tables[0].data_len, 2);
	assert_int_equal(plan->groups[0].tables[1].columns_len, 64);
	assert_int_equal(plan->groups[0].tables[1].data_len, 1);
	plan_free(plan);
}

/* --- Moments -------------------------------------------------------------- */

static void devices_share_moments(void **state)
{
	const mc_time interval = 20 * MC_SECOND;
	uint64_t moments = moment_count(1000), more = moment_count(2000);
	unsigned at[64] = { 0 }, kept = 0;
	char name[32];

	(void)state;
	assert_int_equal(moment_count(0), 8);
	assert_int_equal(moment_count(399), 8);
	assert_int_equal(moment_count(400), 16);
	assert_int_equal(moments, 32);
	for (int i = 0; i < 1000; i++) {
		mc_time moment;

		snprintf(name, sizeof(name), "switch%d", i);
		moment = moment_of(name, interval, moments);
		assert_true(moment >= 0 && moment < interval);
		assert_int_equal(moment % (interval / 32), 0);
		at[moment / (interval / 32)]++;
		kept += moment == moment_of(name, interval, more);
	}
	for (unsigned i = 0; i < 32; i++)
		assert_in_range(at[i], 12, 60);
	assert_in_range(kept, 400, 600);
	/* Of an interval that is no multiple all are within it, too. */
	assert_true(moment_of("a", 1000000007, 8) < 1000000007);
	assert_int_equal(moment_of("a", 7, 8), 0);
}

/* --- The library ---------------------------------------------------------- */

static void the_library_writes_nothing(void **state)
{
	int kept = dup(STDERR_FILENO), fd = memfd_create("stderr", 0);

	(void)state;
	assert_true(kept >= 0 && fd >= 0);
	dup2(fd, STDERR_FILENO);
	mc_snmp_library_silence();
	mc_snmp_library_silence();
	snmp_log(LOG_ERR, "what a device sends is wrong\n");
	dup2(kept, STDERR_FILENO);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	close(fd);
	close(kept);
	netsnmp_remove_loghandler(get_logh_head());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_have_names),
		cmocka_unit_test(numbers_are_taken),
		cmocka_unit_test(counters_have_no_decimals_that_do_not_fit),
		cmocka_unit_test(texts_are_parts_of_names),
		cmocka_unit_test(rows_are_told_by_their_index),
		cmocka_unit_test(tables_that_never_end_are_left),
		cmocka_unit_test(a_task_ends_at_its_last_row),
		cmocka_unit_test(a_restart_is_seen),
		cmocka_unit_test(the_engine_is_asked_for),
		cmocka_unit_test(tables_have_no_more_columns_than_fit),
		cmocka_unit_test(devices_share_moments),
		cmocka_unit_test(the_library_writes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
