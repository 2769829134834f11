/* SPDX-License-Identifier: MIT */
/* cpu: in which states the CPUs spend their time, from /proc/stat (proc(5),
 * Documentation/filesystems/proc.rst section 1.7).
 *
 * The kernel counts ticks of 1/USER_HZ seconds per CPU and state.  They are
 * reported as they are, or as percentages of the ticks of one interval, of
 * each CPU or of all together; all combinations of the options mean what they
 * mean in collectd.  A CPU that is offline is not in the file.
 */
#include <collector/kit/alloc.h>
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <collector/scan.h>

#define CPUS_MAX 8192 /* NR_CPUS of the largest kernels. */

/* In the order in which they are reported. */
enum state {
	USER,
	SYSTEM,
	WAIT,
	NICE,
	INTERRUPT,
	SOFTIRQ,
	STEAL,
	GUEST,
	GUEST_NICE,
	IDLE,
	STATES_LEN,
	ACTIVE = STATES_LEN, /* All but idle; not in the file. */
	SERIES_LEN
};

static const char *const state_names[SERIES_LEN] = {
	"user",  "system", "wait",       "nice", "interrupt", "softirq",
	"steal", "guest",  "guest_nice", "idle", "active",
};

/* The columns of /proc/stat.  Kernels from 2.6.33 on have all of them. */
static const enum state columns[STATES_LEN] = {
	USER, NICE, SYSTEM, IDLE, WAIT, INTERRUPT, SOFTIRQ, STEAL, GUEST, GUEST_NICE,
};
#define COLUMNS_MIN 4

struct processor {
	char name[8];  /* Its number. */
	bool online;   /* It is in the file. */
	bool known;    /* It was at the last read: 'rates' holds a change. */
	unsigned seen; /* One bit per state that the file has. */
	uint64_t ticks[STATES_LEN];
	double rates[STATES_LEN]; /* Ticks in the last interval. */
	struct mc_series *held[SERIES_LEN];
};

struct cpu {
	bool by_cpu, by_state, percentage, count, guest, subtract_guest;
	struct processor *processors; /* By number. */
	size_t processors_len;
	struct processor all; /* The sum; has no name. */
};

/* Makes room for one more processor; NULL if there cannot be that many. */
static struct processor *processor_at(struct cpu *self, uint64_t number)
{
	struct processor *grown;
	size_t len = self->processors_len;

	if (number < len)
		return &self->processors[number];
	if (number >= CPUS_MAX)
		return NULL;
	grown = mc_alloc_resize(self->processors, number + 1, sizeof(*grown));
	memset(grown + len, 0, (number + 1 - len) * sizeof(*grown));
	for (; len <= number; len++)
		snprintf(grown[len].name, sizeof(grown->name), "%u", (unsigned)len);
	self->processors = grown;
	self->processors_len = len;
	return &grown[number];
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Guest time is counted twice by the kernel: as guest and as user time. */
static void apply_guest(const struct cpu *self, uint64_t ticks[STATES_LEN], unsigned *seen)
{
	if (self->guest && self->subtract_guest) {
		ticks[USER] = minus(ticks[USER], ticks[GUEST]);
		ticks[NICE] = minus(ticks[NICE], ticks[GUEST_NICE]);
	}
	if (!self->guest)
		*seen &= ~(1U << GUEST | 1U << GUEST_NICE);
}

/* Some counters go back now and then ("wait" of an idle CPU): no time passed
 * in such a state. */
static void update(struct processor *processor, const uint64_t ticks[STATES_LEN], unsigned seen)
{
	processor->known = processor->seen == seen;
	for (size_t i = 0; i < STATES_LEN; i++) {
		processor->rates[i] = (double)minus(ticks[i], processor->ticks[i]);
		processor->ticks[i] = ticks[i];
	}
	processor->seen = seen;
	processor->online = true;
}

/* Takes "cpu7 1 2 3 4 ..."; false if the line is not one of a CPU. */
static bool parse_line(struct cpu *self, const char *line)
{
	uint64_t number, row[STATES_LEN], ticks[STATES_LEN] = { 0 };
	struct processor *processor;
	unsigned seen = 0;
	size_t len;

	if (strncmp(line, "cpu", 3) != 0 || mc_scan_at_end(line + 3))
		return false;
	line += 3;
	if (!mc_scan_u64(&line, &number))
		return false;
	len = mc_scan_row(&line, row, STATES_LEN);
	if (len < COLUMNS_MIN)
		return false;
	processor = processor_at(self, number);
	if (processor == NULL)
		return false;
	for (size_t i = 0; i < len; i++) {
		ticks[columns[i]] = row[i];
		seen |= 1U << columns[i];
	}
	apply_guest(self, ticks, &seen);
	update(processor, ticks, seen);
	return true;
}

/* Lines of CPUs come first; all others are left alone, above all "intr", which
 * may have thousands of numbers. */
static bool parse(struct cpu *self, const char *text)
{
	bool found = false;

	for (size_t i = 0; i < self->processors_len; i++)
		self->processors[i].online = false;
	do {
		if (parse_line(self, text))
			found = true;
	} while (strncmp(text, "cpu", 3) == 0 && mc_scan_line(&text));
	return found;
}

static void forget(struct processor *processor)
{
	for (size_t i = 0; i < SERIES_LEN; i++) {
		mc_release(processor->held[i]);
		processor->held[i] = NULL;
	}
	processor->known = false;
	processor->seen = 0;
}

static struct mc_series *series_of(struct mc_batch *out, struct processor *processor,
				   const char *type, unsigned state)
{
	struct mc_id id = MC_ID(.plugin_instance = processor->name, .type = type,
				.type_instance = state_names[state]);

	if (processor->held[state] == NULL)
		processor->held[state] = mc_hold(mc_series(out, id));
	return processor->held[state];
}

static void report_ticks(struct mc_batch *out, struct processor *processor)
{
	for (unsigned i = 0; i < STATES_LEN; i++)
		if (processor->seen >> i & 1)
			mc_derive(out, series_of(out, processor, "cpu", i),
				  (int64_t)processor->ticks[i]);
}

/* Nothing is reported of a CPU whose ticks stood still. */
static void report_percentages(const struct cpu *self, struct mc_batch *out,
			       struct processor *processor)
{
	const double *rates = processor->rates;
	double sum = 0;

	for (unsigned i = 0; i < STATES_LEN; i++)
		if (processor->seen >> i & 1)
			sum += rates[i];
	if (sum <= 0)
		return;
	if (!self->by_state) {
		mc_gauge(out, series_of(out, processor, "percent", ACTIVE),
			 100 * (sum - rates[IDLE]) / sum);
		return;
	}
	for (unsigned i = 0; i < STATES_LEN; i++)
		if (processor->seen >> i & 1)
			mc_gauge(out, series_of(out, processor, "percent", i),
				 100 * rates[i] / sum);
}

static void report_sum(struct cpu *self, struct mc_batch *out)
{
	struct processor *all = &self->all;

	memset(all->rates, 0, sizeof(all->rates));
	all->seen = 0;
	for (size_t n = 0; n < self->processors_len; n++) {
		const struct processor *processor = &self->processors[n];

		if (!processor->known) /* Nor is one that is offline. */
			continue;
		all->seen |= processor->seen;
		for (size_t i = 0; i < STATES_LEN; i++)
			all->rates[i] += processor->rates[i];
	}
	report_percentages(self, out, all);
}

static void report_each(struct cpu *self, struct mc_batch *out)
{
	bool ticks = self->by_state && !self->percentage;

	for (size_t n = 0; n < self->processors_len; n++) {
		struct processor *processor = &self->processors[n];

		if (!processor->online)
			continue;
		if (ticks)
			report_ticks(out, processor);
		else if (processor->known)
			report_percentages(self, out, processor);
	}
}

/* As in collectd, all CPUs up to the last one that is online. */
static size_t count_processors(const struct cpu *self)
{
	size_t count = self->processors_len;

	while (count > 0 && !self->processors[count - 1].online)
		count--;
	return count;
}

static int cpu_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct cpu *self = ctx->self;
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/stat", &text);

	if (size < 0)
		return (int)size;
	if (!parse(self, text))
		return mc_fail(ctx, 0, "no CPU in '/proc/stat'");
	for (size_t n = 0; n < self->processors_len; n++)
		if (!self->processors[n].online)
			forget(&self->processors[n]);
	if (self->count)
		mc_put_gauge(out, (double)count_processors(self), .type = "count");
	if (self->by_cpu)
		report_each(self, out);
	else
		report_sum(self, out);
	return 0;
}

static void cpu_stop(struct mc_ctx *ctx)
{
	struct cpu *self = ctx->self;

	for (size_t n = 0; n < self->processors_len; n++)
		forget(&self->processors[n]);
	forget(&self->all);
	free(self->processors);
}

static const struct mc_option options[] = {
	{ .name = "ReportByCpu",
	  MC_OPT_BOOL(struct cpu, by_cpu),
	  .default_value = "true",
	  .help = "Reports each CPU; otherwise the sum of all CPUs in "
		  "percent." },
	{ .name = "ReportByState",
	  MC_OPT_BOOL(struct cpu, by_state),
	  .default_value = "true",
	  .help = "Reports each state; otherwise all states but idle as "
		  "active." },
	{ .name = "ValuesPercentage",
	  MC_OPT_BOOL(struct cpu, percentage),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports each CPU and state in percent, not in ticks." },
	{ .name = "ReportNumCpu",
	  MC_OPT_BOOL(struct cpu, count),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports the number of CPUs." },
	{ .name = "ReportGuestState",
	  MC_OPT_BOOL(struct cpu, guest),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports the time spent running virtual machines." },
	{ .name = "SubtractGuestState",
	  MC_OPT_BOOL(struct cpu, subtract_guest),
	  .default_value = "true",
	  .help = "Subtracts the guest states, if reported, from user and "
		  "nice." },
	{ 0 }
};

MC_PLUGIN(cpu) = {
	MC_NAMED(cpu),
	.help = "Reads the time that CPUs spend in each state.",
	.self_size = sizeof(struct cpu),
	.options = options,
	.types = (const char *const[]){ "cpu", "percent", "count", NULL },
	.read = cpu_read,
	.stop = cpu_stop,
};
