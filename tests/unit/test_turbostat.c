/* SPDX-License-Identifier: MIT */
/* Registers of processors: which ones a model has, and what two snapshots of them say. */
#include "figures.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct model model_of(const char *vendor, const char *number)
{
	char text[200];
	struct model model;

	snprintf(text, sizeof(text),
		 "processor\t: 0\nvendor_id\t: %s\ncpu family\t: 6\nmodel\t\t: %s\n"
		 "model name\t: model : 9\n",
		 vendor, number);
	assert_true(model_read(text, &model));
	return model;
}

static void test_models(void **state)
{
	struct model model = model_of("GenuineIntel", "63");

	(void)state;
	assert_true(model.is_intel && !model.is_amd);
	assert_int_equal(model.numbers[MODEL_C3], 0x3fc);
	assert_true(model.dram_unit == 1.0 / 65536);
	assert_false(model.counts_microjoules);
	model = model_of("GenuineIntel", "158");
	assert_true(model.dram_unit == 0);
	assert_int_equal(model.numbers[MODEL_PC7], 0x3fa);
	model = model_of("GenuineIntel", "55"); /* Silvermont */
	assert_true(model.counts_microjoules);
	assert_int_equal(model.numbers[MODEL_PC6], 0x3fa);
	assert_int_equal(model.numbers[MODEL_PC7], 0);
	model = model_of("GenuineIntel", "87"); /* Xeon Phi */
	assert_int_equal(model.numbers[MODEL_C6], 0x3ff);
	model = model_of("AuthenticAMD", "1");
	assert_true(model.is_amd && !model.is_intel);
	assert_int_equal(model.numbers[MODEL_ENERGY_PACKAGE], 0xc001029b);
	assert_int_equal(model.numbers[MODEL_THERMAL], 0);
}

static void test_no_model(void **state)
{
	struct model model;

	(void)state;
	assert_false(model_read("", &model));
	assert_false(model_read("vendor_id", &model));
	assert_false(model_read("vendor_id\t: CentaurHauls\n", &model));
	assert_false(model_read("processor\t: 0\nBogoMIPS\t: 48.00\n", &model));
}

struct moment {
	struct figures_snapshot before, now;
	struct figures figures;
};

static void set(struct moment *moment, enum model_register what, uint64_t before, uint64_t now)
{
	moment->before.has |= UINT64_C(1) << what;
	moment->now.has |= UINT64_C(1) << what;
	moment->before.values[what] = before;
	moment->now.values[what] = now;
}

static struct figures_pair pair(const struct moment *moment)
{
	return (struct figures_pair){ &moment->before, &moment->now };
}

/* NaN: there is none. */
static double found(const struct moment *moment, const char *type, const char *instance)
{
	for (size_t i = 0; i < moment->figures.len; i++) {
		const struct figure *figure = &moment->figures.items[i];
		const char *its = figure->instance != NULL ? figure->instance : "";

		if (strcmp(figure->type, type) == 0 && strcmp(its, instance) == 0)
			return figure->value;
	}
	return NAN;
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fabs(expected) + 1e-12))
		fail_msg("%.17g instead of %.17g", value, expected);
}

static void test_processor(void **state)
{
	struct moment moment = { 0 };

	(void)state;
	set(&moment, MODEL_TSC, 1000, 20000001000);
	set(&moment, MODEL_MPERF, 50, 5000000050);
	set(&moment, MODEL_APERF, 70, 7500000070);
	set(&moment, MODEL_C6, 0, 12000000000);
	set(&moment, MODEL_SMI, 0xfffffffe, 3); /* It has 32 bits. */
	figures_of_processor(&moment.figures, pair(&moment), pair(&moment), 10);
	assert_near(found(&moment, "percent", "c0"), 25);
	assert_near(found(&moment, "percent", "c1"), 15);
	assert_near(found(&moment, "frequency", "average"), 750);
	assert_near(found(&moment, "frequency", "busy"), 3000);
	assert_near(found(&moment, "gauge", "TSC"), 2000);
	assert_near(found(&moment, "count", ""), 5);
	assert_int_equal(moment.figures.len, 6);
}

static void test_processor_idle_or_torn(void **state)
{
	struct moment moment = { 0 };

	(void)state;
	set(&moment, MODEL_TSC, 0, 1000000);
	set(&moment, MODEL_MPERF, 9, 9); /* Never at work. */
	set(&moment, MODEL_APERF, 9, 9);
	set(&moment, MODEL_C7, 0, 1000100); /* Read a moment later. */
	figures_of_processor(&moment.figures, pair(&moment), pair(&moment), 1);
	assert_near(found(&moment, "percent", "c0"), 0);
	assert_near(found(&moment, "percent", "c1"), 0);
	assert_near(found(&moment, "frequency", "average"), 0);
	assert_true(isnan(found(&moment, "frequency", "busy")));
	moment.figures.len = 0;
	set(&moment, MODEL_APERF, 9, 8); /* Begun anew. */
	figures_of_processor(&moment.figures, pair(&moment), pair(&moment), 1);
	assert_int_equal(moment.figures.len, 1);
	moment.figures.len = 0;
	set(&moment, MODEL_TSC, 5, 4);
	figures_of_processor(&moment.figures, pair(&moment), pair(&moment), 1);
	set(&moment, MODEL_TSC, 5, 5);
	figures_of_processor(&moment.figures, pair(&moment), pair(&moment), 1);
	assert_int_equal(moment.figures.len, 0);
}

static void test_core(void **state)
{
	struct moment moment = { 0 };

	(void)state;
	set(&moment, MODEL_TSC, 0, 1000);
	set(&moment, MODEL_C3, 10, 110);
	set(&moment, MODEL_C6, 10, 9); /* Begun anew. */
	set(&moment, MODEL_C7, 0, 900);
	set(&moment, MODEL_THERMAL, 0, UINT64_C(0x80000000) | 45 << 16 | 3);
	figures_of_core(&moment.figures, pair(&moment), 100);
	assert_near(found(&moment, "percent", "c3"), 10);
	assert_true(isnan(found(&moment, "percent", "c6")));
	assert_near(found(&moment, "percent", "c7"), 90);
	assert_near(found(&moment, "temperature", ""), 55);
	moment.figures.len = 0;
	set(&moment, MODEL_THERMAL, 0, 45 << 16); /* Invalid, as it says. */
	figures_of_core(&moment.figures, pair(&moment), 100);
	assert_true(isnan(found(&moment, "temperature", "")));
}

static void set_power(struct moment *moment)
{
	set(moment, MODEL_ENERGY_UNIT, 0xa0e03, 0xa0e03); /* 2^-14 J, 2^-3 W */
	set(moment, MODEL_ENERGY_PACKAGE, 0xffffc000, 0x64000);
	set(moment, MODEL_ENERGY_CORES, 0, 81920);
	set(moment, MODEL_ENERGY_GFX, 0, 0);
	set(moment, MODEL_ENERGY_DRAM, 0, 655360);
	set(moment, MODEL_POWER_INFO, 0, UINT64_C(0x1234567800000320));
}

static void test_package(void **state)
{
	const struct model server = model_of("GenuineIntel", "85");
	struct moment moment = { 0 };

	(void)state;
	set_power(&moment);
	set(&moment, MODEL_TSC, 0, 1000);
	for (int i = MODEL_PC2; i <= MODEL_PC10; i++)
		set(&moment, (enum model_register)i, 0, (uint64_t)(i - MODEL_PC2 + 1) * 10);
	set(&moment, MODEL_PACKAGE_THERMAL, 0, 30 << 16);
	set(&moment, MODEL_MISC_ENABLE, 0, UINT64_C(1) << 38 | 1 << 16);
	set(&moment, MODEL_UNCORE, 0, 0xf18);
	figures_of_package(&moment.figures, &server, pair(&moment), 95, 2);
	assert_int_equal(moment.figures.len, 17);
	assert_near(found(&moment, "percent", "pc2"), 1);
	assert_near(found(&moment, "percent", "pc10"), 7);
	assert_near(found(&moment, "temperature", ""), 65);
	assert_near(found(&moment, "temperature", "tcc_activation"), 95);
	assert_near(found(&moment, "power", "pkg"), 13); /* (25 + 1 J) / 2 s */
	assert_near(found(&moment, "power", "cores"), 2.5);
	assert_near(found(&moment, "power", "GFX"), 0);
	assert_near(found(&moment, "power", "DRAM"), 5); /* 2^-16 J */
	assert_near(found(&moment, "tdp", "pkg"), 100);
	assert_near(found(&moment, "turbo_enabled", ""), 0);
	assert_near(found(&moment, "pstates_enabled", ""), 1);
	assert_near(found(&moment, "uncore_ratio", ""), 24);
}

static void test_package_units(void **state)
{
	const struct model small = model_of("GenuineIntel", "55");
	const struct model desktop = model_of("GenuineIntel", "158");
	struct moment moment = { 0 };

	(void)state;
	set_power(&moment);
	figures_of_package(&moment.figures, &desktop, pair(&moment), 95, 1);
	assert_near(found(&moment, "power", "DRAM"), 40);
	assert_true(isnan(found(&moment, "temperature", "tcc_activation")));
	moment.figures.len = 0;
	set(&moment, MODEL_ENERGY_UNIT, 0x503, 0x503); /* 2^5 uJ */
	figures_of_package(&moment.figures, &small, pair(&moment), 95, 1);
	assert_near(found(&moment, "power", "cores"), 2.62144);
	moment.figures.len = 0;
	set(&moment, MODEL_ENERGY_UNIT, 0, 0); /* Of a virtual machine. */
	figures_of_package(&moment.figures, &desktop, pair(&moment), 95, 1);
	assert_int_equal(moment.figures.len, 0);
}

static void test_limit(void **state)
{
	struct moment moment = { 0 };

	(void)state;
	assert_int_equal(figures_limit(&moment.now), 0);
	set(&moment, MODEL_TEMPERATURE_TARGET, 0, 0x5640a00);
	assert_int_equal(figures_limit(&moment.now), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_models),        cmocka_unit_test(test_no_model),
		cmocka_unit_test(test_processor),     cmocka_unit_test(test_processor_idle_or_torn),
		cmocka_unit_test(test_core),          cmocka_unit_test(test_package),
		cmocka_unit_test(test_package_units), cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
