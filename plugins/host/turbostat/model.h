/* SPDX-License-Identifier: MIT */
/* model: which registers a processor has by what /proc/cpuinfo says (Intel's Software Developer's
 * Manual, volume 4; AMD's Processor Programming Reference; turbostat(8)).  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum model_register {
	/* Of each processor. */
	MODEL_TSC,
	MODEL_APERF,
	MODEL_MPERF,
	MODEL_SMI,
	/* Of a core: read of its first processor. */
	MODEL_C3,
	MODEL_C6,
	MODEL_C7,
	MODEL_THERMAL,
	/* Of a package: read of its first processor. */
	MODEL_PC2,
	MODEL_PC3,
	MODEL_PC6,
	MODEL_PC7,
	MODEL_PC8,
	MODEL_PC9,
	MODEL_PC10,
	MODEL_PACKAGE_THERMAL,
	MODEL_TEMPERATURE_TARGET,
	MODEL_ENERGY_UNIT,
	MODEL_ENERGY_PACKAGE,
	MODEL_ENERGY_DRAM,
	MODEL_ENERGY_CORES,
	MODEL_ENERGY_GFX,
	MODEL_POWER_INFO,
	MODEL_MISC_ENABLE,
	MODEL_UNCORE,
	MODEL_REGISTERS,
};
#define MODEL_FIRST_OF_CORE MODEL_C3
#define MODEL_FIRST_OF_PACKAGE MODEL_PC2

struct model {
	bool is_intel, is_amd;
	uint32_t numbers[MODEL_REGISTERS]; /* Of the registers; 0: it has none. */
	bool counts_microjoules;           /* By powers of two, not by parts of a joule. */
	double dram_unit;                  /* Joules; 0: as the register says. */
};

/* Reads the first processor in the text of /proc/cpuinfo.  False if it is of neither vendor. */
bool model_read(const char *cpuinfo, struct model *model);
