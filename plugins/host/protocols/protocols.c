/* SPDX-License-Identifier: MIT */
/* protocols: what the kernel counts of IP, ICMP, TCP and UDP, from /proc/net/snmp and
 * /proc/net/netstat (Documentation/networking/ snmp_counter.rst).
 *
 * The files have pairs of lines that begin with a protocol: names of values, and the values in the
 * same order.  Which ones there are is the kernel's choice, so all are reported under the kernel's
 * names.
 */
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>

#include <collector/scan.h>

#define NAME_SIZE 128

struct protocols {
	struct mc_select *values;
	bool ignore;
};

/* Cuts off the next word; NULL at the end. */
static char *next_word(char **line)
{
	char *word;

	do
		word = strsep(line, " ");
	while (word != NULL && *word == '\0');
	return word;
}

static bool is_selected(const struct protocols *self, const char *protocol, const char *name)
{
	char full[NAME_SIZE];
	int length = snprintf(full, sizeof(full), "%s:%s", protocol, name);

	return length > 0 && (size_t)length < sizeof(full) &&
	       mc_selected(self->values, self->ignore, full);
}

/* Returns how many were not numbers. */
static unsigned report(const struct protocols *self, struct mc_batch *out, const char *protocol,
		       char *names, char *values)
{
	char *name, *word;
	unsigned wrong = 0;

	while ((name = next_word(&names)) != NULL && (word = next_word(&values)) != NULL) {
		const char *at = word;
		int64_t value;

		if (!mc_scan_i64(&at, &value) || *at != '\0')
			wrong++;
		else if (is_selected(self, protocol, name))
			mc_put_derive(out, value, .plugin_instance = protocol,
				      .type = "protocol_counter", .type_instance = name);
	}
	return wrong + (name != NULL);
}

/* The protocol that both lines begin with is cut off them; NULL: they are not a pair. */
static char *cut_protocol(char **names, char **values)
{
	size_t size = strcspn(*names, ":") + 1;
	char *protocol = *names;

	if (size == 1 || protocol[size - 1] != ':' || strncmp(protocol, *values, size) != 0)
		return NULL;
	protocol[size - 1] = '\0';
	*names += size;
	*values += size;
	return protocol;
}

static int read_file(struct mc_ctx *ctx, struct mc_batch *out, const char *path)
{
	unsigned pairs = 0, wrong = 0;
	char *text, *names;
	ssize_t size = mc_read_file(ctx, path, &text);

	if (size < 0)
		return (int)size;
	for (names = strsep(&text, "\n"); text != NULL;) {
		char *values = strsep(&text, "\n"), *protocol;

		if (text == NULL) /* Numbers are missing, all or some. */
			break;
		protocol = cut_protocol(&names, &values);
		if (protocol == NULL) {
			wrong++;
			names = values;
			continue;
		}
		pairs++;
		wrong += report(ctx->self, out, protocol, names, values);
		names = strsep(&text, "\n");
	}
	if (wrong > 0 || pairs == 0 || *names != '\0')
		return mc_fail(ctx, 0, "cannot understand all of '%s'", path);
	return 0;
}

static int protocols_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	int snmp = read_file(ctx, out, "/proc/net/snmp");
	int netstat = read_file(ctx, out, "/proc/net/netstat");

	return snmp != 0 ? snmp : netstat;
}

static const struct mc_option options[] = {
	{ .name = "Value",
	  MC_OPT_SELECT(struct protocols, values),
	  .lenient = true,
	  .help = "Selects a value by its name with the protocol, or by "
		  "/regex/.",
	  .sample = "/^Tcp:/" },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct protocols, ignore),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports all values but the selected ones." },
	{ 0 }
};

MC_PLUGIN(protocols) = {
	MC_NAMED(protocols),
	.help = "Reads the kernel's counters of network protocols.",
	.self_size = sizeof(struct protocols),
	.options = options,
	.types = (const char *const[]){ "protocol_counter", NULL },
	.read = protocols_read,
};
