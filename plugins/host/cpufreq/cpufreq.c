/* SPDX-License-Identifier: MIT */
/* cpufreq: how fast each CPU runs, from /sys/devices/system/cpu/cpuN/cpufreq
 * (Documentation/admin-guide/pm/cpufreq.rst, Documentation/cpu-freq/ cpufreq-stats.rst).
 *
 * Some drivers also count transitions, and the time spent at each frequency.  Files that a CPU does
 * not have are left out: few virtual machines have any of it.
 */
#include <collector/kit/alloc.h>
#include <collector/kit/read_number.h>
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <collector/scan.h>

#define FOLDER "/sys/devices/system/cpu"
#define CPUS_MAX 8192 /* NR_CPUS of the largest kernels. */
#define STATES_MAX 128

struct state {
	uint64_t frequency; /* kHz. */
	uint64_t ticks;     /* Of 10 ms, spent at it since boot. */
};

struct processor {
	bool online;
	struct state *states; /* As of the last read; NULL: never. */
	size_t states_len;
};

struct cpufreq {
	struct processor *processors; /* By number. */
	size_t processors_len;
	bool none; /* No CPU has a frequency, which was logged. */
};

static void forget(struct processor *processor)
{
	free(processor->states);
	*processor = (struct processor){ 0 };
}

static bool parse_online(struct cpufreq *self, const char *text)
{
	uint64_t first, last;

	for (size_t i = 0; i < self->processors_len; i++)
		self->processors[i].online = false;
	do {
		if (!mc_scan_range(&text, &first, &last) || last >= CPUS_MAX)
			return false;
		if (last >= self->processors_len) {
			size_t len = self->processors_len;

			self->processors = mc_alloc_resize(self->processors, last + 1,
							   sizeof(*self->processors));
			memset(self->processors + len, 0,
			       (last + 1 - len) * sizeof(*self->processors));
			self->processors_len = last + 1;
		}
		for (; first <= last; first++)
			self->processors[first].online = true;
	} while (mc_scan_text(&text, ","));
	return mc_scan_at_end(text);
}

static int read_online(struct mc_ctx *ctx)
{
	struct cpufreq *self = ctx->self;
	const char *path = FOLDER "/online";
	char *text;
	ssize_t size = mc_read_file(ctx, path, &text);

	if (size < 0)
		return (int)size;
	if (!parse_online(self, text))
		return mc_fail(ctx, 0, "cannot understand '%s'", path);
	for (size_t i = 0; i < self->processors_len; i++)
		if (!self->processors[i].online)
			forget(&self->processors[i]);
	return 0;
}

/* Lines are "FREQUENCY TICKS".  Returns how many, 0 if they are not understood. */
static size_t parse_states(const char *text, struct state states[STATES_MAX])
{
	size_t len = 0;

	do {
		uint64_t row[2];

		if (len == STATES_MAX || mc_scan_row(&text, row, 2) != 2 || row[1] == UINT64_MAX ||
		    strchr(text, '\n') == NULL)
			return 0;
		states[len++] = (struct state){ row[0], row[1] };
	} while (mc_scan_line(&text));
	return len;
}

/* In percent of the time since the last read, which is the sum of all. */
static void put_states(struct mc_batch *out, const char *cpu, const struct processor *processor,
		       const struct state *states)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < processor->states_len; i++) {
		const struct state *last = &processor->states[i];

		if (states[i].frequency != last->frequency || states[i].ticks < last->ticks)
			return; /* Counted anew. */
		sum += states[i].ticks - last->ticks;
	}
	for (size_t i = 0; sum > 0 && i < processor->states_len; i++) {
		uint64_t ticks = states[i].ticks - processor->states[i].ticks;
		char frequency[24];

		snprintf(frequency, sizeof(frequency), "%llu",
			 (unsigned long long)states[i].frequency);
		mc_put_gauge(out, 100 * (double)ticks / (double)sum, .plugin_instance = cpu,
			     .type = "percent", .type_instance = frequency);
	}
}

static int read_states(struct mc_ctx *ctx, struct mc_batch *out, const char *cpu,
		       struct processor *processor)
{
	struct state states[STATES_MAX];
	char path[128], *text;
	ssize_t size;
	size_t len;

	snprintf(path, sizeof(path), FOLDER "/cpu%s/cpufreq/stats/time_in_state", cpu);
	size = mc_read_file(ctx, path, &text);
	if (size < 0)
		return (int)size;
	len = parse_states(text, states);
	if (len == 0)
		return mc_fail(ctx, 0, "cannot understand '%s'", path);
	if (len == processor->states_len)
		put_states(out, cpu, processor, states);
	processor->states = mc_alloc_resize(processor->states, len, sizeof(*states));
	memcpy(processor->states, states, len * sizeof(*states));
	processor->states_len = len;
	return 0;
}

static int read_stats(struct mc_ctx *ctx, struct mc_batch *out, const char *cpu,
		      struct processor *processor)
{
	char path[128];
	int64_t transitions;
	int failed;

	snprintf(path, sizeof(path), FOLDER "/cpu%s/cpufreq/stats/total_trans", cpu);
	if (processor->states == NULL && !mc_is_there(ctx, path))
		return 0;
	failed = mc_read_number(ctx, path, &transitions);
	if (failed == 0)
		mc_put_derive(out, transitions, .plugin_instance = cpu, .type = "transitions");
	return read_states(ctx, out, cpu, processor) != 0 ? -EINVAL : failed;
}

/* Returns -ENOENT if the CPU has no frequency; another failure is the last one given to
 * mc_fail(). */
static int read_processor(struct mc_ctx *ctx, struct mc_batch *out, unsigned number,
			  struct processor *processor)
{
	char path[128], cpu[16];
	int64_t frequency;
	int failed;

	snprintf(cpu, sizeof(cpu), "%u", number);
	snprintf(path, sizeof(path), FOLDER "/cpu%s/cpufreq/scaling_cur_freq", cpu);
	if (!mc_is_there(ctx, path))
		return -ENOENT;
	failed = mc_read_number(ctx, path, &frequency);
	if (failed == 0)
		mc_put_gauge(out, (double)frequency * 1000, .plugin_instance = cpu,
			     .type = "cpufreq");
	return read_stats(ctx, out, cpu, processor) != 0 ? -EINVAL : failed;
}

static int cpufreq_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct cpufreq *self = ctx->self;
	int failed = read_online(ctx);
	bool none = true;

	if (failed != 0)
		return failed;
	for (size_t i = 0; i < self->processors_len; i++) {
		struct processor *processor = &self->processors[i];
		int status;

		if (!processor->online)
			continue;
		status = read_processor(ctx, out, (unsigned)i, processor);
		if (status == -ENOENT) {
			forget(processor);
			continue;
		}
		none = false;
		if (status != 0)
			failed = status;
	}
	if (none && !self->none)
		mc_log(ctx, MC_NOTE, "no CPU shows its frequency here");
	self->none = none;
	return failed;
}

static void cpufreq_stop(struct mc_ctx *ctx)
{
	struct cpufreq *self = ctx->self;

	for (size_t i = 0; i < self->processors_len; i++)
		forget(&self->processors[i]);
	free(self->processors);
}

MC_PLUGIN(cpufreq) = {
	MC_NAMED(cpufreq),
	.help = "Reads how fast each CPU runs.",
	.self_size = sizeof(struct cpufreq),
	.types = (const char *const[]){ "cpufreq", "transitions", "percent", NULL },
	.read = cpufreq_read,
	.stop = cpufreq_stop,
};
