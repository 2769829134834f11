/* SPDX-License-Identifier: MIT */
/* turbostat: how busy processors are, how deep they sleep, how warm they are and what they draw, by
 * their registers (collectd.conf(5), "Plugin turbostat"; msr(4)). */
#include <collector/check.h>
#include <collector/plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model.h"
#include "processors.h"

#define LIMIT_GUESSED 100  /* Degrees Celsius; most processors have that. */
#define CPUINFO_SIZE 16384 /* The first processor has some 2 KiB. */
#define NAME_SIZE 48

enum choice { CHOICE_AUTO, CHOICE_TRUE, CHOICE_FALSE };

struct turbostat {
	int64_t core_states, package_states, rapl, limit; /* -1, of the limit 0: not given. */
	int interrupts, core_thermal, package_thermal;    /* enum choice */
	bool logical_names;
	const char *affinity;

	struct model model;
	bool knows_model, has_told;
	struct processors processors;
	mc_time last; /* When registers were read. */
};

/* --- What is read ---------------------------------------------------------------------------- */

static void leave_out(struct model *model, int64_t mask, unsigned bit, enum model_register what)
{
	if (mask >= 0 && (mask >> bit & 1) == 0)
		model->numbers[what] = 0;
}

static void choose_registers(struct turbostat *self)
{
	static const struct {
		unsigned bit;
		enum model_register what;
	} core[] = { { 3, MODEL_C3 }, { 6, MODEL_C6 }, { 7, MODEL_C7 } },
	  package[] = { { 2, MODEL_PC2 }, { 3, MODEL_PC3 }, { 6, MODEL_PC6 },  { 7, MODEL_PC7 },
			{ 8, MODEL_PC8 }, { 9, MODEL_PC9 }, { 10, MODEL_PC10 } },
	  rapl[] = { { 0, MODEL_ENERGY_PACKAGE },
		     { 0, MODEL_POWER_INFO },
		     { 1, MODEL_ENERGY_DRAM },
		     { 2, MODEL_ENERGY_CORES },
		     { 3, MODEL_ENERGY_GFX } };

	for (unsigned i = 0; i < sizeof(core) / sizeof(core[0]); i++)
		leave_out(&self->model, self->core_states, core[i].bit, core[i].what);
	for (unsigned i = 0; i < sizeof(package) / sizeof(package[0]); i++)
		leave_out(&self->model, self->package_states, package[i].bit, package[i].what);
	for (unsigned i = 0; i < sizeof(rapl) / sizeof(rapl[0]); i++)
		leave_out(&self->model, self->rapl, rapl[i].bit, rapl[i].what);
	if (self->interrupts == CHOICE_FALSE)
		self->model.numbers[MODEL_SMI] = 0;
	if (self->core_thermal == CHOICE_FALSE)
		self->model.numbers[MODEL_THERMAL] = 0;
	if (self->package_thermal == CHOICE_FALSE)
		self->model.numbers[MODEL_PACKAGE_THERMAL] = 0;
}

/* The file lists all processors; the first one is enough. */
static int find_model(struct turbostat *self, struct mc_ctx *ctx)
{
	char path[1024], text[CPUINFO_SIZE];
	ssize_t size;
	int fd;

	if (self->knows_model)
		return 0;
	fd = open(mc_path(ctx, "/proc/cpuinfo", path, sizeof(path)), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return mc_fail(ctx, errno, "cannot open '/proc/cpuinfo'");
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size < 0)
		return mc_fail(ctx, errno, "cannot read '/proc/cpuinfo'");
	text[size] = '\0';
	if (!model_read(text, &self->model))
		return mc_fail(ctx, 0, "no processor of Intel or AMD");
	choose_registers(self);
	self->knows_model = true;
	return 0;
}

/* --- Values ---------------------------------------------------------------------------------- */

/* How many there were. */
static size_t put(struct mc_batch *out, const char *instance, struct figures *figures)
{
	size_t len = figures->len;

	for (size_t i = 0; i < figures->len; i++) {
		const struct figure *figure = &figures->items[i];

		mc_put_gauge(out, figure->value, .plugin_instance = instance, .type = figure->type,
			     .type_instance = figure->instance);
	}
	figures->len = 0;
	return len;
}

static double limit_of(const struct turbostat *self, const struct processor *one)
{
	const struct processor *first = one;
	unsigned limit;

	if (self->limit > 0)
		return (double)self->limit;
	for (size_t i = 0; i < self->processors.len; i++) {
		first = &self->processors.items[i];
		if (first->is_first_of_package && first->package == one->package)
			break;
	}
	limit = figures_limit(&first->now);
	return limit > 0 ? limit : LIMIT_GUESSED;
}

static size_t put_processor(const struct turbostat *self, struct mc_batch *out,
			    const struct processor *one, double seconds)
{
	const struct processor *core = &self->processors.items[one->core_at];
	const struct figures_pair own = { &one->before, &one->now };
	const struct figures_pair of_core = { &core->before, &core->now };
	struct figures figures = { 0 };
	char name[NAME_SIZE];
	size_t len;

	snprintf(name, sizeof(name), "cpu%02u", one->number);
	figures_of_processor(&figures, own, of_core, seconds);
	len = put(out, name, &figures);
	if (one->is_first_of_core) {
		if (!self->logical_names && self->processors.packages > 1)
			snprintf(name, sizeof(name), "pkg%02u-core%02u", one->package, one->core);
		else if (!self->logical_names)
			snprintf(name, sizeof(name), "core%02u", one->core);
		figures_of_core(&figures, own, limit_of(self, one));
		len += put(out, name, &figures);
	}
	if (one->is_first_of_package) {
		snprintf(name, sizeof(name), "pkg%02u", one->package);
		figures_of_package(&figures, &self->model, own, limit_of(self, one), seconds);
		len += put(out, name, &figures);
	}
	return len;
}

/* --- Reads ------------------------------------------------------------------------------------ */

/* Logs once which figures the processor lacks. */
static void tell(struct turbostat *self, struct mc_ctx *ctx)
{
	const struct figures_snapshot *first = &self->processors.items[0].now;

	if (self->has_told)
		return;
	self->has_told = true;
	if (self->model.is_amd)
		mc_log(ctx, MC_NOTE,
		       "processors of AMD have no registers for C-states but C0, temperatures and "
		       "interrupts of system management");
	if ((first->has >> MODEL_MPERF & first->has >> MODEL_APERF & 1) == 0)
		mc_log(ctx, MC_NOTE, "no registers APERF and MPERF: no frequencies, no C0 and C1");
	if (self->limit == 0 && (first->has >> MODEL_THERMAL & 1) != 0 && figures_limit(first) == 0)
		mc_log(ctx, MC_NOTE,
		       "no register with the limit of temperatures: taken for %d degrees, unless "
		       "TCCActivationTemp has another",
		       LIMIT_GUESSED);
}

static int fail(struct mc_ctx *ctx, int rc)
{
	if (rc == -ENOENT || rc == -ENXIO)
		return mc_fail(ctx, 0,
			       "no '/dev/cpu/0/msr': the kernel has not loaded its module msr, or "
			       "this machine has no registers to read");
	if (rc == -EACCES || rc == -EPERM)
		return mc_fail(
			ctx, -rc,
			"cannot open '/dev/cpu/0/msr', which needs CAP_SYS_RAWIO and the right "
			"to read the file");
	return mc_fail(ctx, -rc, "cannot read '/dev/cpu/0/msr'");
}

/* Those that go away meanwhile are no failure. */
static int read_registers(struct turbostat *self, struct mc_ctx *ctx)
{
	struct processors *processors = &self->processors;
	bool has_some = false;
	int failed = 0;

	for (size_t i = 0; i < processors->len; i++) {
		struct processor *one = &processors->items[i];
		int rc = processors_read(processors, ctx, one, self->model.numbers);

		if (rc != 0 && failed == 0)
			failed = rc;
		else if (rc == 0 && one->now.has != 0)
			has_some = true;
		if (i == 0 && (rc == -EACCES || rc == -EPERM))
			break; /* No other will do. */
	}
	if (has_some && (failed == -ENOENT || failed == -ENXIO))
		failed = 0;
	if (failed == 0 && !has_some)
		return mc_fail(ctx, 0, "no register can be read from '/dev/cpu/0/msr'");
	return failed != 0 ? fail(ctx, failed) : 0;
}

static int turbostat_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct turbostat *self = ctx->self;
	mc_time before = self->last;
	int rc = find_model(self, ctx);
	size_t asked = 0, len = 0;
	double seconds;

	if (rc == 0)
		rc = processors_find(&self->processors, ctx);
	if (rc != 0)
		return rc;
	self->last = mc_now();
	rc = read_registers(self, ctx);
	if (rc == 0)
		tell(self, ctx);
	seconds = (double)(self->last - before) / MC_SECOND;
	if (before == 0 || seconds <= 0)
		return rc;
	for (size_t i = 0; i < self->processors.len; i++)
		if (self->processors.items[i].has_before) {
			asked++;
			len += put_processor(self, out, &self->processors.items[i], seconds);
		}
	if (rc == 0 && asked > 0 && len == 0)
		return mc_fail(ctx, 0, "the registers of the processors stand still");
	return rc;
}

/* --- Options ---------------------------------------------------------------------------------- */

static void turbostat_check(struct mc_ctx *ctx)
{
	struct turbostat *self = ctx->self;

	mc_check_capabilities(ctx, &self->limit, "CAP_SYS_RAWIO");
}

static void turbostat_stop(struct mc_ctx *ctx)
{
	struct turbostat *self = ctx->self;

	processors_done(&self->processors);
}

static const char *const choices[] = { "auto", "true", "false", NULL };

static const struct mc_option options[] = {
	{ .name = "CoreCstates",
	  MC_OPT_INT(struct turbostat, core_states),
	  .default_value = "-1",
	  .min = -1,
	  .max = UINT32_MAX,
	  .help = "C-states of cores that are reported, as a sum: 8 is C3, 64 is C6, 128 is C7; "
		  "-1: those that the processor has." },
	{ .name = "PackageCstates",
	  MC_OPT_INT(struct turbostat, package_states),
	  .default_value = "-1",
	  .min = -1,
	  .max = UINT32_MAX,
	  .help = "C-states of packages, as a sum: 4 is PC2, 8 is PC3, 64 is PC6, and so on to "
		  "1024, PC10; -1: those that the processor has." },
	{ .name = "SystemManagementInterrupt",
	  MC_OPT_WORD(struct turbostat, interrupts),
	  .words = choices,
	  .default_value = "auto",
	  .help = "Reports how many interrupts of system management came in the interval." },
	{ .name = "DigitalTemperatureSensor",
	  MC_OPT_WORD(struct turbostat, core_thermal),
	  .words = choices,
	  .default_value = "auto",
	  .help = "Reports the temperature of each core." },
	{ .name = "PackageThermalManagement",
	  MC_OPT_WORD(struct turbostat, package_thermal),
	  .words = choices,
	  .default_value = "auto",
	  .help = "Reports the temperature of each package." },
	{ .name = "TCCActivationTemp",
	  MC_OPT_INT(struct turbostat, limit),
	  .default_value = "0",
	  .min = 0,
	  .max = 255,
	  .help = "Temperature at which the processor slows itself down, in degrees Celsius; 0: as "
		  "the processor says." },
	{ .name = "RunningAveragePowerLimit",
	  MC_OPT_INT(struct turbostat, rapl),
	  .default_value = "-1",
	  .min = -1,
	  .max = UINT32_MAX,
	  .help = "Parts whose power is reported, as a sum: 1 is the package, 2 memory, 4 cores, 8 "
		  "graphics; -1: those that the processor has." },
	{ .name = "LogicalCoreNames",
	  MC_OPT_BOOL(struct turbostat, logical_names),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports a core by the number of its first processor, as cpuNN." },
	{ .name = "RestoreAffinityPolicy",
	  MC_OPT_STRING(struct turbostat, affinity),
	  .no_effect = true,
	  .help = "For collectd; the collector does not move to other processors.",
	  .sample = "Restore" },
	{ 0 }
};

MC_PLUGIN(turbostat) = {
	MC_NAMED(turbostat),
	.help = "Reads what processors say of their frequency, C-states, temperature and power.",
	.self_size = sizeof(struct turbostat),
	.options = options,
	.types = (const char *const[]){ "count", "frequency", "gauge", "percent", "power",
					"pstates_enabled", "tdp", "temperature", "turbo_enabled",
					"uncore_ratio", NULL },
	.check = turbostat_check,
	.read = turbostat_read,
	.stop = turbostat_stop,
	.lenient = true,
};
