/* SPDX-License-Identifier: MIT */
/* ksm: what kernel samepage merging saves and does, from /sys/kernel/mm/ksm
 * (Documentation/admin-guide/mm/ksm.rst). */
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>

#include <collector/scan.h>

#define FOLDER "/sys/kernel/mm/ksm/"

static const struct row {
	const char *file;
	const char *type, *instance;
	enum mc_kind kind;
	bool is_new; /* Kernels before 6.7 lack it. */
	bool is_signed;
} rows[] = {
	{ "ksm_zero_pages", "vmpage_number", "zero", MC_GAUGE, true, false },
	{ "pages_scanned", "vmpage_action", "scanned", MC_DERIVE, true, false },
	{ "pages_skipped", "vmpage_action", "skipped", MC_DERIVE, true, false },
	{ "general_profit", "ksm_profit", NULL, MC_GAUGE, true, true },
	{ "pages_shared", "vmpage_number", "shared", MC_GAUGE, false, false },
	{ "pages_sharing", "vmpage_number", "sharing", MC_GAUGE, false, false },
	{ "pages_unshared", "vmpage_number", "unshared", MC_GAUGE, false, false },
	{ "pages_volatile", "vmpage_number", "volatile", MC_GAUGE, false, false },
	{ "full_scans", "operations", "full_scans", MC_DERIVE, false, false },
};
#define ROWS_LEN (sizeof(rows) / sizeof(*rows))

/* One line that begins with the number. */
static bool parse(const struct row *row, const char *text, union mc_value *value)
{
	bool negative = row->is_signed && mc_scan_text(&text, "-");
	uint64_t number;

	if (!mc_scan_u64(&text, &number) || number > INT64_MAX || !mc_scan_at_end(text) ||
	    mc_scan_line(&text))
		return false;
	if (row->kind == MC_GAUGE)
		value->gauge = negative ? -(double)number : (double)number;
	else
		value->derive = (int64_t)number;
	return true;
}

static int read_row(struct mc_ctx *ctx, struct mc_batch *out, const struct row *row)
{
	struct mc_id id = MC_ID(.type = row->type, .type_instance = row->instance);
	union mc_value value;
	char path[64], *text;
	ssize_t size;

	snprintf(path, sizeof(path), FOLDER "%s", row->file);
	size = row->is_new ? mc_read_optional(ctx, path, &text) : mc_read_file(ctx, path, &text);
	if (size == -ENOENT && row->is_new)
		return 0;
	if (size < 0)
		return (int)size;
	if (!parse(row, text, &value))
		return mc_fail(ctx, 0, "cannot understand '%s'", path);
	mc_put(out, mc_series(out, id), &value, 1);
	return 0;
}

static int ksm_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	int failed = 0;

	for (size_t i = 0; i < ROWS_LEN; i++) {
		int rc = read_row(ctx, out, &rows[i]);

		if (rc != 0)
			failed = rc;
	}
	return failed;
}

MC_PLUGIN(ksm) = {
	MC_NAMED(ksm),
	.help = "Reads how much memory kernel samepage merging saves.",
	.types = (const char *const[]){ "vmpage_number", "vmpage_action", "operations",
					"ksm_profit", NULL },
	.read = ksm_read,
	.lenient = true,
};
