/* SPDX-License-Identifier: MIT */
/* /sys/devices/system/cpu (Documentation/ABI/testing/sysfs-devices-system-cpu of the kernel), and
 * msr(4). */
#include "processors.h"

#include <collector/kit/alloc.h>
#include <collector/scan.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kit/base/kept_file.h"

#define FOLDER "/sys/devices/system/cpu"
#define NUMBER_MAX 65535

/* --- Which there are ------------------------------------------------------------------------ */

static int read_number(struct mc_ctx *ctx, unsigned processor, const char *name, unsigned *number)
{
	char path[128], full[1024], text[32];
	const char *at = text;
	uint64_t found;
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), FOLDER "/cpu%u/topology/%s", processor, name);
	fd = open(mc_path(ctx, path, full, sizeof(full)), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size < 0)
		return -errno;
	text[size] = '\0';
	if (!mc_scan_u64(&at, &found) || found > NUMBER_MAX) /* -1: it has none. */
		return -EBADMSG;
	*number = (unsigned)found;
	return 0;
}

static void close_one(struct processors *processors, struct processor *processor)
{
	if (processor->fd < 0)
		return;
	close(processor->fd);
	processor->fd = -1;
	processors->open--;
}

static bool add(struct processors *processors, struct mc_ctx *ctx, unsigned number)
{
	struct processor *one = &processors->items[processors->len];
	int rc;

	*one = (struct processor){ .number = number, .fd = -1, .core_at = processors->len };
	rc = read_number(ctx, number, "physical_package_id", &one->package);
	if (rc == 0)
		rc = read_number(ctx, number, "core_id", &one->core);
	if (rc == -ENOENT)
		return true; /* It has gone meanwhile. */
	if (rc != 0) {
		mc_fail(ctx, rc == -EBADMSG ? 0 : -rc,
			"cannot read the package and the core of processor %u", number);
		return false;
	}
	one->is_first_of_core = one->is_first_of_package = true;
	for (size_t i = processors->len; i-- > 0;) {
		const struct processor *other = &processors->items[i];

		if (other->package != one->package)
			continue;
		one->is_first_of_package = false;
		if (other->core == one->core) {
			one->is_first_of_core = false;
			one->core_at = other->core_at;
			break;
		}
	}
	if (one->package >= processors->packages)
		processors->packages = one->package + 1;
	processors->len++;
	return true;
}

/* The list is such as "0-3,8". */
static bool add_all(struct processors *processors, struct mc_ctx *ctx, const char *list)
{
	uint64_t first, last;

	while (mc_scan_range(&list, &first, &last)) {
		for (; first <= last; first++) {
			if (processors->len == PROCESSORS_MAX || first > NUMBER_MAX ||
			    !add(processors, ctx, (unsigned)first))
				return false;
		}
		mc_scan_text(&list, ",");
	}
	return true;
}

/* Keeps the registers of those that are still at the same place. */
static void keep(struct processors *processors, struct processors *old)
{
	size_t at = 0;

	processors->open = old->open;
	for (size_t i = 0; i < processors->len; i++) {
		struct processor *one = &processors->items[i];
		struct processor *before;

		while (at < old->len && old->items[at].number < one->number)
			at++;
		before = at < old->len ? &old->items[at] : NULL;
		if (before == NULL || before->number != one->number ||
		    before->is_first_of_core != one->is_first_of_core ||
		    before->is_first_of_package != one->is_first_of_package)
			continue;
		one->fd = before->fd;
		before->fd = -1;
		one->lacks = before->lacks;
		one->has_before = before->has_before;
		one->now = before->now;
	}
	for (size_t i = 0; i < old->len; i++)
		if (old->items[i].fd >= 0) {
			close(old->items[i].fd);
			processors->open--;
		}
	free(old->items);
	free(old->online);
}

int processors_find(struct processors *processors, struct mc_ctx *ctx)
{
	struct processors found = { .open_max = mc_kept_limit() };
	char *text;
	ssize_t size = mc_read_file(ctx, FOLDER "/online", &text);

	if (size < 0)
		return (int)size;
	if (processors->online != NULL && strcmp(processors->online, text) == 0)
		return 0;
	found.online = mc_alloc((size_t)size + 1);
	memcpy(found.online, text, (size_t)size + 1);
	found.items = mc_alloc_zero(PROCESSORS_MAX * sizeof(*found.items));
	if (!add_all(&found, ctx, found.online) || found.len == 0) {
		free(found.items);
		free(found.online);
		return mc_fail(ctx, 0, "cannot understand '" FOLDER "/online'");
	}
	found.items = mc_alloc_resize(found.items, found.len, sizeof(*found.items));
	keep(&found, processors);
	*processors = found;
	return 0;
}

void processors_done(struct processors *processors)
{
	for (size_t i = 0; i < processors->len; i++)
		close_one(processors, &processors->items[i]);
	free(processors->items);
	free(processors->online);
	*processors = (struct processors){ 0 };
}

/* --- Their registers ------------------------------------------------------------------------ */

static int open_registers(struct processors *processors, struct mc_ctx *ctx, struct processor *one)
{
	char path[64], full[1024];

	if (one->fd >= 0)
		return 0;
	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", one->number);
	one->fd = open(mc_path(ctx, path, full, sizeof(full)), O_RDONLY | O_CLOEXEC);
	if (one->fd < 0)
		return -errno;
	processors->open++;
	return 0;
}

/* A register that is not there: the kernel says EIO; a file that is no device ends before it. */
static int read_register(int fd, uint32_t number, uint64_t *value)
{
	ssize_t size = pread(fd, value, sizeof(*value), (off_t)number);

	if (size < 0)
		return -errno;
	return size == sizeof(*value) ? 0 : -EIO;
}

static enum model_register end_of(const struct processor *one)
{
	if (one->is_first_of_package)
		return MODEL_REGISTERS;
	return one->is_first_of_core ? MODEL_FIRST_OF_PACKAGE : MODEL_FIRST_OF_CORE;
}

int processors_read(struct processors *processors, struct mc_ctx *ctx, struct processor *one,
		    const uint32_t numbers[MODEL_REGISTERS])
{
	struct figures_snapshot now = { 0 };
	int rc = open_registers(processors, ctx, one);

	for (unsigned i = 0; i < (unsigned)end_of(one) && rc == 0; i++) {
		uint64_t bit = UINT64_C(1) << i;

		if (numbers[i] == 0 || (one->lacks & bit) != 0)
			continue;
		rc = read_register(one->fd, numbers[i], &now.values[i]);
		if (rc == 0)
			now.has |= bit;
		else if (rc == -EIO)
			one->lacks |= bit;
		rc = rc == -EIO ? 0 : rc;
	}
	if (now.has == 0)
		one->lacks = 0; /* It may be another one after all. */
	if (rc != 0) {
		one->has_before = false;
		one->now = (struct figures_snapshot){ 0 };
	} else {
		one->has_before = one->now.has != 0;
		one->before = one->now;
		one->now = now;
	}
	if (rc != 0 || processors->open > processors->open_max)
		close_one(processors, one);
	return rc;
}
