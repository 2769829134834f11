/* SPDX-License-Identifier: MIT */
/* Lines of spool files, intervals that are learned, and what is remembered of a service. */
#include <stdio.h>
#include <string.h>

#include "formats/perfdata/event.h"
#include "interval.h"
#include "progress.h"
#include "service.h"

#include "unit.h"

/* A line as "TIME HOST|SERVICE|DATA|COMMAND|STATE[ soft]", or its fault. */
static const char *read_line(const char *text)
{
	static char line[1024], out[1024];
	static const char *const faults[] = { "", "blank", "form", "time", "name" };
	struct event event;
	enum event_fault fault;

	snprintf(line, sizeof(line), "%s", text);
	fault = event_read(&event, line, strlen(line));
	if (fault != EVENT_GOOD)
		return faults[fault];
	snprintf(out, sizeof(out), "%lld %s|%s|%s|%s|%s%s", (long long)(event.time / MC_SECOND),
		 event.host, event.service, event.data, event.command, event.state,
		 event.soft ? " soft" : "");
	return out;
}

static void lines_of_npcd(void **state)
{
	(void)state;
	assert_string_equal(read_line("DATATYPE::SERVICEPERFDATA\tTIMET::1795211799\t"
				      "HOSTNAME::web\tSERVICEDESC::disk 2\t"
				      "SERVICEPERFDATA::/=13MB;a::b\t"
				      "SERVICECHECKCOMMAND::check_disk!20%\tHOSTSTATE::UP\t"
				      "HOSTSTATETYPE::HARD\tSERVICESTATE::CRITICAL\t"
				      "SERVICESTATETYPE::SOFT"),
			    "1795211799 web|disk 2|/=13MB;a::b|check_disk!20%|CRITICAL "
			    "soft");
	assert_string_equal(read_line("HOSTPERFDATA::rta=1ms\tTIMET::1\tOTHER::x\t"
				      "DATATYPE::HOSTPERFDATA\tHOSTNAME::web\t"
				      "HOSTSTATE::DOWN\tHOSTSTATETYPE::HARD\r"),
			    "1 web|_HOST_|rta=1ms||DOWN");
	assert_string_equal(read_line("DATATYPE::HOSTPERFDATA\tTIMET::1\t"
				      "HOSTNAME::web"),
			    "1 web|_HOST_|||");
}

static void lines_of_nagios(void **state)
{
	(void)state;
	assert_string_equal(read_line("[SERVICEPERFDATA]\t7\tweb\tload\t0.1\t0.2\tOK - a\tb"
				      "\tload1=1;2;3"),
			    "7 web|load|load1=1;2;3||");
	assert_string_equal(read_line("[HOSTPERFDATA]\t7\tweb\t0.1\tPING OK\trta=1ms"),
			    "7 web|_HOST_|rta=1ms||");
	assert_string_equal(read_line("[HOSTPERFDATA]\t7\tweb\t0.1\tPING OK\t"), "7 web|_HOST_|||");
	assert_string_equal(read_line("[HOSTPERFDATA]\t7\tweb\t0.1"), "form");
	assert_string_equal(read_line("[HOSTPERFDATA]\tx\tweb\t0.1"), "time");
	assert_string_equal(read_line("[OTHER]\t7\tweb\t0.1"), "form");
	assert_string_equal(read_line("[HOSTPERFDATA]"), "time");
}

static void bad_lines(void **state)
{
	(void)state;
	assert_string_equal(read_line(""), "blank");
	assert_string_equal(read_line("\r"), "blank");
	assert_string_equal(read_line("\t\t\t"), "form");
	assert_string_equal(read_line("garbage"), "form");
	assert_string_equal(read_line("DATATYPE::X\tTIMET::1\tHOSTNAME::a"), "form");
	assert_string_equal(read_line("DATATYPE::HOSTPERFDATA\tTIMET::1x\tHOSTNAME::a"), "time");
	assert_string_equal(read_line("DATATYPE::HOSTPERFDATA\tTIMET::0\tHOSTNAME::a"), "time");
	assert_string_equal(read_line("DATATYPE::HOSTPERFDATA\tTIMET::1\tHOSTNAME::"), "name");
	assert_string_equal(read_line("DATATYPE::SERVICEPERFDATA\tTIMET::1\tHOSTNAME::a"), "name");
	assert_string_equal(read_line("DATATYPE::HOSTPERFDATA\tTIMET::1\tHOSTNAME::a\tCU"), "form");
}

static void commands_behind_the_data(void **state)
{
#define LINE "DATATYPE::HOSTPERFDATA\tTIMET::1\tHOSTNAME::a\tHOSTPERFDATA::"
	(void)state;
	assert_string_equal(read_line(LINE "a=1;2;3 [remote!x]"), "1 a|_HOST_|a=1;2;3 |remote!x|");
	assert_string_equal(read_line(LINE "[remote]\tHOSTCHECKCOMMAND::own"),
			    "1 a|_HOST_||remote|");
	assert_string_equal(read_line(LINE "a=1;2;3[x]"), "1 a|_HOST_|a=1;2;3[x]||");
	assert_string_equal(read_line(LINE "]"), "1 a|_HOST_|]||");
}

static void the_first_time_of_a_text(void **state)
{
	const char *text = "DATATYPE::HOSTPERFDATA\tTIMET::123\tHOSTNAME::a";

	(void)state;
	assert_int_equal(event_first_time(text, strlen(text)), 123 * MC_SECOND);
	assert_int_equal(event_first_time(text, 32), 0);
	text = "[HOSTPERFDATA]\t123\tweb";
	assert_int_equal(event_first_time(text, strlen(text)), 123 * MC_SECOND);
	assert_int_equal(event_first_time("", 0), 0);
	assert_int_equal(event_first_time("garbage", 7), 0);
}

/* --- Intervals ------------------------------------------------------------ */

static mc_time learn(struct interval *interval, mc_time seconds)
{
	interval_learn(interval, seconds * MC_SECOND);
	return interval->length / MC_SECOND;
}

static void the_first_two_events_decide(void **state)
{
	struct interval interval = { 0 };

	(void)state;
	assert_int_equal(learn(&interval, 1000), 0);
	assert_int_equal(learn(&interval, 1301), 300);
	assert_int_equal(learn(&interval, 1301), 300);
	assert_int_equal(learn(&interval, 1200), 300);
	assert_int_equal(learn(&interval, 1361), 300);
	assert_int_equal(learn(&interval, 1421), 300);
	assert_int_equal(learn(&interval, 1720), 300);
}

static void several_others_are_believed(void **state)
{
	struct interval interval = { 0 };

	(void)state;
	learn(&interval, 1000);
	assert_int_equal(learn(&interval, 1010), 10);
	assert_int_equal(learn(&interval, 1310), 10);
	assert_int_equal(learn(&interval, 1610), 10);
	assert_int_equal(learn(&interval, 1911), 10);
	assert_int_equal(learn(&interval, 2209), 300);
	assert_int_equal(learn(&interval, 9409), 300);
}

static void intervals_that_nobody_rounds(void **state)
{
	struct interval interval = { 0 };

	(void)state;
	learn(&interval, 1000);
	assert_int_equal(learn(&interval, 1000 + 7200), 7200);
}

/* --- Services ------------------------------------------------------------- */

static struct mc_perfdata_item item_of(const char *text)
{
	struct mc_perfdata_item item = { .label_size = strlen(text) };

	snprintf(item.label, sizeof(item.label), "%s", text);
	return item;
}

static struct service_label *add(struct service *service, const char *text, const char *type)
{
	struct mc_perfdata_item item = item_of(text);

	return service_add_label(service, "perfdata", &item, type);
}

static mc_time now;

mc_time mc_now(void)
{
	return now;
}

static void labels_in_any_order(void **state)
{
	static const char gauge[] = "gauge", bytes[] = "bytes";
	static const char same[] = "bytes"; /* As by another file. */
	struct services services = { .len_max = 10 };
	struct service_label *label;
	struct service *service;
	bool is_new;

	(void)state;
	service = service_find(&services, "a/b", "disk 1", &is_new);
	assert_true(is_new);
	assert_null(service_label(service, "x", 1, gauge));
	label = add(service, "/var", gauge);
	assert_string_equal(label->name, "a_b/perfdata-disk 1/gauge-_var");
	assert_false(label->clash);
	assert_true(add(service, "_var", gauge)->clash);
	assert_false(add(service, "/var", bytes)->clash);
	assert_ptr_equal(service_label(service, "/var", 4, bytes), &service->labels[2]);
	assert_ptr_equal(service_label(service, "/var", 4, same), &service->labels[2]);
	assert_ptr_equal(service_label(service, "/var", 4, gauge), &service->labels[0]);
	assert_ptr_equal(service_label(service, "_var", 4, NULL), &service->labels[1]);
	assert_ptr_equal(service_find(&services, "a/b", "disk 1", &is_new), service);
	assert_false(is_new);
	service_done_all(&services);
}

static void labels_have_a_limit(void **state)
{
	static const char gauge[] = "gauge";
	struct services services = { .len_max = 10 };
	struct service *service;
	char name[16];
	bool is_new;

	(void)state;
	service = service_find(&services, "a", "b", &is_new);
	service->interval.last = 5;
	for (unsigned i = 0; i < SERVICE_LABELS_MAX; i++) {
		snprintf(name, sizeof(name), "%u", i);
		add(service, name, gauge)->last = i == 7 ? 4 : 5;
	}
	/* The one that was not in the last event goes. */
	add(service, "more", gauge)->last = 5;
	assert_null(service_label(service, "7", 1, gauge));
	assert_non_null(service_label(service, "8", 1, gauge));
	assert_null(add(service, "too many", gauge));
	service_done_all(&services);
}

static void services_have_a_limit(void **state)
{
	struct services services = { .len_max = 2 };
	bool is_new;

	(void)state;
	service_find(&services, "a", "1", &is_new);
	service_find(&services, "a", "2", &is_new);
	service_find(&services, "a", "1", &is_new);
	assert_false(is_new);
	service_find(&services, "a", "3", &is_new);
	service_find(&services, "a", "1", &is_new);
	assert_false(is_new);
	service_find(&services, "a", "2", &is_new);
	assert_true(is_new);
	service_done_all(&services);
}

static void add_service(struct services *services, const char *name, const char *state,
			mc_time interval)
{
	bool is_new;
	struct service *service = service_find(services, "a", name, &is_new);

	service->interval.length = interval;
	snprintf(service->state, sizeof(service->state), "%s", state);
}

/* How many are left after so long without news. */
static size_t left_after(struct services *services, mc_time time)
{
	now += time;
	service_sweep(services, 2, 0);
	return services->all.map.len;
}

static void what_is_silent_is_forgotten(void **state)
{
	const mc_time minute = 60 * MC_SECOND;
	struct services services = { .len_max = 10 };

	(void)state;
	add_service(&services, "slow", "OK", 100 * minute);
	add_service(&services, "once", "", 0);
	add_service(&services, "quick", "UP", minute);
	add_service(&services, "failing", "CRITICAL", minute);
	assert_int_equal(left_after(&services, 2 * minute), 4);
	assert_int_equal(left_after(&services, MC_SECOND), 3);
	assert_int_equal(left_after(&services, 8 * minute), 2);
	assert_int_equal(left_after(&services, 200 * minute), 1);
	assert_int_equal(left_after(&services, 1440 * minute), 0);
	add_service(&services, "given", "", 0);
	now += 3 * minute;
	service_sweep(&services, 2, minute);
	assert_int_equal(services.all.map.len, 0);
	service_done_all(&services);
}

/* A journal that has the batches of these ends, and what a start makes of it. */
static void restart(struct progress *progress, const uint64_t ends[][2], size_t len)
{
	struct progress before;

	progress_init(&before, "perfdata", "/spool");
	progress_init(progress, "perfdata", "/spool");
	for (size_t i = 0; i < len; i++) {
		struct mc_dedup_id id;

		progress_id(&before, ends[i][0], ends[i][1], &id);
		progress_know(progress, &id);
	}
}

static void what_failed_is_not_hidden(void **state)
{
	static const uint64_t ends[][2] = { { 1, 700 }, { 3, 900 } };
	struct progress progress;
	uint64_t offset = 77;

	(void)state;
	restart(&progress, ends, 2);
	assert_int_equal(progress_last(&progress), 3);
	/* The batch of file 2 failed, and file 3 came to the journal. */
	assert_false(progress_finished(&progress, 2, &offset));
	assert_int_equal(offset, 0);
	/* A reader at the end asks once more whether there is more. */
	assert_false(progress_finished(&progress, 1, &offset));
	assert_int_equal(offset, 700);
	assert_false(progress_finished(&progress, 3, &offset));
	assert_int_equal(offset, 900);
	assert_false(progress_finished(&progress, 4, &offset));
	assert_int_equal(offset, 0);
}

static void what_is_finished_is_known(void **state)
{
	static const uint64_t ends[][2] = { { 2, 10 }, { 2 + PROGRESS_IDS, 0xfffffffe } };
	struct progress progress;
	struct mc_dedup_id id;
	uint64_t offset;

	(void)state;
	restart(&progress, ends, 2);
	assert_true(progress_finished(&progress, 2, &offset));
	assert_false(progress_finished(&progress, 2 + PROGRESS_IDS, &offset));
	assert_int_equal(offset, 0xfffffffe);
	/* What others have said is not of this spool. */
	progress_init(&progress, "perfdata", "/spool/other");
	progress_id(&progress, 1, 1, &id);
	progress_init(&progress, "perfdata", "/spool");
	progress_know(&progress, &id);
	assert_int_equal(progress_last(&progress), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_npcd),
		cmocka_unit_test(lines_of_nagios),
		cmocka_unit_test(bad_lines),
		cmocka_unit_test(commands_behind_the_data),
		cmocka_unit_test(the_first_time_of_a_text),
		cmocka_unit_test(the_first_two_events_decide),
		cmocka_unit_test(several_others_are_believed),
		cmocka_unit_test(intervals_that_nobody_rounds),
		cmocka_unit_test(labels_in_any_order),
		cmocka_unit_test(labels_have_a_limit),
		cmocka_unit_test(services_have_a_limit),
		cmocka_unit_test(what_is_silent_is_forgotten),
		cmocka_unit_test(what_failed_is_not_hidden),
		cmocka_unit_test(what_is_finished_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
