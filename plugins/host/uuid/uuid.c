/* SPDX-License-Identifier: MIT */
/* uuid: the name of this host is the UUID of the machine: that in a file, or that of its firmware,
 * /sys/class/dmi/id/product_uuid (SMBIOS, System Information), or of Xen, /sys/hypervisor/uuid.
 * Places, their order and what counts of a file are collectd's. */
#include <collector/plugin.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <collector/private/hostname.h>

#define FORM "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"

struct uuid {
	const char *file;
};

static bool is_uuid(const char *text)
{
	for (const char *form = FORM; *form != '\0'; form++, text++)
		if (*form == 'x' ? !isxdigit((unsigned char)*text) : *text != *form)
			return false;
	return *text == '\0';
}

/* Firmware that lacks one has zeros, which many hosts would share. */
static bool is_name(const char *text)
{
	if (text[strspn(text, "0-")] == '\0')
		return false;
	for (; *text != '\0'; text++)
		if (iscntrl((unsigned char)*text))
			return false;
	return true;
}

/* The first line, as long as a UUID at most, with slashes as in a series; false: it is no name. */
static bool take(const char *text, char out[sizeof(FORM)])
{
	snprintf(out, sizeof(FORM), "%.*s", (int)strcspn(text, "\n"), text);
	if (*out == '/')
		memmove(out, out + 1, strlen(out));
	for (char *c = out; (c = strchr(c, '/')) != NULL;)
		*c = '_';
	return is_name(out);
}

static int uuid_find(struct mc_ctx *ctx, char *out, size_t size)
{
	const struct uuid *self = ctx->self;
	const char *const paths[] = { self->file, "/sys/class/dmi/id/product_uuid",
				      "/sys/hypervisor/uuid" };
	int failed = 0;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		char name[sizeof(FORM)], *text;
		ssize_t rc = mc_read_optional(ctx, paths[i], &text);

		if (rc < 0) {
			failed = rc == -ENOENT ? failed : (int)rc;
			continue;
		}
		if (!take(text, name)) {
			mc_log(ctx, MC_WARN, "'%s' has no UUID", paths[i]);
			continue;
		}
		if (!is_uuid(name))
			mc_log(ctx, MC_WARN, "'%s' in '%s' is not a UUID, and yet the host's name",
			       name, paths[i]);
		snprintf(out, size, "%s", name);
		return 0;
	}
	return failed < 0 ? failed : mc_fail(ctx, 0, "finds no UUID: the host keeps its name");
}

static const struct mc_option options[] = {
	{ .name = "UUIDFile",
	  MC_OPT_STRING(struct uuid, file),
	  .default_value = "/etc/uuid",
	  .help = "File whose first line is the UUID, if it is there." },
	{ 0 },
};

MC_HOSTNAME(uuid) = { .find = uuid_find };

MC_PLUGIN(uuid) = {
	MC_NAMED(uuid),
	.help = "Names this host by the UUID of the machine.",
	.self_size = sizeof(struct uuid),
	.options = options,
	.lenient = true,
};
