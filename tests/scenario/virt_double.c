/* SPDX-License-Identifier: MIT */
/* A libvirt that makes its guests up: preloaded into the daemon by virt_scale and others.
 *
 *   VIRT_DOUBLE_GUESTS  how many; 200 if not given
 *   VIRT_DOUBLE_ROLE    plain  good guests with a disk and an interface
 *                       odd    names and parameters that libvirt never sends
 *                       churn  a third of the guests is away at each call
 *                       block  every third bulk call takes three seconds
 *                       events each kind of event, twice a second
 *                       facts  disks with errors, jobs and file systems; guests
 *                              with odd numbers are paused
 *   Those of virt_faults are in virt_double_faults.c.
 */
#include "virt_double.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libvirt/libvirt-qemu.h>
#include <libvirt/libvirt.h>

#define PARAMS_MAX 32
#define DISK_COUNTERS_BEGIN 11 /* Of the counters of add_good(). */

struct _virDomain {
	unsigned number;
	bool writes; /* It came by a connection that does. */
	char name[64];
};

struct record {
	virDomainStatsRecord shown; /* Must be first. */
	virTypedParameter params[PARAMS_MAX];
};

static atomic_uint calls;

static unsigned guests_len(void)
{
	const char *text = getenv("VIRT_DOUBLE_GUESTS");

	return text != NULL ? (unsigned)strtoul(text, NULL, 10) : 200;
}

bool plays(const char *role)
{
	const char *text = getenv("VIRT_DOUBLE_ROLE");

	return text != NULL && strcmp(text, role) == 0;
}

/* --- Guests --------------------------------------------------------------- */

virDomainPtr make_domain(unsigned number)
{
	static const char *const odd[] = {
		"a/b/c", "../../etc", "two words", "line\nbreak", "\x01\x7f",
		".",     "",          "\xff\xfe",  "a:b",         "%s%n%s",
	};
	virDomainPtr domain = calloc(1, sizeof(*domain));

	if (domain == NULL)
		abort();
	domain->number = number;
	if (plays("odd") && number < sizeof(odd) / sizeof(odd[0]))
		snprintf(domain->name, sizeof(domain->name), "%s", odd[number]);
	else
		snprintf(domain->name, sizeof(domain->name), "d%u", number);
	fault_of_name(domain->name, number);
	return domain;
}

unsigned number_of(virDomainPtr domain)
{
	return domain->number;
}

static void add(struct record *record, const char *name, int type, unsigned long long value)
{
	virTypedParameter *param = &record->params[record->shown.nparams++];

	snprintf(param->field, sizeof(param->field), "%s", name);
	param->type = type;
	if (type == VIR_TYPED_PARAM_INT)
		param->value.i = (int)value;
	else
		param->value.ul = value;
}

static void add_text(struct record *record, const char *name, char *text)
{
	virTypedParameter *param = &record->params[record->shown.nparams++];

	snprintf(param->field, sizeof(param->field), "%s", name);
	param->type = VIR_TYPED_PARAM_STRING;
	param->value.s = text;
}

static void add_odd(struct record *record)
{
	static char text[] = "text";

	add(record, "state.state", VIR_TYPED_PARAM_INT, 1);
	add_text(record, "state.state", text);
	add(record, "block.count", VIR_TYPED_PARAM_ULLONG, ~0ULL);
	add(record, "block.4294967295.rd.reqs", VIR_TYPED_PARAM_ULLONG, 1);
	add(record, "block.7.rd.reqs", 77, 1);
	add(record, "net.0.rx.bytes", VIR_TYPED_PARAM_INT, (unsigned)-1);
	add_text(record, "net.0.name", NULL);
	add_text(record, "block.0.name", text);
	add(record, "block.0.rd.reqs", VIR_TYPED_PARAM_ULLONG, 1);
	add(record, "block.0.wr.reqs", VIR_TYPED_PARAM_ULLONG, 2);
	add(record, "cpu.time", VIR_TYPED_PARAM_ULLONG, ~0ULL);
	memset(record->params[record->shown.nparams].field, 'x', VIR_TYPED_PARAM_FIELD_LENGTH);
	record->params[record->shown.nparams++].type = VIR_TYPED_PARAM_INT;
}

static void add_good(struct record *record, unsigned stats, unsigned value)
{
	static const char *const counters[] = {
		"cpu.time",         "cpu.user",         "cpu.system",       "net.0.rx.bytes",
		"net.0.rx.pkts",    "net.0.rx.errs",    "net.0.rx.drop",    "net.0.tx.bytes",
		"net.0.tx.pkts",    "net.0.tx.errs",    "net.0.tx.drop",    "block.0.rd.reqs",
		"block.0.rd.bytes", "block.0.rd.times", "block.0.wr.reqs",  "block.0.wr.bytes",
		"block.0.wr.times", "block.0.fl.reqs",  "block.0.fl.times", "block.0.allocation",
		"block.0.capacity", "block.0.physical",
	};
	size_t len = sizeof(counters) / sizeof(counters[0]);
	static char disk[] = "vda", nic[] = "vnet0", path[] = "/images/x";

	bool paused = plays("facts") && record->shown.dom->number % 2 == 1;

	add(record, "state.state", VIR_TYPED_PARAM_INT,
	    paused ? VIR_DOMAIN_PAUSED : VIR_DOMAIN_RUNNING);
	add(record, "state.reason", VIR_TYPED_PARAM_INT, 1);
	add_text(record, "net.0.name", nic);
	if ((stats & VIR_DOMAIN_STATS_BLOCK) != 0) {
		add_text(record, "block.0.name", disk);
		add_text(record, "block.0.path", path);
	} else {
		len = DISK_COUNTERS_BEGIN;
	}
	for (size_t i = 0; i < len; i++)
		add(record, counters[i], VIR_TYPED_PARAM_ULLONG, value + i);
}

static virDomainStatsRecordPtr make_record(unsigned number, unsigned stats, unsigned call)
{
	struct record *record = calloc(1, sizeof(*record));

	if (record == NULL)
		abort();
	record->shown.dom = make_domain(number);
	record->shown.params = record->params;
	if (plays("odd"))
		add_odd(record);
	else
		add_good(record, stats, call);
	fault_in_record(&record->shown, call);
	return &record->shown;
}

/* --- libvirt -------------------------------------------------------------- */

int virConnectGetAllDomainStats(virConnectPtr conn, unsigned stats, virDomainStatsRecordPtr **out,
				unsigned flags)
{
	unsigned call = atomic_fetch_add(&calls, 1), len = guests_len();
	virDomainStatsRecordPtr *records = calloc(len + 1, sizeof(*records));
	int found = 0;

	(void)conn, (void)flags;
	if (records == NULL)
		abort();
	if (plays("block") && call % 3 == 2)
		nanosleep(&(struct timespec){ .tv_sec = 3 }, NULL);
	if (fault_of_bulk(call)) {
		free(records);
		return -1;
	}
	for (unsigned i = 0; i < len; i++) {
		fault_of_lock(i);
		if ((!plays("churn") || (i + call) % 3 != 0) && !fault_hides(i))
			records[found++] = make_record(i, stats, call);
	}
	fault_after_bulk(call);
	*out = records;
	return found;
}

int virDomainListGetStats(virDomainPtr *domains, unsigned stats, virDomainStatsRecordPtr **out,
			  unsigned flags)
{
	unsigned call = atomic_load(&calls);
	virDomainStatsRecordPtr *records;
	int len = 0;

	(void)flags;
	while (domains[len] != NULL)
		len++;
	records = calloc((size_t)len + 1, sizeof(*records));
	if (records == NULL)
		abort();
	fault_of_list();
	for (int i = 0; i < len; i++) {
		fault_of_lock(domains[i]->number);
		records[i] = make_record(domains[i]->number, stats, call);
	}
	*out = records;
	return len;
}

void virDomainStatsRecordListFree(virDomainStatsRecordPtr *records)
{
	for (size_t i = 0; records != NULL && records[i] != NULL; i++) {
		free(records[i]->dom);
		free(records[i]);
	}
	free(records);
}

static char reader, writer;

virConnectPtr the_connection(void)
{
	return (virConnectPtr)&reader;
}

virConnectPtr virConnectOpen(const char *name)
{
	(void)name;
	fault_ended();
	return (virConnectPtr)&writer;
}

virConnectPtr virConnectOpenReadOnly(const char *name)
{
	(void)name;
	fault_ended();
	return the_connection();
}

int virConnectClose(virConnectPtr conn)
{
	(void)conn;
	return 0;
}

int virConnectIsAlive(virConnectPtr conn)
{
	(void)conn;
	return fault_lets_live();
}

int virConnectSetKeepAlive(virConnectPtr conn, int interval, unsigned count)
{
	(void)conn, (void)interval, (void)count;
	return 1;
}

int virNodeGetInfo(virConnectPtr conn, virNodeInfoPtr info)
{
	(void)conn;
	memset(info, 0, sizeof(*info));
	info->cpus = 4;
	return 0;
}

/* --- Events, sent over and over ------------------------------------------ */

struct callback callbacks[EVENTS_MAX];
static atomic_bool tells;

static void tell_changes(virDomainPtr guest)
{
	virTypedParameter job[4] = {
		{ .field = "time_elapsed", .type = VIR_TYPED_PARAM_ULLONG, .value.ul = 1234 },
		{ .field = "operation", .type = VIR_TYPED_PARAM_INT, .value.i = 5 },
		{ .field = "errmsg", .type = VIR_TYPED_PARAM_STRING },
		{ .field = "odd", .type = VIR_TYPED_PARAM_INT, .value.i = -1 },
	};
	char message[] = "it was \"odd\"\nindeed";

	job[2].value.s = message;
	TELL(LIFECYCLE, virConnectDomainEventCallback, guest, VIR_DOMAIN_EVENT_CRASHED,
	     VIR_DOMAIN_EVENT_CRASHED_PANICKED);
	TELL(LIFECYCLE, virConnectDomainEventCallback, guest, VIR_DOMAIN_EVENT_STOPPED,
	     VIR_DOMAIN_EVENT_STOPPED_CRASHED);
	TELL(LIFECYCLE, virConnectDomainEventCallback, guest, VIR_DOMAIN_EVENT_STOPPED,
	     VIR_DOMAIN_EVENT_STOPPED_DESTROYED);
	TELL(LIFECYCLE, virConnectDomainEventCallback, guest, VIR_DOMAIN_EVENT_STOPPED,
	     VIR_DOMAIN_EVENT_STOPPED_SHUTDOWN);
	TELL(LIFECYCLE, virConnectDomainEventCallback, guest, VIR_DOMAIN_EVENT_SUSPENDED,
	     VIR_DOMAIN_EVENT_SUSPENDED_IOERROR);
	TELL(METADATA_CHANGE, virConnectDomainEventMetadataChangeCallback, guest,
	     VIR_DOMAIN_METADATA_ELEMENT, "http://example.org/owner");
	TELL(JOB_COMPLETED, virConnectDomainEventJobCompletedCallback, guest, job, 4);
	TELL(WATCHDOG, virConnectDomainEventWatchdogCallback, guest,
	     VIR_DOMAIN_EVENT_WATCHDOG_RESET);
}

static void tell_disks(virDomainPtr guest, unsigned turn)
{
	TELL(IO_ERROR_REASON, virConnectDomainEventIOErrorReasonCallback, guest, "/images/a b",
	     "virtio-disk0", VIR_DOMAIN_EVENT_IO_ERROR_PAUSE, "enospc");
	TELL(BLOCK_THRESHOLD, virConnectDomainEventBlockThresholdCallback, guest, "vda",
	     "/images/a b", 1000000 + turn, 4096);
	TELL(BLOCK_THRESHOLD, virConnectDomainEventBlockThresholdCallback, guest, "vda[1]",
	     "/images/a b", 1000000 + turn, 4096);
	TELL(BLOCK_THRESHOLD, virConnectDomainEventBlockThresholdCallback, guest, "vda[3]",
	     "/images/base", 500, 1);
	TELL(BLOCK_JOB_2, virConnectDomainEventBlockJobCallback, guest, "vda",
	     VIR_DOMAIN_BLOCK_JOB_TYPE_ACTIVE_COMMIT, VIR_DOMAIN_BLOCK_JOB_READY);
}

static void *tell_all(void *argument)
{
	for (unsigned turn = 0;; turn++) {
		virDomainPtr guest = make_domain(1);

		nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
		tell_changes(guest);
		tell_disks(guest, turn);
		free(guest);
	}
	return argument;
}

int virConnectDomainEventRegisterAny(virConnectPtr conn, virDomainPtr domain, int event,
				     virConnectDomainEventGenericCallback call, void *argument,
				     virFreeCallback release)
{
	static pthread_t thread;

	(void)conn, (void)domain;
	if (event >= EVENTS_MAX)
		return -1;
	callbacks[event].argument = argument;
	atomic_store(&callbacks[event].call, call);
	(void)release; /* The argument is needed until the end. */
	if (atomic_exchange(&tells, true))
		return event;
	if (plays("events") && pthread_create(&thread, NULL, tell_all, NULL) != 0)
		abort();
	fault_of_events();
	return event;
}

virDomainPtr virDomainLookupByUUID(virConnectPtr conn, const unsigned char *uuid)
{
	virDomainPtr domain;
	unsigned number;

	memcpy(&number, uuid + VIR_UUID_BUFLEN - sizeof(number), sizeof(number));
	if (plays("churn") && number % 5 == 0)
		return NULL; /* It has just gone. */
	fault_of_lock(number);
	if (fault_of_lookup(number))
		return NULL;
	domain = make_domain(number);
	domain->writes = conn == (virConnectPtr)&writer;
	return domain;
}

int virDomainFree(virDomainPtr domain)
{
	free(domain);
	return 0;
}

const char *virDomainGetName(virDomainPtr domain)
{
	return domain->name;
}

int virDomainGetUUID(virDomainPtr domain, unsigned char *uuid)
{
	memset(uuid, 7, VIR_UUID_BUFLEN);
	memcpy(uuid + VIR_UUID_BUFLEN - sizeof(domain->number), &domain->number,
	       sizeof(domain->number));
	return 0;
}

int virDomainGetUUIDString(virDomainPtr domain, char *text)
{
	snprintf(text, VIR_UUID_STRING_BUFLEN, "07070707-0707-0707-0707-%012u", domain->number);
	fault_of_uuid_text(domain);
	return 0;
}

int virDomainGetState(virDomainPtr domain, int *state, int *reason, unsigned flags)
{
	(void)flags;
	fault_of_lock(domain->number);
	*state = VIR_DOMAIN_RUNNING;
	*reason = 1;
	return 0;
}

char *virDomainGetXMLDesc(virDomainPtr domain, unsigned flags)
{
	(void)flags;
	if (plays("churn") && domain->number % 2 == 0)
		return NULL;
	fault_of_description();
	return strdup(plays("odd") ? "<domain><memory>-1</memory><devices>"
				   : "<domain><title>two words</title>"
				     "<metadata><instance><owner><user>mallory"
				     "</user></owner><flavor name='tiny'/>"
				     "</instance></metadata>"
				     "<memory>1024</memory><cputune><period>100000</period>"
				     "<quota>50000</quota></cputune><devices>"
				     "<disk><source file='/images/x'/><target dev='vda'/>"
				     "<iotune><write_bytes_sec>4096</write_bytes_sec></iotune>"
				     "<alias name='virtio-disk0'/></disk>"
				     "<channel type='unix'>"
				     "<target name='org.qemu.guest_agent.0'/></channel>"
				     "<interface type='bridge'><target dev='vnet0'/>"
				     "</interface></devices></domain>");
}

int virDomainIsPersistent(virDomainPtr domain)
{
	(void)domain;
	return 1;
}

/* --- One guest at a time ------------------------------------------------- */

int virDomainGetDiskErrors(virDomainPtr domain, virDomainDiskErrorPtr errors, unsigned errors_len,
			   unsigned flags)
{
	(void)flags;
	fault_of_disk_errors(domain->number);
	if (errors_len < 2 || domain->number == 0)
		return 0;
	errors[0].disk = strdup("vda");
	errors[0].error = VIR_DOMAIN_DISK_ERROR_NO_SPACE;
	errors[1].disk = strdup("v/d\n");
	errors[1].error = VIR_DOMAIN_DISK_ERROR_UNSPEC;
	return 2;
}

int virDomainGetJobStats(virDomainPtr domain, int *type, virTypedParameterPtr *params, int *len,
			 unsigned flags)
{
	static const virTypedParameter job[] = {
		{ .field = "time_elapsed", .type = VIR_TYPED_PARAM_ULLONG, .value.ul = 1234 },
		{ .field = "operation", .type = VIR_TYPED_PARAM_INT, .value.i = 5 },
		{ .field = "data_total", .type = VIR_TYPED_PARAM_LLONG, .value.l = INT64_MAX },
		{ .field = "iterations", .type = VIR_TYPED_PARAM_UINT, .value.ui = 3 },
		{ .field = "ratio", .type = VIR_TYPED_PARAM_DOUBLE, .value.d = 2.5 },
		{ .field = "success", .type = VIR_TYPED_PARAM_BOOLEAN, .value.b = 1 },
		{ .field = "later", .type = 77 },
		{ .field = "errmsg", .type = VIR_TYPED_PARAM_STRING },
		{ .field = "nothing", .type = VIR_TYPED_PARAM_STRING },
	};
	const int job_len = sizeof(job) / sizeof(job[0]);

	if (domain->number > 1)
		return -1;
	*type = VIR_DOMAIN_JOB_COMPLETED;
	*params = calloc((size_t)job_len, sizeof(job[0]));
	if (*params == NULL)
		abort();
	memcpy(*params, job, sizeof(job));
	if ((flags & VIR_DOMAIN_JOB_STATS_COMPLETED) == 0)
		(*params)[0].value.ul = 99;
	(*params)[7].value.s = strdup("two words");
	*len = job_len;
	return 0;
}

/* Guest 0 counts from the second question on; the QEMU of guest 2 is an old one. */
int virDomainQemuMonitorCommand(virDomainPtr domain, const char *command, char **answer,
				unsigned flags)
{
	static atomic_uint asked;
	bool sets = strstr(command, "block-latency-histogram-set") != NULL;
	const char *name = domain->number == 2 ? "scsi0-0" : "/machine/peripheral/virtio-disk0/x";
	unsigned count = sets || domain->number != 0 ? 0 : atomic_fetch_add(&asked, 1);
	char text[1024];

	(void)flags;
	if (!domain->writes)
		return -1;
	if (sets && domain->number == 2)
		snprintf(text, sizeof(text), "{\"error\":{\"class\":\"CommandNotFound\"}}");
	else if (sets)
		snprintf(text, sizeof(text), "{\"return\":{}}");
	else if (count == 0)
		snprintf(text, sizeof(text), "{\"return\":[{\"stats\":{},\"qdev\":\"%s\"}]}", name);
	else /* Each time a write of 1 to 2 ms, and a read of more than 4 ms. */
		snprintf(text, sizeof(text),
			 "{\"return\":[{\"stats\":{\"wr_latency_histogram\":{\"bins\":[0,%u,0],"
			 "\"boundaries\":[1000000,2000000]},\"rd_latency_histogram\":{\"bins\":[0,%"
			 "u],"
			 "\"boundaries\":[4000000]}},\"qdev\":\"%s\"}]}",
			 count, count, name);
	*answer = strdup(text);
	return 0;
}

int virDomainGetFSInfo(virDomainPtr domain, virDomainFSInfoPtr **infos, unsigned flags)
{
	virDomainFSInfoPtr info;

	(void)flags;
	if (!domain->writes || domain->number > 1)
		return -1;
	info = calloc(1, sizeof(*info));
	*infos = calloc(1, sizeof(**infos));
	if (info == NULL || *infos == NULL)
		abort();
	info->mountpoint = strdup("/var");
	info->name = strdup("vda1");
	info->fstype = strdup("ext4");
	info->ndevAlias = 0;
	(*infos)[0] = info;
	return 1;
}
