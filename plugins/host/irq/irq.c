/* SPDX-License-Identifier: MIT */
/* irq: how often each interrupt happened, on all CPUs together, from /proc/interrupts (proc(5)).
 *
 * The file has a column for each CPU that is online.  When a CPU comes back, its column does so
 * with all that was counted before, which did not happen now: it is subtracted from then on.
 */
#include <collector/kit/alloc.h>
#include <collector/kit/map.h>
#include <collector/plugin.h>

#include <stdlib.h>

#include <collector/scan.h>

#define CPUS_MAX 8192 /* NR_CPUS of the largest kernels. */
#define NAME_SIZE 32

struct offset { /* The part that is subtracted from an interrupt. */
	struct mc_map_node node;
	char name[NAME_SIZE];
	uint64_t number;
};

struct irq {
	struct mc_select *names;
	bool ignore;
	size_t cpus_len;       /* Columns; 0: nothing was read yet. */
	bool online[CPUS_MAX]; /* By CPU: it had a column at the last read. */
	bool fresh[CPUS_MAX];  /* By column: its CPU has come back. */
	struct mc_map offsets; /* By name; hardly ever any. */
};

/* Takes "    CPU0   CPU1 ...". */
static bool parse_heading(struct irq *self, const char *at)
{
	bool first = self->cpus_len == 0, online[CPUS_MAX] = { false };
	size_t len = 0;
	uint64_t cpu;

	while (mc_scan_text(&at, "CPU")) {
		if (!mc_scan_u64(&at, &cpu) || !mc_scan_at_end(at) || cpu >= CPUS_MAX ||
		    len == CPUS_MAX)
			return false;
		online[cpu] = true;
		self->fresh[len++] = !first && !self->online[cpu];
	}
	if (len == 0)
		return false;
	memcpy(self->online, online, sizeof(online));
	self->cpus_len = len;
	return true;
}

/* Takes "24:" or "NMI:".  The fast interrupt of ARM has no numbers. */
static bool parse_name(const char **at, char name[NAME_SIZE])
{
	struct mc_word word;

	if (!mc_scan_word(at, &word) || word.size < 2 || word.size > NAME_SIZE ||
	    word.text[word.size - 1] != ':')
		return false;
	memcpy(name, word.text, word.size - 1);
	name[word.size - 1] = '\0';
	return strcmp(name, "FIQ") != 0;
}

struct sums {
	size_t len; /* Of the row. */
	uint64_t all, fresh;
};

/* Adds up a row.  It has a number for each CPU, then a text; or, such as "ERR",
 * one number and no text.  False if it is not understood. */
static bool parse_row(const struct irq *self, const char *at, struct sums *sums)
{
	uint64_t number;

	*sums = (struct sums){ 0 };
	for (; sums->len < self->cpus_len; sums->len++) {
		if (mc_scan_row(&at, &number, 1) == 0)
			break;
		if (__builtin_add_overflow(sums->all, number, &sums->all) || sums->all > INT64_MAX)
			return false;
		if (self->fresh[sums->len])
			sums->fresh += number;
	}
	if (sums->len < self->cpus_len)
		sums->fresh = 0; /* Not by CPU. */
	return strchr(at, '\n') != NULL && (sums->len == 0 || sums->len == self->cpus_len ||
					    (sums->len == 1 && *mc_scan_blanks(at) == '\n'));
}

/* The rest of a sum; 'fresh' of it was counted before its CPU came back. */
static uint64_t subtract(struct irq *self, const char *name, const struct sums *sums)
{
	size_t size = strlen(name);
	struct offset *offset = (struct offset *)mc_map_find(&self->offsets, name, size);

	if (offset == NULL && sums->fresh == 0)
		return sums->all;
	if (offset == NULL) {
		offset = mc_alloc_zero(sizeof(*offset));
		memcpy(offset->name, name, size + 1);
		offset->node.key = offset->name;
		offset->node.key_size = size;
		mc_map_add(&self->offsets, &offset->node);
	}
	offset->number += sums->fresh;
	if (offset->number > sums->all) /* That CPU has gone again. */
		offset->number = sums->all;
	return sums->all - offset->number;
}

static int irq_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct irq *self = ctx->self;
	const char *path = "/proc/interrupts";
	char *text;
	ssize_t size = mc_read_file(ctx, path, &text);
	const char *line = text;
	bool understood = true;

	if (size < 0)
		return (int)size;
	if (!parse_heading(self, line))
		return mc_fail(ctx, 0, "no CPU in '%s'", path);
	while (mc_scan_line(&line)) {
		const char *at = line;
		char name[NAME_SIZE];
		struct sums sums;

		if (!parse_name(&at, name))
			continue;
		if (!parse_row(self, at, &sums)) {
			understood = false;
			continue;
		}
		if (sums.len == 0 || !mc_selected(self->names, self->ignore, name))
			continue;
		mc_put_derive(out, (int64_t)subtract(self, name, &sums), .type = "irq",
			      .type_instance = name);
	}
	return understood ? 0 : mc_fail(ctx, 0, "cannot understand '%s'", path);
}

static void irq_stop(struct mc_ctx *ctx)
{
	struct irq *self = ctx->self;
	struct mc_map_node *node;

	while ((node = mc_map_next(&self->offsets, NULL)) != NULL) {
		mc_map_remove(&self->offsets, node);
		free(node);
	}
	mc_map_done(&self->offsets);
}

static const struct mc_option options[] = {
	{ .name = "Irq",
	  MC_OPT_SELECT(struct irq, names),
	  .lenient = true,
	  .help = "Selects an interrupt by number, name or /regex/.",
	  .sample = "7" },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct irq, ignore),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports all interrupts but the selected ones.",
	  .sample = "true" },
	{ 0 }
};

MC_PLUGIN(irq) = {
	MC_NAMED(irq),
	.help = "Reads how often each interrupt happened.",
	.self_size = sizeof(struct irq),
	.options = options,
	.types = (const char *const[]){ "irq", NULL },
	.read = irq_read,
	.stop = irq_stop,
};
