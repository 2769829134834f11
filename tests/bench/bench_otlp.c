/* SPDX-License-Identifier: MIT */
/* Writes a batch as OTLP, and reads it, again and again; prints what that was:
 * one line of key=value.  Some other program (tests/bench/otlp.py) makes
 * figures of it.
 *
 *   bench_otlp [-n rounds] [-c] [-f] [-l] [-r] [-o file] [-v values] vms|host|agent
 *
 * "vms" is what virt reads of 200 virtual machines, each a host of its own with ten types; "host"
 * is what cpu reads of 64 CPUs, "agent" twenty values, or those of -v, of one host of many.  Each
 * round is as the one before, as those of a reader are; with -f it is the first one of a writer.
 * With -l every host has two labels.  With -c names are those of OpenTelemetry's conventions.  With
 * -r the request is read after it was written; -o keeps it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/private/otlp.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "engine/store/store.h"
#include "formats/otlp/otlp.h"
#include "model/batch.h"
#include "model/series.h"

#define BEGIN (INT64_C(1700000000) * MC_SECOND + 123456789)
#define INTERVAL (10 * MC_SECOND)
#define REQUEST_MAX ((size_t)4 << 20)
#define SERIES_MAX 4096

struct fleet {
	struct mc_ctx ctx;
	struct mc_batch batch;
	struct store *store; /* Has the metrics of conventions. */
	struct mc_series *series[SERIES_MAX];
	size_t len;
	uint64_t values;
};

#define TYPE(word, type_name, type_unit, kind, first, second, len)                                 \
	static const struct mc_type word = { .name = type_name,                                    \
					     .unit = type_unit,                                    \
					     .sources_len = len,                                   \
					     .sources = { { first, kind, 0, NAN },                 \
							  { second, kind, 0, NAN } } }
TYPE(if_octets, "if_octets", "bytes/s", MC_DERIVE, "rx", "tx", 2);
TYPE(if_packets, "if_packets", "packets/s", MC_DERIVE, "rx", "tx", 2);
TYPE(if_errors, "if_errors", "errors/s", MC_DERIVE, "rx", "tx", 2);
TYPE(if_dropped, "if_dropped", "packets/s", MC_DERIVE, "rx", "tx", 2);
TYPE(disk_octets, "disk_octets", "bytes/s", MC_DERIVE, "read", "write", 2);
TYPE(disk_ops, "disk_ops", "operations/s", MC_DERIVE, "read", "write", 2);
TYPE(disk_time, "disk_time", "ms/s", MC_DERIVE, "read", "write", 2);
TYPE(virt_vcpu, "virt_vcpu", "ns/s", MC_DERIVE, "value", "", 1);
TYPE(memory, "memory", "bytes", MC_GAUGE, "value", "", 1);
TYPE(cpu_total, "virt_cpu_total", "ns/s", MC_DERIVE, "value", "", 1);
TYPE(percent, "percent", "percent", MC_GAUGE, "value", "", 1);

static void add(struct fleet *fleet, struct mc_id id, const struct mc_type *type)
{
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts parts;

	id.type = type->name;
	if (!series_join(&id, name, &parts) || fleet->len == SERIES_MAX)
		abort();
	fleet->series[fleet->len] = series_new(type, &parts, 0);
	fleet->series[fleet->len++]->store = fleet->store;
}

static void make_vms(struct fleet *fleet)
{
	static const struct mc_type *const nets[] = { &if_octets, &if_packets, &if_errors,
						      &if_dropped };
	static const struct mc_type *const disks[] = { &disk_octets, &disk_ops, &disk_time };
	static const char *const levels[] = { "total", "actual_balloon", "rss", "swap_in",
					      "swap_out" };
	char host[32], device[16];

	for (unsigned vm = 0; vm < 200; vm++) {
		struct mc_id id = { .host = host, .plugin = "virt" };

		snprintf(host, sizeof(host), "vm-%04u.example.org", vm);
		snprintf(device, sizeof(device), "vnet%u", vm);
		id.type_instance = device;
		for (unsigned i = 0; i < 4; i++)
			add(fleet, id, nets[i]);
		id.type_instance = "vda";
		for (unsigned i = 0; i < 3; i++)
			add(fleet, id, disks[i]);
		id.type_instance = "0";
		add(fleet, id, &virt_vcpu);
		id.type_instance = "1";
		add(fleet, id, &virt_vcpu);
		for (unsigned i = 0; i < 5; i++) {
			id.type_instance = levels[i];
			add(fleet, id, &memory);
		}
		id.type_instance = NULL;
		add(fleet, id, &cpu_total);
	}
}

static void make_host(struct fleet *fleet)
{
	static const char *const states[] = { "user", "system",    "idle",    "nice",
					      "wait", "interrupt", "softirq", "steal" };
	char number[8];

	for (unsigned cpu = 0; cpu < 64; cpu++) {
		snprintf(number, sizeof(number), "%u", cpu);
		for (unsigned i = 0; i < 8; i++)
			add(fleet,
			    (struct mc_id){ .host = "kvm17.example.org",
					    .plugin = "cpu",
					    .plugin_instance = number,
					    .type_instance = states[i] },
			    &percent);
	}
}

static void make_agent(struct fleet *fleet, unsigned len)
{
	char number[8];

	for (unsigned i = 0; i < len; i++) {
		snprintf(number, sizeof(number), "%u", i);
		add(fleet,
		    (struct mc_id){ .host = "h00000.example.org",
				    .plugin = "cpu",
				    .plugin_instance = number,
				    .type_instance = "user" },
		    &percent);
	}
}

/* What virt says of each guest. */
static unsigned each_label(struct mc_ctx *ctx, const char *host,
			   void (*visit)(void *argument, const struct mc_field *), void *argument)
{
	(void)ctx;
	visit(argument, &(struct mc_field){ "host.id", "8b0f2f3c-6a5e-4e0a-9a77-"
						       "2f4f5a6b7c8d" });
	visit(argument, &(struct mc_field){ "owner", host });
	return 2;
}

struct naming { /* Of the request. */
	bool labels, conventions;
};

static struct mc_otlp_writer *new_writer(struct fleet *fleet, const struct naming *naming)
{
	struct mc_otlp_writer *writer = mc_otlp_writer_new(REQUEST_MAX);

	if (naming->labels)
		mc_otlp_writer_label(writer, &fleet->ctx, each_label);
	if (naming->conventions)
		mc_otlp_writer_conventions(writer);
	return writer;
}

/* One sample of every series; numbers of the size that real ones have. */
static void fill(struct fleet *fleet)
{
	uint64_t seed = 88172645463325252;

	batch_begin(&fleet->batch, &fleet->ctx, BEGIN);
	for (size_t i = 0; i < fleet->len; i++) {
		const struct mc_type *type = mc_type(fleet->series[i]);
		union mc_value values[2];

		for (unsigned n = 0; n < type->sources_len; n++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			if (type->sources[n].kind == MC_GAUGE)
				values[n].gauge = (double)(seed % 4096) * 1048576;
			else
				values[n].derive = (int64_t)(seed % (1u << 30) * 1000);
		}
		mc_put(&fleet->batch, fleet->series[i], values, type->sources_len);
		fleet->values += type->sources_len;
	}
}

static uint64_t read_all(struct mc_otlp *otlp, const struct mc_otlp_bytes *bytes)
{
	uint64_t values = 0;

	mc_otlp_open(otlp, bytes->at, bytes->size, false, "");
	while (mc_otlp_next(otlp) == MC_OTLP_SAMPLE)
		values += otlp->values_len;
	return values;
}

static void keep(const char *path, const struct mc_otlp_bytes *bytes)
{
	FILE *file = fopen(path, "wb");

	if (file == NULL || fwrite(bytes->at, 1, bytes->size, file) != bytes->size ||
	    fclose(file) != 0) {
		perror(path);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static struct fleet fleet = { .ctx = { .interval = INTERVAL } };
	static struct mc_otlp otlp;
	struct mc_otlp_writer *writer;
	struct mc_otlp_bytes bytes = { 0 };
	const char *path = NULL;
	uint64_t rounds = 1, values_read = 0;
	struct naming naming = { 0 };
	bool reading = false, first = false;
	unsigned values = 20;
	int option;

	while ((option = getopt(argc, argv, "n:cflro:v:")) != -1) {
		if (option == 'n')
			rounds = strtoull(optarg, NULL, 10);
		else if (option == 'f')
			first = true;
		else if (option == 'l')
			naming.labels = true;
		else if (option == 'c')
			naming.conventions = true;
		else if (option == 'r')
			reading = true;
		else if (option == 'o')
			path = optarg;
		else if (option == 'v')
			values = (unsigned)strtoul(optarg, NULL, 10);
		else
			return 64;
	}
	if (optind + 1 != argc)
		return 64;
	batch_init(&fleet.batch);
	fleet.store = store_new(&(struct store_settings){ .limit = SERIES_MAX });
	if (strcmp(argv[optind], "vms") == 0)
		make_vms(&fleet);
	else if (strcmp(argv[optind], "agent") == 0)
		make_agent(&fleet, values);
	else
		make_host(&fleet);
	fill(&fleet);
	writer = new_writer(&fleet, &naming);
	for (uint64_t i = 0; i < rounds; i++) {
		if (first) {
			mc_otlp_writer_free(writer);
			writer = new_writer(&fleet, &naming);
		}
		mc_otlp_write(writer, &fleet.batch, NULL, &bytes);
		if (reading)
			values_read += read_all(&otlp, &bytes);
	}
	if (path != NULL)
		keep(path, &bytes);
	printf("rounds=%llu values=%llu samples=%u bytes=%zu read=%llu\n",
	       (unsigned long long)rounds, (unsigned long long)fleet.values, bytes.samples_len,
	       bytes.size, (unsigned long long)values_read);
	return reading && values_read != rounds * fleet.values;
}
