/* SPDX-License-Identifier: MIT */
/* calls: what runs on helper threads.  A guest that disappears between two
 * calls is nobody's error: it is left out. */
#include "calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <libvirt/virterror.h>

#include <collector/kit/alloc.h>

#include "monitor.h"

#define DISKS_MAX 256 /* Of a guest, whose errors are asked for. */
#define PINS_MAX 512  /* Virtual processors of a guest. */

static void *new_job(size_t size, void (*release)(struct connection_job *),
		     int (*run)(struct connection_job *, virConnectPtr, bool))
{
	struct connection_job *job = mc_alloc_zero(size);

	job->run = run;
	job->free = release;
	return job;
}

void calls_free(struct connection_job *job)
{
	if (job != NULL)
		job->free(job);
}

void calls_tidy(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

static bool is_lost(virConnectPtr conn)
{
	return virConnectIsAlive(conn) != 1;
}

/* --- Statistics ----------------------------------------------------------- */

/* A job that is run again, because the connection broke, may have some. */
static void free_records(struct calls_bulk *bulk)
{
	if (bulk->records != NULL)
		virDomainStatsRecordListFree(bulk->records);
	if (bulk->disk_records != NULL)
		virDomainStatsRecordListFree(bulk->disk_records);
	free(bulk->disks);
	bulk->records = bulk->disk_records = bulk->disks = NULL;
	bulk->records_len = 0;
}

static void bulk_free(struct connection_job *job)
{
	struct calls_bulk *bulk = (struct calls_bulk *)job;

	free_records(bulk);
	free(bulk->quiet);
	free(bulk);
}

static int compare_uuids(const void *a, const void *b)
{
	return memcmp(a, b, VIR_UUID_BUFLEN);
}

static bool is_quiet(const struct calls_bulk *bulk, virDomainPtr domain)
{
	unsigned char uuid[VIR_UUID_BUFLEN];

	return virDomainGetUUID(domain, uuid) == 0 &&
	       bsearch(uuid, bulk->quiet, bulk->quiet_len, sizeof(uuid), compare_uuids) != NULL;
}

/* The reply is in the order of the guests asked, but may lack some. */
static void align_disks(struct calls_bulk *bulk, size_t got)
{
	size_t next = 0;

	bulk->disks = mc_alloc_zero((bulk->records_len + 1) * sizeof(*bulk->disks));
	for (size_t i = 0; i < bulk->records_len && next < got; i++) {
		unsigned char uuid[VIR_UUID_BUFLEN], other[VIR_UUID_BUFLEN];

		if (virDomainGetUUID(bulk->records[i]->dom, uuid) == 0 &&
		    virDomainGetUUID(bulk->disk_records[next]->dom, other) == 0 &&
		    memcmp(uuid, other, sizeof(uuid)) == 0)
			bulk->disks[i] = bulk->disk_records[next++];
	}
}

static int query_disks(struct calls_bulk *bulk, unsigned groups, unsigned flags)
{
	virDomainPtr *domains = mc_alloc_array(bulk->records_len + 1, sizeof(*domains));
	size_t len = 0;
	int got = 0;

	for (size_t i = 0; i < bulk->records_len; i++)
		if (!is_quiet(bulk, bulk->records[i]->dom))
			domains[len++] = bulk->records[i]->dom;
	domains[len] = NULL;
	if (len > 0)
		got = virDomainListGetStats(domains, groups, &bulk->disk_records, flags);
	free(domains);
	if (got < 0)
		bulk->disk_records = NULL;
	else
		align_disks(bulk, (size_t)got);
	return got;
}

static void free_domains(virDomainPtr *domains)
{
	for (size_t i = 0; domains[i] != NULL; i++)
		virDomainFree(domains[i]);
	free(domains);
}

static int query_some(struct calls_bulk *bulk, virConnectPtr conn, unsigned groups, unsigned flags)
{
	virDomainPtr *domains = mc_alloc_array(bulk->only_len + 1, sizeof(*domains));
	size_t len = 0;
	int got = 0;

	for (size_t i = 0; i < bulk->only_len; i++) {
		domains[len] = virDomainLookupByUUID(conn, bulk->only[i]);
		if (domains[len] != NULL)
			len++;
	}
	if (len > 0)
		got = virDomainListGetStats(domains, groups, &bulk->records, flags);
	else if (is_lost(conn)) /* None was found, but not all are gone. */
		got = -1;
	free_domains(domains);
	return got;
}

static int bulk_run(struct connection_job *job, virConnectPtr conn, bool fresh)
{
	struct calls_bulk *bulk = (struct calls_bulk *)job;
	unsigned flags = bulk->waits ? 0 : VIR_CONNECT_GET_ALL_DOMAINS_STATS_NOWAIT;
	unsigned few = bulk->groups & (VIR_DOMAIN_STATS_BLOCK | bulk->spared);
	bool omits = bulk->quiet_len > 0 && few != 0;
	unsigned groups = omits ? bulk->groups & ~few : bulk->groups;
	virNodeInfo node;
	int got;

	(void)fresh;
	free_records(bulk);
	if (bulk->host_cpus == 0 && virNodeGetInfo(conn, &node) == 0)
		bulk->host_cpus = node.cpus;
	got = bulk->only_len > 0 ? query_some(bulk, conn, groups, flags)
				 : virConnectGetAllDomainStats(conn, groups, &bulk->records, flags);
	if (got < 0)
		bulk->records = NULL;
	else
		bulk->records_len = (size_t)got;
	if (got > 0 && omits) {
		qsort(bulk->quiet, bulk->quiet_len, VIR_UUID_BUFLEN, compare_uuids);
		got = query_disks(bulk, few, flags);
	}
	return got < 0 ? connection_explain(job, "cannot read statistics") : 0;
}

struct calls_bulk *calls_bulk_new(unsigned groups, bool waits, size_t only_len)
{
	struct calls_bulk *bulk =
		new_job(sizeof(*bulk) + only_len * VIR_UUID_BUFLEN, bulk_free, bulk_run);

	bulk->groups = groups;
	bulk->waits = waits;
	bulk->only_len = only_len;
	return bulk;
}

void calls_bulk_omit(struct calls_bulk *bulk, const unsigned char uuid[VIR_UUID_BUFLEN],
		     size_t quiet_max)
{
	if (bulk->quiet == NULL)
		bulk->quiet = mc_alloc_array(quiet_max, VIR_UUID_BUFLEN);
	memcpy(bulk->quiet[bulk->quiet_len++], uuid, VIR_UUID_BUFLEN);
}

/* --- Descriptions --------------------------------------------------------- */

/* Leaves nothing but its UUID: a job that is run again, because the connection
 * broke, may find it gone. */
static void item_done(struct calls_item *item)
{
	item->found = item->persistent = false;
	describe_done(&item->xml);
	guest_limits_done(&item->limits);
	item->metadata[0] = '\0';
	free(item->pins);
	item->pins = NULL;
	item->vcpus_len = item->pins_size = 0;
}

static void describe_free(struct connection_job *job)
{
	struct calls_describe *describe = (struct calls_describe *)job;

	for (size_t i = 0; i < describe->items_len; i++)
		item_done(&describe->items[i]);
	free(describe->metadata_ns);
	free(describe->metadata_xpath);
	free(describe);
}

static void read_metadata(const struct calls_describe *describe, struct calls_item *item,
			  virDomainPtr domain)
{
	char *xml =
		virDomainGetMetadata(domain, VIR_DOMAIN_METADATA_ELEMENT, describe->metadata_ns, 0);

	if (xml == NULL)
		return;
	if (!describe_find(xml, describe->metadata_xpath, item->metadata, sizeof(item->metadata)))
		item->metadata[0] = '\0';
	free(xml);
}

static void read_pins(struct calls_item *item, virConnectPtr conn, virDomainPtr domain)
{
	int vcpus = virDomainGetVcpusFlags(domain, 0), got;
	int cpus = virNodeGetCPUMap(conn, NULL, NULL, 0);

	if (vcpus <= 0 || vcpus > PINS_MAX || cpus <= 0 || cpus > 65536)
		return;
	item->pins_size = VIR_CPU_MAPLEN((unsigned)cpus);
	item->pins = mc_alloc_array((size_t)vcpus, item->pins_size);
	got = virDomainGetVcpuPinInfo(domain, vcpus, item->pins, (int)item->pins_size, 0);
	item->vcpus_len = got > 0 ? (unsigned)got : 0;
}

static void describe_one(const struct calls_describe *describe, struct calls_item *item,
			 virConnectPtr conn)
{
	virDomainPtr domain = virDomainLookupByUUID(conn, item->uuid);
	char *xml;

	if (domain == NULL)
		return;
	xml = virDomainGetXMLDesc(domain, 0);
	if (xml != NULL &&
	    describe_parse(&item->xml, describe->limits ? &item->limits : NULL, xml)) {
		item->found = true;
		item->persistent = virDomainIsPersistent(domain) == 1;
		if (describe->metadata_ns != NULL)
			read_metadata(describe, item, domain);
		if (describe->pins)
			read_pins(item, conn, domain);
	}
	free(xml);
	virDomainFree(domain);
}

static int describe_run(struct connection_job *job, virConnectPtr conn, bool fresh)
{
	struct calls_describe *describe = (struct calls_describe *)job;

	(void)fresh;
	for (size_t i = 0; i < describe->items_len; i++) {
		item_done(&describe->items[i]);
		describe->ended = i > 0 && mc_now() >= describe->until;
		if (describe->ended)
			continue;
		describe_one(describe, &describe->items[i], conn);
		if (!describe->items[i].found && is_lost(conn))
			return connection_explain(job, "cannot read descriptions");
	}
	return 0;
}

struct calls_describe *calls_describe_new(size_t items_len, const char *ns, const char *xpath,
					  bool pins, mc_time until)
{
	struct calls_describe *describe =
		new_job(sizeof(*describe) + items_len * sizeof(describe->items[0]), describe_free,
			describe_run);

	describe->items_len = items_len;
	describe->pins = pins;
	describe->until = until;
	if (ns != NULL && xpath != NULL) {
		describe->metadata_ns = mc_alloc_copy(ns);
		describe->metadata_xpath = mc_alloc_copy(xpath);
	}
	return describe;
}

/* --- One guest at a time -------------------------------------------------- */

static void each_free(struct connection_job *job)
{
	struct calls_each *each = (struct calls_each *)job;

	for (size_t i = 0; i < each->only_len; i++)
		histogram_free(&each->only[i].disks);
	free(each->facts);
	free(each);
}

static struct calls_fact *add_fact(struct calls_each *each, size_t guest, enum calls_kind kind,
				   const char *name)
{
	struct calls_fact *fact;

	if (each->facts_len == each->facts_size) {
		each->facts_size = each->facts_size * 2 + 64;
		each->facts = mc_alloc_resize(each->facts, each->facts_size, sizeof(*fact));
	}
	fact = &each->facts[each->facts_len++];
	*fact = (struct calls_fact){ .guest = guest, .kind = kind };
	snprintf(fact->name, sizeof(fact->name), "%s", name);
	return fact;
}

static void read_disk_errors(struct calls_each *each, size_t guest, virDomainPtr domain)
{
	virDomainDiskError errors[DISKS_MAX];
	int got = virDomainGetDiskErrors(domain, errors, DISKS_MAX, 0);

	for (int i = 0; i < got; i++) {
		add_fact(each, guest, CALLS_DISK_ERROR, errors[i].disk)->number = errors[i].error;
		free(errors[i].disk);
	}
}

static void take_job(struct calls_each *each, size_t guest, const virTypedParameter *param)
{
	struct calls_fact *fact = add_fact(each, guest, CALLS_JOB, param->field);

	switch (param->type) {
	case VIR_TYPED_PARAM_INT:
		fact->number = param->value.i;
		break;
	case VIR_TYPED_PARAM_UINT:
		fact->number = param->value.ui;
		break;
	case VIR_TYPED_PARAM_LLONG:
		fact->number = param->value.l;
		break;
	case VIR_TYPED_PARAM_ULLONG:
		fact->number = (int64_t)param->value.ul;
		break;
	case VIR_TYPED_PARAM_DOUBLE:
		if (calls_is_number(param->value.d))
			fact->number = (int64_t)param->value.d;
		else
			each->facts_len--;
		break;
	case VIR_TYPED_PARAM_BOOLEAN:
		fact->number = param->value.b;
		break;
	case VIR_TYPED_PARAM_STRING:
		if (param->value.s != NULL && param->value.s[0] != '\0')
			snprintf(fact->text, sizeof(fact->text), "%s", param->value.s);
		else
			each->facts_len--;
		break;
	default:
		each->facts_len--;
	}
}

static void read_job(struct calls_each *each, size_t guest, virDomainPtr domain)
{
	unsigned flags = (each->only[guest].extra & EXTRA_JOB_COMPLETED) != 0
				 ? VIR_DOMAIN_JOB_STATS_COMPLETED
				 : 0;
	virTypedParameterPtr params = NULL;
	int type, len = 0;

	if (virDomainGetJobStats(domain, &type, &params, &len, flags) < 0)
		return;
	for (int i = 0; i < len; i++)
		take_job(each, guest, &params[i]);
	virTypedParamsFree(params, len);
}

static void read_file_systems(struct calls_each *each, size_t guest, virDomainPtr domain)
{
	virDomainFSInfoPtr *infos = NULL;
	int got = virDomainGetFSInfo(domain, &infos, 0);

	for (int i = 0; i < got; i++) {
		struct calls_fact *fact = add_fact(each, guest, CALLS_FILE_SYSTEM, "file_system");

		snprintf(fact->text, sizeof(fact->text),
			 "File system information: mountpoint=%s name=%s "
			 "fstype=%s ndevAlias=%zu",
			 infos[i]->mountpoint, infos[i]->name, infos[i]->fstype,
			 infos[i]->ndevAlias);
		virDomainFSInfoFree(infos[i]);
	}
	free(infos);
}

/* A job that is run again, because the connection broke, may have some. */
static void read_histograms(struct calls_one *one, virDomainPtr domain)
{
	histogram_free(&one->disks);
	one->rc = monitor_histograms(domain, one->refused, &one->disks);
}

static void ask_one(struct calls_each *each, size_t guest, virDomainPtr domain)
{
	struct calls_one *one = &each->only[guest];

	if ((one->extra & EXTRA_DISK_ERR) != 0)
		read_disk_errors(each, guest, domain);
	if ((one->extra & (EXTRA_JOB_COMPLETED | EXTRA_JOB_BACKGROUND)) != 0)
		read_job(each, guest, domain);
	if ((one->extra & EXTRA_FS_INFO) != 0 && one->runs)
		read_file_systems(each, guest, domain);
	if ((one->extra & EXTRA_HISTOGRAM) != 0)
		read_histograms(one, domain);
}

static int each_run(struct connection_job *job, virConnectPtr conn, bool fresh)
{
	struct calls_each *each = (struct calls_each *)job;

	(void)fresh;
	each->facts_len = 0;
	for (size_t i = 0; i < each->only_len; i++) {
		virDomainPtr domain;

		each->reached = i;
		atomic_store(job->step, i);
		if (i > 0 && mc_now() >= each->until)
			return 0;
		domain = virDomainLookupByUUID(conn, each->only[i].uuid);

		if (domain == NULL && is_lost(conn))
			return connection_explain(job, "cannot find a guest");
		if (domain == NULL)
			continue;
		ask_one(each, i, domain);
		virDomainFree(domain);
	}
	each->reached = each->only_len;
	return 0;
}

struct calls_each *calls_each_new(size_t only_len, mc_time until)
{
	struct calls_each *each =
		new_job(sizeof(*each) + only_len * sizeof(each->only[0]), each_free, each_run);

	each->until = until;
	each->only_len = only_len;
	return each;
}
