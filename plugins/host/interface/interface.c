/* SPDX-License-Identifier: MIT */
/* interface: what network interfaces received and sent, from /proc/net/dev
 * (proc(5), Documentation/networking/statistics.rst).
 */
#include <collector/plugin.h>

#include <errno.h>
#include <net/if.h>

#include <collector/scan.h>

struct interface {
	struct mc_select *names;
	bool ignore, inactive;
	bool unique_name; /* Only for files from Solaris; nothing reads it. */
};

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

/* Reads one line, "  eth0: 123 4 ..."; false if it is none, such as the two of
 * the heading. */
static bool parse(const char *line, char name[IFNAMSIZ],
		  uint64_t columns[COLUMNS_LEN])
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

static void report(struct mc_batch *out, const char *name,
		   const uint64_t columns[COLUMNS_LEN])
{
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		struct mc_id id =
			MC_ID(.plugin_instance = name, .type = reports[i].type);
		const uint64_t *column = &columns[reports[i].column];
		union mc_value values[] = {
			{ .derive = (int64_t)column[0] },
			{ .derive = (int64_t)column[SENT] },
		};

		mc_put(out, mc_series(out, id), values, 2);
	}
}

static int interface_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct interface *self = ctx->self;
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/net/dev", &text);
	const char *line = text;
	bool found = false;

	if (size < 0)
		return (int)size;
	do {
		uint64_t columns[COLUMNS_LEN];
		char name[IFNAMSIZ];

		if (!parse(line, name, columns))
			continue;
		found = true;
		if (!self->inactive && columns[PACKETS] == 0 &&
		    columns[SENT + PACKETS] == 0)
			continue;
		if (mc_selected(self->names, self->ignore, name))
			report(out, name, columns);
	} while (mc_scan_line(&line));
	if (!found)
		return mc_fail(ctx, ENODATA, "no interface in '/proc/net/dev'");
	return 0;
}

static const struct mc_option options[] = {
	{ .name = "Interface",
	  MC_OPT_SELECT(struct interface, names),
	  .help = "Selects an interface by name or /regex/.",
	  .sample = "lo" },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct interface, ignore),
	  .preset = "false",
	  .help = "Reports all interfaces but the selected ones.",
	  .sample = "true" },
	{ .name = "ReportInactive",
	  MC_OPT_BOOL(struct interface, inactive),
	  .preset = "true",
	  .help = "Reports also interfaces without a packet since boot." },
	{ .name = "UniqueName",
	  MC_OPT_BOOL(struct interface, unique_name),
	  .preset = "false",
	  .help = "Accepted; it is about Solaris and changes nothing here." },
	{ 0 }
};

MC_PLUGIN(interface) = {
	MC_NAMED(interface),
	.help = "Reads bytes, packets, errors and drops of network interfaces.",
	.self_size = sizeof(struct interface),
	.options = options,
	.types = (const char *const[]){ "if_packets", "if_octets", "if_errors",
					"if_dropped", NULL },
	.read = interface_read,
};
