/* SPDX-License-Identifier: MIT */
/* interface: what network interfaces received and sent, from /proc/net/dev
 * (proc(5), Documentation/networking/statistics.rst).
 *
 * A hypervisor has hundreds of interfaces, so what does not change is kept for
 * each as long as it is there: whether it is selected, and its series.
 */
#include <collector/kit/alloc.h>
#include <collector/plugin.h>

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>

#include <collector/scan.h>

/* The columns of /proc/net/dev that are reported; the sent ones follow the
 * received ones, which are eight. */
enum column { OCTETS, PACKETS, ERRORS, DROPPED, SENT = 8, COLUMNS_LEN = 12 };

static const struct {
	const char *type;
	enum column column;
} reports[] = {
	{ "if_packets", PACKETS },
	{ "if_octets", OCTETS },
	{ "if_errors", ERRORS },
	{ "if_dropped", DROPPED },
};
#define REPORTS_LEN (sizeof(reports) / sizeof(*reports))

struct port { /* An interface of the machine. */
	char name[IFNAMSIZ];
	bool selected;
	struct mc_series *held[REPORTS_LEN]; /* NULL: not asked for yet. */
};

struct interface {
	struct mc_select *names;
	bool ignore, inactive;
	bool unique_name;   /* Only for files from Solaris; nothing reads it. */
	struct port *ports; /* In the order of the file. */
	size_t len, size;   /* Of ports[]: used, allocated. */
};

/* Reads one line, "  eth0: 123 4 ..."; false for other lines, such as the two of the heading. */
static bool parse(const char *line, char name[IFNAMSIZ], uint64_t columns[COLUMNS_LEN])
{
	const char *start = mc_scan_blanks(line);
	size_t size = strcspn(start, ": \t\n");
	const char *at = start + size;

	if (size == 0 || size >= IFNAMSIZ || !mc_scan_text(&at, ":"))
		return false;
	memcpy(name, start, size);
	name[size] = '\0';
	return mc_scan_row(&at, columns, COLUMNS_LEN) == COLUMNS_LEN;
}

static struct port *add(struct interface *self, const char *name)
{
	struct port *port;

	MC_ARRAY_GROW(self->ports, self->len, self->size);
	port = &self->ports[self->len++];
	*port = (struct port){ .selected = mc_selected(self->names, self->ignore, name) };
	memcpy(port->name, name, strlen(name) + 1);
	return port;
}

/* The port of that name, which is moved to 'index', or added there: ports before it have been met
 * in this read.  The order of the file hardly ever changes, so it is most often there already. */
static struct port *place(struct interface *self, size_t index, const char *name)
{
	struct port *port = NULL, moved;

	for (size_t i = index; i < self->len && port == NULL; i++)
		if (strcmp(self->ports[i].name, name) == 0)
			port = &self->ports[i];
	if (port == NULL)
		port = add(self, name);
	if (port == &self->ports[index])
		return port;
	moved = *port;
	*port = self->ports[index];
	self->ports[index] = moved;
	return &self->ports[index];
}

/* Keeps the first 'len' ports. */
static void forget_beyond(struct interface *self, size_t len)
{
	while (self->len > len) {
		struct port *port = &self->ports[--self->len];

		for (size_t i = 0; i < REPORTS_LEN; i++)
			mc_release(port->held[i]);
	}
}

static void report(struct mc_batch *out, struct port *port, const uint64_t columns[COLUMNS_LEN])
{
	for (size_t i = 0; i < REPORTS_LEN; i++) {
		struct mc_id id = MC_ID(.plugin_instance = port->name, .type = reports[i].type);
		const uint64_t *column = &columns[reports[i].column];
		union mc_value values[] = {
			{ .derive = (int64_t)column[0] },
			{ .derive = (int64_t)column[SENT] },
		};

		if (port->held[i] == NULL)
			port->held[i] = mc_hold(mc_series(out, id));
		mc_put(out, port->held[i], values, 2);
	}
}

static bool is_reported(const struct interface *self, const struct port *port,
			const uint64_t columns[COLUMNS_LEN])
{
	bool active = columns[PACKETS] != 0 || columns[SENT + PACKETS] != 0;

	return port->selected && (active || self->inactive);
}

static int interface_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct interface *self = ctx->self;
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/net/dev", &text);
	const char *line = text;
	size_t found = 0;

	if (size < 0)
		return (int)size;
	do {
		uint64_t columns[COLUMNS_LEN];
		char name[IFNAMSIZ];
		struct port *port;

		if (!parse(line, name, columns))
			continue;
		port = place(self, found, name);
		if (port == NULL)
			continue;
		found++;
		if (is_reported(self, port, columns))
			report(out, port, columns);
	} while (mc_scan_line(&line));
	forget_beyond(self, found);
	if (found == 0)
		return mc_fail(ctx, 0, "no interface in '/proc/net/dev'");
	return 0;
}

static void interface_stop(struct mc_ctx *ctx)
{
	struct interface *self = ctx->self;

	forget_beyond(self, 0);
	free(self->ports);
}

static const struct mc_option options[] = {
	{ .name = "Interface",
	  MC_OPT_SELECT(struct interface, names),
	  .lenient = true,
	  .help = "Selects an interface by name or /regex/.",
	  .sample = "lo" },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct interface, ignore),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports all interfaces but the selected ones.",
	  .sample = "true" },
	{ .name = "ReportInactive",
	  MC_OPT_BOOL(struct interface, inactive),
	  .default_value = "true",
	  .help = "Also reports interfaces without a packet since boot." },
	{ .name = "UniqueName",
	  MC_OPT_BOOL(struct interface, unique_name),
	  .default_value = "false",
	  .lenient = true,
	  .no_effect = true,
	  .help = "Only for Solaris." },
	{ 0 }
};

MC_PLUGIN(interface) = {
	MC_NAMED(interface),
	.help = "Reads bytes, packets, errors and drops of network interfaces.",
	.self_size = sizeof(struct interface),
	.options = options,
	.types = (const char *const[]){ "if_packets", "if_octets", "if_errors", "if_dropped",
					NULL },
	.read = interface_read,
	.stop = interface_stop,
};
