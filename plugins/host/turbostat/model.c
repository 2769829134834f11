/* SPDX-License-Identifier: MIT */
/* Whether a register is there is known by reading it.  A list of models is only used where the same
 * number is another register, or another unit, in some of them. */
#include "model.h"

#include <collector/scan.h>

#include <string.h>

static const uint32_t intel[MODEL_REGISTERS] = {
	[MODEL_TSC] = 0x10,
	[MODEL_MPERF] = 0xe7,
	[MODEL_APERF] = 0xe8,
	[MODEL_SMI] = 0x34,
	[MODEL_C3] = 0x3fc,
	[MODEL_C6] = 0x3fd,
	[MODEL_C7] = 0x3fe,
	[MODEL_THERMAL] = 0x19c,
	[MODEL_PC2] = 0x60d,
	[MODEL_PC3] = 0x3f8,
	[MODEL_PC6] = 0x3f9,
	[MODEL_PC7] = 0x3fa,
	[MODEL_PC8] = 0x630,
	[MODEL_PC9] = 0x631,
	[MODEL_PC10] = 0x632,
	[MODEL_PACKAGE_THERMAL] = 0x1b1,
	[MODEL_TEMPERATURE_TARGET] = 0x1a2,
	[MODEL_ENERGY_UNIT] = 0x606,
	[MODEL_ENERGY_PACKAGE] = 0x611,
	[MODEL_ENERGY_DRAM] = 0x619,
	[MODEL_ENERGY_CORES] = 0x639,
	[MODEL_ENERGY_GFX] = 0x641,
	[MODEL_POWER_INFO] = 0x614,
	[MODEL_MISC_ENABLE] = 0x1a0,
	[MODEL_UNCORE] = 0x621,
};

static const uint32_t amd[MODEL_REGISTERS] = {
	[MODEL_TSC] = 0x10,
	[MODEL_MPERF] = 0xe7,
	[MODEL_APERF] = 0xe8,
	[MODEL_ENERGY_UNIT] = 0xc0010299,
	[MODEL_ENERGY_PACKAGE] = 0xc001029b,
};

/* The rest of the line that begins with 'key', such as "model", after ": "; NULL without one. */
static const char *find_value(const char *text, const char *key)
{
	do {
		const char *at = text;

		if (mc_scan_text(&at, key)) {
			at = mc_scan_blanks(at);
			if (*at == ':')
				return mc_scan_blanks(at + 1);
		}
	} while (mc_scan_line(&text));
	return NULL;
}

static uint64_t find_number(const char *text, const char *key)
{
	const char *at = find_value(text, key);
	uint64_t number;

	return at != NULL && mc_scan_u64(&at, &number) ? number : 0;
}

static bool is_one_of(uint64_t model, const uint8_t *models)
{
	while (*models != 0 && *models != model)
		models++;
	return *models != 0;
}

/* Models of family 6. */
static void correct(uint64_t number, struct model *model)
{
	/* Silvermont and Airmont: microjoules, and the package's C6 in the place of C7. */
	static const uint8_t silvermont[] = { 0x37, 0x4a, 0x4c, 0x4d, 0x5a, 0 };
	static const uint8_t microjoules[] = { 0x37, 0x4a, 0x4c, 0x5a, 0 };
	/* Xeon Phi: the core's C6 has a number of its own. */
	static const uint8_t phi[] = { 0x57, 0x85, 0 };
	/* Servers, from Haswell on: memory counts parts of 2^16, whatever the unit says. */
	static const uint8_t servers[] = { 0x3f, 0x4f, 0x56, 0x55, 0x57, 0x85, 0x6a,
					   0x6c, 0x8f, 0xcf, 0xad, 0xae, 0 };

	if (is_one_of(number, silvermont)) {
		model->numbers[MODEL_PC6] = 0x3fa;
		model->numbers[MODEL_PC7] = model->numbers[MODEL_PC3] = 0;
		model->numbers[MODEL_C3] = model->numbers[MODEL_C7] = 0;
	}
	model->counts_microjoules = is_one_of(number, microjoules);
	if (is_one_of(number, phi)) {
		model->numbers[MODEL_C6] = 0x3ff;
		model->numbers[MODEL_C3] = model->numbers[MODEL_C7] = 0;
	}
	if (is_one_of(number, servers))
		model->dram_unit = 1.0 / (1 << 16);
}

bool model_read(const char *cpuinfo, struct model *model)
{
	const char *vendor = find_value(cpuinfo, "vendor_id");
	struct model found = { 0 };

	if (vendor == NULL)
		return false;
	found.is_intel = strncmp(vendor, "GenuineIntel", 12) == 0;
	found.is_amd = strncmp(vendor, "AuthenticAMD", 12) == 0 ||
		       strncmp(vendor, "HygonGenuine", 12) == 0;
	if (!found.is_intel && !found.is_amd)
		return false;
	memcpy(found.numbers, found.is_intel ? intel : amd, sizeof(found.numbers));
	if (found.is_intel && find_number(cpuinfo, "cpu family") == 6)
		correct(find_number(cpuinfo, "model"), &found);
	*model = found;
	return true;
}
