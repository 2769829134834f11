/* SPDX-License-Identifier: MIT */
#include "read_only.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/private/alerts.h>
#include <collector/private/status.h>

#include "kit/base/mountinfo.h"

#include "mounts.h"

#define LOOK_INTERVAL (60 * MC_SECOND)
#define DEVICES_MAX 10000

struct read_only_device {
	char *number, *point;
	bool was_writable, stands;
	bool judged;  /* There are rules for its value: it does not stand, too. */
	bool told;    /* It has had a value. */
	bool present; /* In this look. */
};

/* --- Lines ---------------------------------------------------------------- */

static bool has_option(const char *options, size_t size, const char *wanted)
{
	size_t wanted_size = strlen(wanted);

	while (size > 0) {
		const char *comma = memchr(options, ',', size);
		size_t one = comma != NULL ? (size_t)(comma - options) : size;

		if (one == wanted_size && memcmp(options, wanted, one) == 0)
			return true;
		one += comma != NULL;
		options += one;
		size -= one;
	}
	return false;
}

bool read_only_parse(char *line, struct read_only_line *out)
{
	struct mc_mountinfo mount;

	if (!mc_mountinfo_parse(line, &mount))
		return false;
	*out = (struct read_only_line){
		.number = mount.number,
		.point = mount.point,
		.is_device = *mount.source == '/',
		.is_read_only = has_option(mount.options, strlen(mount.options), "ro"),
	};
	return true;
}

/* The next word of a line of fstab. */
static const char *next_word(const char **at, size_t *size)
{
	const char *word = *at + strspn(*at, " \t");

	*size = strcspn(word, " \t\n");
	*at = word + *size;
	return word;
}

bool read_only_fstab_writes(const char *fstab, const char *point)
{
	size_t point_size = strlen(point), size;

	while (*fstab != '\0') {
		const char *at = fstab, *word = next_word(&at, &size);
		bool is_comment = *word == '#';

		fstab += strcspn(fstab, "\n");
		fstab += *fstab == '\n';
		word = next_word(&at, &size);
		if (is_comment || size != point_size || memcmp(word, point, size) != 0)
			continue;
		next_word(&at, &size);
		word = next_word(&at, &size);
		return !has_option(word, size, "ro");
	}
	return false;
}

/* --- Alerts ---------------------------------------------------------------- */

static void stand(struct mc_ctx *ctx, const struct read_only_device *device, bool stands)
{
	char name[MOUNTS_NAME_SIZE], reason[MOUNTS_NAME_SIZE + 128];

	mounts_name_point(device->point, name);
	snprintf(reason, sizeof(reason), "%.128s of %.63s %s", device->point, ctx->host,
		 stands ? "has become read-only" : "is not read-only any more");
	mc_stand(ctx,
		 &(struct mc_standing){
			 .id = { .plugin_instance = name,
				 .type = "bool",
				 .type_instance = "read_only" },
			 .severity = stands ? MC_FAILURE : MC_OKAY,
			 .reason = reason,
			 .advice = "The kernel does that after an error: journalctl -k has it. "
				   "Check the disk, then the file system.",
		 });
}

static bool has_rules(struct mc_ctx *ctx)
{
	struct mc_status status;

	mc_status(ctx, &status);
	return status.rules > 0;
}

static struct read_only_device *find(const struct read_only *self, const char *number)
{
	for (size_t i = 0; i < self->len; i++)
		if (strcmp(self->devices[i].number, number) == 0)
			return &self->devices[i];
	return NULL;
}

static void take(struct mc_ctx *ctx, struct read_only *self, const struct read_only_line *line,
		 const char *fstab)
{
	struct read_only_device *device = find(self, line->number);

	if (device == NULL) {
		if (self->len >= DEVICES_MAX)
			return;
		MC_ARRAY_GROW(self->devices, self->len, self->size);
		device = &self->devices[self->len++];
		*device = (struct read_only_device){
			.number = mc_alloc_copy(line->number),
			.point = mc_alloc_copy(line->point),
			.was_writable = read_only_fstab_writes(fstab, line->point),
		};
	}
	if (device->present)
		return; /* It is mounted twice. */
	device->present = true;
	device->was_writable |= !line->is_read_only;
	if (!device->stands && device->was_writable && line->is_read_only)
		device->judged = has_rules(ctx);
	if (!device->judged && (device->stands || (device->was_writable && line->is_read_only)))
		stand(ctx, device, line->is_read_only);
	device->stands = device->was_writable && line->is_read_only;
	device->told |= device->stands;
}

static void drop(struct read_only *self, size_t at)
{
	free(self->devices[at].number);
	free(self->devices[at].point);
	self->devices[at] = self->devices[--self->len];
}

static void drop_absent(struct mc_ctx *ctx, struct read_only *self)
{
	for (size_t i = self->len; i-- > 0;) {
		struct read_only_device *device = &self->devices[i];

		if (!device->present) {
			if (device->stands && !device->judged)
				stand(ctx, device, false);
			drop(self, i);
		}
	}
}

/* --- Files ----------------------------------------------------------------- */

/* The text, which the next call overwrites; NULL: there is no file to read. */
static char *read_text(struct mc_ctx *ctx, const char *file)
{
	char path[4096], *text;

	mc_path(ctx, file, path, sizeof(path));
	return access(path, R_OK) == 0 && mc_read_file(ctx, file, &text) >= 0 ? text : NULL;
}

static char *copy_text(struct mc_ctx *ctx, const char *file)
{
	const char *text = read_text(ctx, file);

	return mc_alloc_copy(text != NULL ? text : "");
}

bool read_only_look(struct mc_ctx *ctx, struct read_only *self)
{
	struct read_only_line parsed;
	char *fstab, *line;

	if (mc_now() < self->due)
		return false;
	self->due = mc_now() + LOOK_INTERVAL;
	fstab = copy_text(ctx, "/etc/fstab");
	line = read_text(ctx, "/proc/self/mountinfo");
	for (size_t i = 0; i < self->len; i++)
		self->devices[i].present = false;
	while (line != NULL && *line != '\0') {
		size_t size = strcspn(line, "\n");
		bool ends = line[size] == '\0';

		line[size] = '\0';
		if (read_only_parse(line, &parsed) && parsed.is_device)
			take(ctx, self, &parsed, fstab);
		line += size + !ends;
	}
	drop_absent(ctx, self);
	free(fstab);
	return true;
}

bool read_only_value(const struct read_only *self, size_t number, char name[MOUNTS_NAME_SIZE],
		     bool *stands)
{
	const struct read_only_device *device = &self->devices[number];

	mounts_name_point(device->point, name);
	*stands = device->stands;
	return device->told;
}

void read_only_free(struct read_only *self)
{
	while (self->len > 0)
		drop(self, self->len - 1);
	free(self->devices);
	*self = (struct read_only){ 0 };
}
