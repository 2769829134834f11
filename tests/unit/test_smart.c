/* SPDX-License-Identifier: MIT */
/* Answers of disks: attributes and thresholds of ATA, the health of NVMe, SCSI's sense data. */
#include "attributes.h"
#include "device.h"
#include "health.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Attributes as a disk for computers has them: number, flags, current, worst, six bytes. */
static const uint8_t rows[][12] = {
	{ 1, 0x0f, 0, 117, 99, 0x38, 0x6d, 0xdd, 0x08 },
	{ 3, 0x03, 0, 97, 97, 0x10, 0x02 },
	{ 5, 0x33, 0, 100, 100, 8 },
	{ 9, 0x32, 0, 71, 71, 0x9a, 0x64, 0, 0, 0x55, 0x12 }, /* 25754 h, and something else. */
	{ 12, 0x32, 0, 100, 100, 0x51 },
	{ 190, 0x22, 0, 64, 56, 36, 0, 0x28, 0x1b },
	{ 194, 0x22, 0, 36, 44, 36, 0, 0, 0, 0x12 },
	{ 197, 0x12, 0, 100, 100, 16 },
	{ 198, 0x10, 0, 100, 100, 0xff, 0xff, 0xff, 0xff },
	{ 232, 0x33, 0, 10, 10 },
	{ 241, 0x32, 0, 100, 100, 100 },
	{ 254, 0x32, 0, 254, 1, 1 }, /* Its current value is invalid. */
	{ 160, 0x32, 0, 100, 100, 7 },
};

static const uint8_t limits[][2] = { { 1, 6 }, { 5, 10 }, { 9, 0 }, { 232, 10 }, { 197, 0xfe } };

static void make_answers(uint8_t *data, uint8_t *thresholds)
{
	memset(data, 0, ATTRIBUTES_SIZE);
	memset(thresholds, 0, ATTRIBUTES_SIZE);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		memcpy(data + 2 + 12 * i, rows[i], sizeof(rows[i]));
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		memcpy(thresholds + 2 + 12 * i, limits[i], sizeof(limits[i]));
}

static const struct attribute *find(const struct attributes *attributes, const char *name)
{
	for (size_t i = 0; i < attributes->len; i++)
		if (strcmp(attributes->items[i].name, name) == 0)
			return &attributes->items[i];
	fail_msg("no attribute '%s'", name);
	return NULL;
}

static void expect(const struct attributes *attributes, const char *name, double reading)
{
	assert_true(find(attributes, name)->reading == reading);
}

static void test_attributes(void **state)
{
	uint8_t data[ATTRIBUTES_SIZE], thresholds[ATTRIBUTES_SIZE];
	struct attributes found;

	(void)state;
	make_answers(data, thresholds);
	attributes_parse(data, thresholds, 1000000, &found);
	assert_int_equal(found.len, sizeof(rows) / sizeof(rows[0]) - 1);
	expect(&found, "raw-read-error-rate", 0x08dd6d38);
	expect(&found, "spin-up-time", 0x210);
	expect(&found, "reallocated-sector-count", 8);
	expect(&found, "power-on-hours", 25754 * 3600000.);
	expect(&found, "airflow-temperature-celsius", 36 * 1000 + 273150);
	expect(&found, "offline-uncorrectable", 0);
	expect(&found, "endurance-remaining", 10);
	expect(&found, "total-lbas-written", 3355);
	expect(&found, "attribute-160", 0);
	assert_int_equal(find(&found, "raw-read-error-rate")->current, 117);
	assert_int_equal(find(&found, "raw-read-error-rate")->worst, 99);
	assert_int_equal(find(&found, "raw-read-error-rate")->threshold, 6);
	assert_int_equal(find(&found, "current-pending-sector")->threshold, 0);
	assert_false(attributes_failing(find(&found, "raw-read-error-rate")));
	assert_false(attributes_failing(find(&found, "power-on-hours")));
	assert_true(attributes_failing(find(&found, "endurance-remaining")));
	assert_true(found.power_on == 25754 * 3600.);
	assert_true(found.power_cycles == 0x51);
	assert_true(found.bad_sectors == 24);
	assert_true(found.temperature == 36);
}

static void test_unknown(void **state)
{
	uint8_t data[ATTRIBUTES_SIZE] = { 0 };
	struct attributes found;

	(void)state;
	attributes_parse(data, NULL, 0, &found);
	assert_int_equal(found.len, 0);
	assert_true(isnan(found.power_on) && isnan(found.power_cycles));
	assert_true(isnan(found.bad_sectors) && isnan(found.temperature));
	data[2] = 194;
	data[7] = 101; /* Degrees: nonsense. */
	data[14] = 5;
	data[17] = data[18] = 100;
	data[19] = 100;
	attributes_parse(data, NULL, 99, &found);
	assert_true(isnan(found.temperature));
	assert_true(found.bad_sectors == 0); /* More than the disk has. */
	assert_int_equal(found.items[0].threshold, 0);
}

static double health_of(const struct health *health, const char *type, const char *instance)
{
	for (size_t i = 0; i < health->len; i++) {
		const struct health_value *value = &health->values[i];

		if (strcmp(value->type, type) == 0 &&
		    (instance == NULL || strcmp(value->instance, instance) == 0))
			return value->number;
	}
	return NAN;
}

static void test_health(void **state)
{
	uint8_t page[HEALTH_SIZE] = {
		[0] = 4, [1] = 0x3a, [2] = 0x01, [3] = 100, [4] = 10, [5] = 3
	};
	struct health health;

	(void)state;
	page[32] = 0x01;
	page[40] = 0x01; /* 2^64 */
	page[112] = 0x10;
	page[113] = 0x02;
	page[192] = 5;
	page[202] = 0x40;
	page[203] = 0x01;
	page[220] = 6;
	page[224] = 7;
	health_parse(page, &health);
	assert_int_equal(health.len, 8 + 1 + 14);
	assert_true(health_of(&health, "nvme_critical_warning", NULL) == 4);
	assert_true(health_of(&health, "nvme_temperature", NULL) == 0x13a - 273);
	assert_true(health_of(&health, "nvme_avail_spare", NULL) == 100);
	assert_true(health_of(&health, "nvme_avail_spare_thresh", NULL) == 10);
	assert_true(health_of(&health, "nvme_percent_used", NULL) == 3);
	assert_true(health_of(&health, "nvme_data_units_read", NULL) == 18446744073709551617.);
	assert_true(health_of(&health, "nvme_power_cycles", NULL) == 0x210);
	assert_true(health_of(&health, "nvme_warning_temp_time", NULL) == 5);
	assert_true(health_of(&health, "nvme_temp_sensor", "sensor_2") == 0x140 - 273);
	assert_true(health_of(&health, "nvme_thermal_mgmt_temp2_transition_count", NULL) == 6);
	assert_true(health_of(&health, "nvme_thermal_mgmt_temp1_total_time", NULL) == 7);
}

static void test_sense(void **state)
{
	uint8_t descriptor[22] = {
		0x72, 1, 0, 0x1d, 0, 0, 0, 14, 9, 12, 0, 0, 0, 0xff, [21] = 0x50
	};
	uint8_t fixed[8] = { 0x70, 0, 1, 0, 0x50, 0, 0x80, 10 };
	uint8_t count = 7;

	(void)state;
	assert_true(device_sense_count(descriptor, sizeof(descriptor), &count));
	assert_int_equal(count, 0xff);
	assert_true(device_sense_count(fixed, sizeof(fixed), &count));
	assert_int_equal(count, 0x80);
	assert_false(device_sense_count(descriptor, sizeof(descriptor) - 1, &count));
	assert_false(device_sense_count(fixed, sizeof(fixed) - 1, &count));
	descriptor[21] = 0x51;
	fixed[4] = 0x51;
	assert_false(device_sense_count(descriptor, sizeof(descriptor), &count));
	assert_false(device_sense_count(fixed, sizeof(fixed), &count));
	assert_int_equal(count, 0x80);
}

static void test_no_disk(void **state)
{
	uint8_t page[HEALTH_SIZE];
	struct device_ata answer;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(device_ask_ata(fd, true, &answer), -EOPNOTSUPP);
	assert_int_equal(device_ask_nvme(fd, page), -EOPNOTSUPP);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attributes), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_health),     cmocka_unit_test(test_sense),
		cmocka_unit_test(test_no_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
