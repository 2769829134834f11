/* SPDX-License-Identifier: MIT */
/* Which disks are on which storage, as a label; and what all guests do there together. */
#include "storages.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <collector/kit/once.h>
#include <collector/kit/timed_call.h>

#include "calls.h"
#include "disk_name.h"
#include "report.h"
#include "virt.h"

/* --- What the core and the rest of the plugin do here ------------------------- */

static struct {
	char text[4096]; /* Values, a line each. */
	char name[256];  /* Of the series that was asked for last. */
	unsigned complaints;
	int rc; /* Of timed calls. */
	void *kept;
} core;

const char *mc_path(struct mc_ctx *ctx, const char *path, char *out, size_t size)
{
	(void)ctx;
	snprintf(out, size, "%s", path);
	return out;
}

int mc_timed_call(struct mc_ctx *ctx, mc_time limit, int (*call)(void *argument), void *argument)
{
	(void)ctx;
	(void)limit;
	if (core.rc == -ETIMEDOUT)
		core.kept = argument; /* Freed by the core. */
	return core.rc != 0 ? core.rc : call(argument);
}

struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	(void)batch;
	snprintf(core.name, sizeof(core.name), "%s-%s", id.type, id.type_instance);
	return NULL;
}

void mc_put(struct mc_batch *batch, struct mc_series *series, const union mc_value *values,
	    unsigned values_len)
{
	size_t size = strlen(core.text);
	bool is_gauge = strstr(core.name, "latency") != NULL;

	(void)batch;
	(void)series;
	size += (size_t)snprintf(core.text + size, sizeof(core.text) - size, "%s", core.name);
	for (unsigned i = 0; i < values_len; i++)
		size += (size_t)snprintf(core.text + size, sizeof(core.text) - size, " %g",
					 is_gauge ? values[i].gauge : (double)values[i].derive);
	snprintf(core.text + size, sizeof(core.text) - size, "\n");
}

void mc_put_at(struct mc_batch *batch, struct mc_series *series, struct mc_stamp stamp,
	       const union mc_value *values, unsigned values_len)
{
	(void)stamp;
	mc_put(batch, series, values, values_len);
}

mc_time mc_wall(void)
{
	return MC_SECOND;
}

void mc_complain(struct mc_ctx *ctx, struct mc_once *once, int errnum, const char *fmt, ...)
{
	(void)ctx;
	(void)once;
	(void)errnum;
	(void)fmt;
	core.complaints++;
}

void mc_works(struct mc_ctx *ctx, struct mc_once *once, const char *fmt, ...)
{
	(void)ctx;
	(void)once;
	(void)fmt;
}

mc_time groups_interval(const struct groups *groups, enum group group)
{
	(void)groups;
	(void)group;
	return 0;
}

const char *disk_name(const struct virt *self, const struct guest *guest,
		      const struct decode_device *disk, char out[DECODE_NAME_MAX + 1])
{
	(void)self;
	(void)guest;
	snprintf(out, DECODE_NAME_MAX + 1, "%s", disk->name);
	return strcmp(disk->name, "hidden") != 0 ? out : NULL;
}

/* --- The lab ------------------------------------------------------------------- */

struct lab {
	struct virt self;
	struct mc_ctx ctx;
	struct guest guests[2];
};

static void begin(struct lab *lab)
{
	memset(lab, 0, sizeof(*lab));
	memset(&core, 0, sizeof(core));
	lab->ctx.self = &lab->self;
	lab->self.local = lab->self.report_disks = lab->self.report_storages = true;
	lab->self.storage_limit = 2;
}

/* "vda @sda", and so on; NULL at the end. */
static void keep(struct lab *lab, struct guest *guest, const char *const *disks)
{
	struct describe_disk items[16] = { 0 };
	struct describe xml = { .disks = items };

	for (; disks[xml.disks_len] != NULL; xml.disks_len++)
		sscanf(disks[xml.disks_len], "%63s %95s", items[xml.disks_len].name,
		       items[xml.disks_len].storage);
	storages_keep(&lab->ctx, guest, &xml);
}

#define KEEP(lab, guest, ...) keep(lab, guest, (const char *const[]){ __VA_ARGS__, NULL })

static void end(struct lab *lab)
{
	for (unsigned i = 0; i < 2; i++)
		storages_forget(&lab->ctx, &lab->guests[i]);
	assert_int_equal(lab->self.storages.map.len, 0);
	assert_int_equal(lab->self.storages.reported, 0);
	storages_done(&lab->ctx);
}

static void take(struct guest *guest, size_t index, const char *disk, uint64_t requests,
		 uint64_t ms)
{
	struct decode_device device = {
		.name = disk,
		.known = (1U << (DISK_FL_TIMES + 1)) - 1,
		.values = { [DISK_RD_REQUESTS] = requests,
			    [DISK_RD_BYTES] = 512 * requests,
			    [DISK_RD_TIMES] = ms * 1000000,
			    [DISK_WR_REQUESTS] = requests * 2,
			    [DISK_WR_BYTES] = 1024 * requests,
			    [DISK_WR_TIMES] = ms * 4000000,
			    [DISK_FL_REQUESTS] = requests,
			    [DISK_FL_TIMES] = ms * 10000000 },
	};

	storages_take(&guest->storages, index, &device);
}

static void report(struct lab *lab, const char *expected)
{
	core.text[0] = '\0';
	storages_report(&lab->ctx, NULL);
	assert_string_equal(core.text, expected);
}

/* --- Tests ----------------------------------------------------------------------- */

static void labels(void **state)
{
	static const struct {
		const char *disks[8];
		size_t size;
		const char *label;
	} cases[] = {
		{ { "vda @sda" }, 128, "vda @sda" },
		{ { "vda @sda", "vdb rbd:x", "vdc @sda" }, 128, "vda vdc @sda;vdb rbd:x" },
		{ { "vda", "vdb @sda" }, 128, "vdb @sda" },
		{ { "hidden @sda", "vdb @sdb" }, 128, "vdb @sdb" },
		{ { "vda" }, 128, "" },
		{ { "vda @sda", "vdb @sdb" }, 16, "vda @sda" },
		{ { "vda @sda", "vdb @sdb" }, 18, "vda @sda;vdb @sdb" },
		{ { "vda @sda", "vdb @sda", "vdc @sda" }, 14, "vda vdb @sda" },
		{ { "vda @sda" }, 8, "" },
		{ { "vda @sda" }, 9, "vda @sda" },
		{ { "a;b @x" }, 128, "a_b @x" },
	};
	struct lab lab;

	(void)state;
	begin(&lab);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char out[128];

		keep(&lab, &lab.guests[0], cases[i].disks);
		storages_label(&lab.guests[0].storages, out, cases[i].size);
		assert_string_equal(out, cases[i].label);
	}
	end(&lab);
}

static void all_guests_together(void **state)
{
	struct lab lab;

	(void)state;
	begin(&lab);
	KEEP(&lab, &lab.guests[0], "vda @sda", "vdb");
	KEEP(&lab, &lab.guests[1], "vda @sda");
	take(&lab.guests[0], 0, "vda", 100, 1000);
	take(&lab.guests[0], 1, "vdb", 100, 1000);
	take(&lab.guests[1], 5, "vda", 7, 7);
	take(&lab.guests[1], 1, "vdz", 7, 7);
	report(&lab, "disk_latency-storage-sda nan nan\nlatency-storage-sda-flush nan\n"
		     "disk_ops-storage-sda 0 0\ndisk_octets-storage-sda 0 0\n");
	take(&lab.guests[0], 0, "vda", 110, 1020); /* 10 reads of 2 ms, */
	take(&lab.guests[1], 0, "vda", 37, 157);   /* and 30 of 5. */
	report(&lab, "disk_latency-storage-sda 4.25 8.5\nlatency-storage-sda-flush 42.5\n"
		     "disk_ops-storage-sda 40 80\ndisk_octets-storage-sda 20480 40960\n");
	report(&lab, "");                     /* Disks are not due. */
	take(&lab.guests[0], 0, "vda", 3, 9); /* It was reset: its sums go on. */
	report(&lab, "disk_latency-storage-sda nan nan\nlatency-storage-sda-flush nan\n"
		     "disk_ops-storage-sda 40 80\ndisk_octets-storage-sda 20480 40960\n");
	KEEP(&lab, &lab.guests[0], "vda @sda"); /* Described again. */
	take(&lab.guests[0], 0, "vda", 5, 11);
	report(&lab, "disk_latency-storage-sda 1 2\nlatency-storage-sda-flush 10\n"
		     "disk_ops-storage-sda 42 84\ndisk_octets-storage-sda 21504 43008\n");
	end(&lab);
}

static void a_disk_that_moves_to_another(void **state)
{
	struct lab lab;

	(void)state;
	begin(&lab);
	KEEP(&lab, &lab.guests[0], "vda @sda");
	take(&lab.guests[0], 0, "vda", 10, 10);
	KEEP(&lab, &lab.guests[0], "vda nfs4:server:/export");
	take(&lab.guests[0], 0, "vda", 20, 20);
	report(&lab, "disk_latency-storage-nfs4:server:_export nan nan\n"
		     "latency-storage-nfs4:server:_export-flush nan\n"
		     "disk_ops-storage-nfs4:server:_export 0 0\n"
		     "disk_octets-storage-nfs4:server:_export 0 0\n");
	end(&lab);
}

static void there_is_a_limit(void **state)
{
	struct lab lab;

	(void)state;
	begin(&lab);
	KEEP(&lab, &lab.guests[0], "vda @sda", "vdb @sdb", "vdc @sdc");
	for (unsigned i = 0; i < 2; i++) {
		take(&lab.guests[0], 0, "vda", 1, 1);
		take(&lab.guests[0], 0, "vdb", 1, 1);
		take(&lab.guests[0], 0, "vdc", 1, 1);
		storages_report(&lab.ctx, NULL);
		assert_int_equal(lab.self.storages.reported, 2);
		assert_int_equal(core.complaints, i + 1);
	}
	lab.self.report_storages = false;
	report(&lab, "");
	end(&lab);
}

static void what_cannot_be_looked_up(void **state)
{
	struct describe_disk *disk = calloc(1, sizeof(*disk));
	struct calls_describe *describe = calloc(1, sizeof(*describe) + sizeof(describe->items[0]));
	struct lab lab;

	(void)state;
	begin(&lab);
	snprintf(disk->path, sizeof(disk->path), "/proc/self/exe");
	describe->items_len = 1;
	describe->items[0].xml = (struct describe){ .disks = disk, .disks_len = 1 };
	core.rc = -ETIMEDOUT;
	storages_find(&lab.ctx, describe, MC_SECOND);
	assert_string_equal(disk->storage, "");
	assert_non_null(core.kept);
	free(core.kept);
	core.rc = -EAGAIN;
	storages_find(&lab.ctx, describe, MC_SECOND);
	assert_string_equal(disk->storage, "");
	lab.self.local = false;
	core.rc = 0;
	storages_find(&lab.ctx, describe, MC_SECOND);
	assert_string_equal(disk->storage, "");
	lab.self.local = true;
	storages_find(&lab.ctx, describe, MC_SECOND); /* Of this machine. */
	assert_string_not_equal(disk->storage, "");
	snprintf(disk->storage, sizeof(disk->storage), "rbd:x");
	storages_find(&lab.ctx, describe, MC_SECOND);
	assert_string_equal(disk->storage, "rbd:x");
	free(describe);
	free(disk);
	end(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels),
		cmocka_unit_test(all_guests_together),
		cmocka_unit_test(a_disk_that_moves_to_another),
		cmocka_unit_test(there_is_a_limit),
		cmocka_unit_test(what_cannot_be_looked_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
