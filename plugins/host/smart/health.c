/* SPDX-License-Identifier: MIT */
#include "health.h"

#define ZERO_CELSIUS 273 /* Kelvin, as the specification has it. */
#define SENSORS_FIRST 200
#define SENSORS_LEN 8

enum unit { COUNT, KELVIN };

/* Little endian, in the order of collectd. */
static const struct field {
	const char *type;
	unsigned offset, size;
	enum unit unit;
} before_sensors[] = {
	{ "nvme_critical_warning", 0, 1, COUNT },
	{ "nvme_temperature", 1, 2, KELVIN },
	{ "nvme_avail_spare", 3, 1, COUNT },
	{ "nvme_avail_spare_thresh", 4, 1, COUNT },
	{ "nvme_percent_used", 5, 1, COUNT },
	{ "nvme_endu_grp_crit_warn_sumry", 6, 1, COUNT },
	{ "nvme_warning_temp_time", 192, 4, COUNT },
	{ "nvme_critical_comp_time", 196, 4, COUNT },
}, after_sensors[] = {
	{ "nvme_thermal_mgmt_temp1_transition_count", 216, 4, COUNT },
	{ "nvme_thermal_mgmt_temp1_total_time", 224, 4, COUNT },
	{ "nvme_thermal_mgmt_temp2_transition_count", 220, 4, COUNT },
	{ "nvme_thermal_mgmt_temp2_total_time", 228, 4, COUNT },
	{ "nvme_data_units_read", 32, 16, COUNT },
	{ "nvme_data_units_written", 48, 16, COUNT },
	{ "nvme_host_commands_read", 64, 16, COUNT },
	{ "nvme_host_commands_written", 80, 16, COUNT },
	{ "nvme_ctrl_busy_time", 96, 16, COUNT },
	{ "nvme_power_cycles", 112, 16, COUNT },
	{ "nvme_power_on_hours", 128, 16, COUNT },
	{ "nvme_unsafe_shutdowns", 144, 16, COUNT },
	{ "nvme_media_errors", 160, 16, COUNT },
	{ "nvme_num_err_log_entries", 176, 16, COUNT },
};

static double read_number(const uint8_t *bytes, unsigned size)
{
	double number = 0;

	while (size > 0)
		number = number * 256 + bytes[--size];
	return number;
}

static void add(struct health *health, const char *type, const char *instance, double number)
{
	health->values[health->len++] = (struct health_value){ type, instance, number };
}

static void add_fields(struct health *health, const uint8_t *page, const struct field *fields,
		       size_t len)
{
	for (size_t i = 0; i < len; i++) {
		double number = read_number(page + fields[i].offset, fields[i].size);

		add(health, fields[i].type, NULL,
		    fields[i].unit == KELVIN ? number - ZERO_CELSIUS : number);
	}
}

void health_parse(const uint8_t page[HEALTH_SIZE], struct health *health)
{
	static const char *const sensors[SENSORS_LEN] = { "sensor_1", "sensor_2", "sensor_3",
							  "sensor_4", "sensor_5", "sensor_6",
							  "sensor_7", "sensor_8" };

	health->len = 0;
	add_fields(health, page, before_sensors,
		   sizeof(before_sensors) / sizeof(before_sensors[0]));
	for (unsigned i = 0; i < SENSORS_LEN; i++) {
		double kelvin = read_number(page + SENSORS_FIRST + 2 * (size_t)i, 2);

		if (kelvin > 0)
			add(health, "nvme_temp_sensor", sensors[i], kelvin - ZERO_CELSIUS);
	}
	add_fields(health, page, after_sensors, sizeof(after_sensors) / sizeof(after_sensors[0]));
}
