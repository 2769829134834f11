/* SPDX-License-Identifier: MIT */
#include "figures.h"

#define READING_VALID (UINT64_C(1) << 31)

static void add(struct figures *figures, const char *type, const char *instance, double value)
{
	if (figures->len < FIGURES_MAX)
		figures->items[figures->len++] = (struct figure){ type, instance, value };
}

static bool has(const struct figures_snapshot *snapshot, enum model_register what)
{
	return (snapshot->has >> what & 1) != 0;
}

/* How much a counter of 64 bits has grown; false if it is not there, or has begun anew, as it does
 * where a processor was away. */
static bool grown(struct figures_pair pair, enum model_register what, uint64_t *growth)
{
	if (!has(pair.before, what) || !has(pair.now, what) ||
	    pair.now->values[what] < pair.before->values[what])
		return false;
	*growth = pair.now->values[what] - pair.before->values[what];
	return true;
}

/* The same of one that has 32 bits, and begins anew after the last of them. */
static bool grown32(struct figures_pair pair, enum model_register what, uint32_t *growth)
{
	if (!has(pair.before, what) || !has(pair.now, what))
		return false;
	*growth = (uint32_t)pair.now->values[what] - (uint32_t)pair.before->values[what];
	return true;
}

/* Whether the processor counts its states: virtual machines may have registers that are 0. */
static bool counts_states(const struct figures_snapshot *snapshot)
{
	return !has(snapshot, MODEL_MPERF) || snapshot->values[MODEL_MPERF] != 0;
}

static void add_share(struct figures *figures, struct figures_pair pair, enum model_register what,
		      const char *name)
{
	uint64_t growth, clock;

	if (counts_states(pair.now) && grown(pair, what, &growth) &&
	    grown(pair, MODEL_TSC, &clock) && clock > 0)
		add(figures, "percent", name, 100. * (double)growth / (double)clock);
}

/* C1 is what is left of the time: no register counts it. */
static double rest(struct figures_pair core, uint64_t clock, uint64_t busy)
{
	static const enum model_register deeper[] = { MODEL_C3, MODEL_C6, MODEL_C7 };
	uint64_t growth, sum = busy;

	for (unsigned i = 0; i < sizeof(deeper) / sizeof(deeper[0]); i++)
		if (grown(core, deeper[i], &growth))
			sum += growth;
	/* Registers are read one after the other, so the sum may be a little more. */
	return sum < clock ? (double)(clock - sum) : 0;
}

void figures_of_processor(struct figures *figures, struct figures_pair own,
			  struct figures_pair core, double seconds)
{
	uint64_t clock, actual, busy;
	uint32_t interrupts;

	if (!grown(own, MODEL_TSC, &clock) || clock == 0)
		return;
	if (counts_states(own.now) && grown(own, MODEL_MPERF, &busy) &&
	    grown(own, MODEL_APERF, &actual)) {
		add(figures, "percent", "c0", 100. * (double)busy / (double)clock);
		add(figures, "percent", "c1", 100. * rest(core, clock, busy) / (double)clock);
		add(figures, "frequency", "average", (double)actual / 1e6 / seconds);
		if (busy > 0)
			add(figures, "frequency", "busy",
			    (double)clock / 1e6 * (double)actual / (double)busy / seconds);
	}
	add(figures, "gauge", "TSC", (double)clock / 1e6 / seconds);
	if (grown32(own, MODEL_SMI, &interrupts))
		add(figures, "count", NULL, interrupts);
}

/* Both registers have the distance from the limit. */
static double temperature(uint64_t value, double limit)
{
	return limit - (double)(value >> 16 & 0x7f);
}

void figures_of_core(struct figures *figures, struct figures_pair first, double limit)
{
	add_share(figures, first, MODEL_C3, "c3");
	add_share(figures, first, MODEL_C6, "c6");
	add_share(figures, first, MODEL_C7, "c7");
	if (has(first.now, MODEL_THERMAL) &&
	    (first.now->values[MODEL_THERMAL] & READING_VALID) != 0)
		add(figures, "temperature", NULL,
		    temperature(first.now->values[MODEL_THERMAL], limit));
}

static void add_power(struct figures *figures, struct figures_pair first, const char *name,
		      enum model_register what, double joules)
{
	uint32_t growth;

	if (grown32(first, what, &growth))
		add(figures, "power", name, growth * joules);
}

/* Energies are watts if the units are those of a second. */
static void add_powers(struct figures *figures, const struct model *model,
		       struct figures_pair first, double seconds)
{
	uint64_t units = first.now->values[MODEL_ENERGY_UNIT];
	double joules = (double)(1U << (units >> 8 & 0x1f));

	/* Virtual machines have a unit of 0, and energies that stand still. */
	if (!has(first.now, MODEL_ENERGY_UNIT) || units == 0)
		return;
	joules = model->counts_microjoules ? joules / 1e6 : 1 / joules;
	add_power(figures, first, "pkg", MODEL_ENERGY_PACKAGE, joules / seconds);
	if (has(first.now, MODEL_POWER_INFO))
		add(figures, "tdp", "pkg",
		    (double)(first.now->values[MODEL_POWER_INFO] & 0x7fff) / (1U << (units & 0xf)));
	add_power(figures, first, "cores", MODEL_ENERGY_CORES, joules / seconds);
	add_power(figures, first, "GFX", MODEL_ENERGY_GFX, joules / seconds);
	add_power(figures, first, "DRAM", MODEL_ENERGY_DRAM,
		  (model->dram_unit > 0 ? model->dram_unit : joules) / seconds);
}

void figures_of_package(struct figures *figures, const struct model *model,
			struct figures_pair first, double limit, double seconds)
{
	static const struct {
		enum model_register what;
		const char *name;
	} states[] = { { MODEL_PC2, "pc2" },  { MODEL_PC3, "pc3" }, { MODEL_PC6, "pc6" },
		       { MODEL_PC7, "pc7" },  { MODEL_PC8, "pc8" }, { MODEL_PC9, "pc9" },
		       { MODEL_PC10, "pc10" } };
	const uint64_t *values = first.now->values;

	if (has(first.now, MODEL_PACKAGE_THERMAL) && values[MODEL_PACKAGE_THERMAL] != 0)
		add(figures, "temperature", NULL,
		    temperature(values[MODEL_PACKAGE_THERMAL], limit));
	for (unsigned i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		add_share(figures, first, states[i].what, states[i].name);
	add_powers(figures, model, first, seconds);
	if (has(first.now, MODEL_MISC_ENABLE) && values[MODEL_MISC_ENABLE] != 0) {
		add(figures, "turbo_enabled", NULL, (values[MODEL_MISC_ENABLE] >> 38 & 1) == 0);
		add(figures, "pstates_enabled", NULL, values[MODEL_MISC_ENABLE] >> 16 & 1);
	}
	if (has(first.now, MODEL_UNCORE) && values[MODEL_UNCORE] != 0)
		add(figures, "uncore_ratio", NULL, values[MODEL_UNCORE] & 0x1f);
	if (has(first.now, MODEL_PACKAGE_THERMAL) || has(first.now, MODEL_THERMAL))
		add(figures, "temperature", "tcc_activation", limit);
}

unsigned figures_limit(const struct figures_snapshot *snapshot)
{
	return has(snapshot, MODEL_TEMPERATURE_TARGET)
		       ? snapshot->values[MODEL_TEMPERATURE_TARGET] >> 16 & 0xff
		       : 0;
}
