/* SPDX-License-Identifier: MIT */
/* What goes wrong with libvirt at the wrong moment, for virt_faults.  Roles:
 *
 *   lost    the connection breaks while guests are described, after which the
 *           first is gone; later on after each third bulk reply
 *   held    the first guest is stuck, seen first by a call for its errors
 *   slow    each call about one guest takes 20 ms
 *   gap     counters go on with time, but five seconds long nobody is answered
 *   early   an event of a guest comes while it is met for the first time, and
 *           another guest has a new name later on
 *   busy    hundreds of changes while a job works on a disk
 *   undead  somebody destroys the first guest, and later the second as well,
 *           and their QEMUs do not die; how often guests were asked for by name
 *           is the capacity of disks, how many calls hung at a time what they
 *           take on the host
 *   agents  the errors of the first guest are asked for in vain, later those of
 *           the second, too
 */
#include "virt_double.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GUESTS_MAX 64
#define MIB (1ULL << 20)
#define VCPUS 2
#define GAP_BEGIN 3 /* Seconds after the first call. */
#define GAP_END 8
#define UNDEAD_BEGIN 3 /* The same; three seconds later the second. */
#define UNDEAD_END 15
#define UNDEADS 2

static atomic_uint bulks;    /* So far. */
static atomic_bool broken;   /* The connection. */
static atomic_bool breaking; /* It does with the next look-up. */
static atomic_bool first_gone;
static _Atomic uint64_t thresholds[GUESTS_MAX];

static void nap(long milliseconds)
{
	nanosleep(&(struct timespec){ .tv_sec = milliseconds / 1000,
				      .tv_nsec = milliseconds % 1000 * 1000000 },
		  NULL);
}

/* Nanoseconds since the first call. */
static uint64_t age(void)
{
	static _Atomic uint64_t begin;
	struct timespec time;
	uint64_t now, none = 0;

	clock_gettime(CLOCK_MONOTONIC, &time);
	now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
	atomic_compare_exchange_strong(&begin, &none, now);
	return now - atomic_load(&begin);
}

/* --- Statistics ----------------------------------------------------------- */

bool fault_of_bulk(unsigned call)
{
	(void)call;
	return plays("gap") && age() > GAP_BEGIN * 1000000000ULL && age() < GAP_END * 1000000000ULL;
}

void fault_after_bulk(unsigned call)
{
	atomic_store(&bulks, call + 1);
	if (plays("lost") && call % 3 == 2)
		atomic_store(&broken, true);
}

bool fault_hides(unsigned number)
{
	return plays("lost") && number == 0 && atomic_load(&first_gone);
}

/* --- Locks ---------------------------------------------------------------- */

static atomic_uint lists;   /* Of guests by name, that were asked for. */
static atomic_uint hanging; /* Calls, now and at most. */
static atomic_uint most_hanging;

void fault_of_list(void)
{
	atomic_fetch_add(&lists, 1);
}

static bool is_locked(unsigned number)
{
	return plays("undead") && number < UNDEADS &&
	       age() > (UNDEAD_BEGIN + number * 3) * 1000000000ULL &&
	       age() < UNDEAD_END * 1000000000ULL;
}

void fault_of_lock(unsigned number)
{
	unsigned now;

	if (!is_locked(number))
		return;
	now = atomic_fetch_add(&hanging, 1) + 1;
	if (now > atomic_load(&most_hanging))
		atomic_store(&most_hanging, now);
	while (is_locked(number))
		nap(10);
	atomic_fetch_sub(&hanging, 1);
}

/* --- Records -------------------------------------------------------------- */

static void set(virDomainStatsRecordPtr record, const char *name, unsigned long long value)
{
	int i = 0;

	while (i < record->nparams && strcmp(record->params[i].field, name) != 0)
		i++;
	if (i == record->nparams) {
		record->nparams++;
		snprintf(record->params[i].field, sizeof(record->params[i].field), "%s", name);
		record->params[i].type = VIR_TYPED_PARAM_ULLONG;
	}
	record->params[i].value.ul = value;
}

/* As of a guest whose QEMU does not answer: the names of disks alone. */
static void silence(virDomainStatsRecordPtr record)
{
	int kept = 0;

	for (int i = 0; i < record->nparams; i++) {
		const char *name = record->params[i].field;

		if (strncmp(name, "block.", 6) != 0 || strcmp(name, "block.0.name") == 0 ||
		    strcmp(name, "block.0.path") == 0)
			record->params[kept++] = record->params[i];
	}
	record->nparams = kept;
}

void fault_in_record(virDomainStatsRecordPtr record, unsigned call)
{
	unsigned number = number_of(record->dom);

	if (plays("held") && number == 0 && call >= 3)
		silence(record);
	if (plays("undead")) {
		set(record, "block.0.capacity", atomic_load(&lists));
		set(record, "block.0.physical", atomic_load(&most_hanging));
	}
	if (plays("gap"))
		set(record, "cpu.time", age() + 1);
	if (!plays("gap") && !plays("slow") && !plays("busy"))
		return;
	set(record, "block.0.allocation", plays("gap") ? age() / 1000 : MIB);
	set(record, "block.0.capacity", 1024 * MIB);
	set(record, "block.0.physical", 1024 * MIB);
	if (number < GUESTS_MAX && atomic_load(&thresholds[number]) != 0)
		set(record, "block.0.threshold", atomic_load(&thresholds[number]));
}

/* --- Connections ---------------------------------------------------------- */

void fault_ended(void)
{
	atomic_store(&broken, false);
}

bool fault_lets_live(void)
{
	return !atomic_load(&broken);
}

bool fault_of_lookup(unsigned number)
{
	if (!plays("lost"))
		return false;
	if (atomic_exchange(&breaking, false)) {
		atomic_store(&broken, true);
		atomic_store(&first_gone, true);
	}
	return atomic_load(&broken) || (number == 0 && atomic_load(&first_gone));
}

/* --- One guest at a time -------------------------------------------------- */

void fault_of_name(char name[64], unsigned number)
{
	if (plays("early") && number == 2 && atomic_load(&bulks) >= 3)
		snprintf(name, 64, "renamed");
}

void fault_of_uuid_text(virDomainPtr domain)
{
	static atomic_bool told;

	if (plays("early") && number_of(domain) == 1 && !atomic_exchange(&told, true))
		TELL(LIFECYCLE, virConnectDomainEventCallback, domain, VIR_DOMAIN_EVENT_STARTED,
		     VIR_DOMAIN_EVENT_STARTED_BOOTED);
}

void fault_of_description(void)
{
	if (plays("slow"))
		nap(20);
}

void fault_of_disk_errors(unsigned number)
{
	if (plays("slow"))
		nap(20);
	while (plays("held") && number == 0 && atomic_load(&bulks) >= 3)
		nap(1000);
	while (plays("agents") && number < 2 && atomic_load(&bulks) >= 3 + number * 3)
		nap(1000);
}

int virDomainGetVcpusFlags(virDomainPtr domain, unsigned flags)
{
	(void)domain, (void)flags;
	return VCPUS;
}

int virNodeGetCPUMap(virConnectPtr conn, unsigned char **map, unsigned *online, unsigned flags)
{
	(void)conn, (void)map, (void)online, (void)flags;
	return 4;
}

int virDomainGetVcpuPinInfo(virDomainPtr domain, int maps_len, unsigned char *maps, int map_size,
			    unsigned flags)
{
	static atomic_bool once;

	(void)flags;
	memset(maps, 5, (size_t)maps_len * (size_t)map_size);
	if (plays("lost") && number_of(domain) == 0 && !atomic_exchange(&once, true))
		atomic_store(&breaking, true);
	return maps_len;
}

int virDomainGetBlockJobInfo(virDomainPtr domain, const char *disk, virDomainBlockJobInfoPtr info,
			     unsigned flags)
{
	(void)domain, (void)disk, (void)info, (void)flags;
	return 0;
}

int virDomainSetBlockThreshold(virDomainPtr domain, const char *disk, unsigned long long threshold,
			       unsigned flags)
{
	(void)disk, (void)flags;
	if (plays("slow"))
		nap(20);
	if (number_of(domain) < GUESTS_MAX)
		atomic_store(&thresholds[number_of(domain)], threshold);
	return 0;
}

/* --- Events --------------------------------------------------------------- */

static void *tell_busy(void *argument)
{
	virDomainPtr guest = make_domain(1);

	while (atomic_load(&bulks) < 3)
		nap(50);
	TELL(BLOCK_JOB_2, virConnectDomainEventBlockJobCallback, guest, "vda",
	     VIR_DOMAIN_BLOCK_JOB_TYPE_ACTIVE_COMMIT, VIR_DOMAIN_BLOCK_JOB_READY);
	for (unsigned i = 0; i < 300; i++)
		TELL(DEVICE_ADDED, virConnectDomainEventDeviceAddedCallback, guest, "net0");
	while (atomic_load(&bulks) < 6)
		nap(50);
	TELL(BLOCK_THRESHOLD, virConnectDomainEventBlockThresholdCallback, guest, "vda",
	     "/images/x", 1001, 1);
	TELL(BLOCK_JOB_2, virConnectDomainEventBlockJobCallback, guest, "vda",
	     VIR_DOMAIN_BLOCK_JOB_TYPE_ACTIVE_COMMIT, VIR_DOMAIN_BLOCK_JOB_COMPLETED);
	TELL(BLOCK_THRESHOLD, virConnectDomainEventBlockThresholdCallback, guest, "vda",
	     "/images/x", 1002, 1);
	virDomainFree(guest);
	return argument;
}

void fault_of_events(void)
{
	pthread_t thread;

	if (!plays("busy"))
		return;
	if (pthread_create(&thread, NULL, tell_busy, NULL) != 0)
		abort();
	pthread_detach(thread);
}
