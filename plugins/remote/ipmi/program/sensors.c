/* SPDX-License-Identifier: MIT */
#include "sensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <OpenIPMI/ipmi_err.h>

#include <collector/kit/alloc.h>

#include "say.h"

struct sensors_one {
	struct sensors *all;
	unsigned id;
	ipmi_sensor_id_t sensor;
	bool wanted;
	bool pending; /* It is being read. */
	bool removed; /* Freed when it has been read. */
};

/* --- Names and types ------------------------------------------------------------------- */

/* The library's name is "DOMAIN(ENTITY).ID", to which the name of the entity is added; then
 * "(ENTITY)" is moved to the end, and "DOMAIN" left out. */
void sensors_name(ipmi_sensor_t *sensor, char name[SENSORS_NAME_SIZE])
{
	const char *entity = ipmi_entity_get_entity_id_string(ipmi_sensor_get_entity(sensor));
	char own[SENSORS_NAME_SIZE] = "", text[2 * SENSORS_NAME_SIZE];
	char *end, *begin;

	ipmi_sensor_get_name(sensor, own, sizeof(own));
	own[sizeof(own) - 1] = '\0';
	if (entity == NULL)
		entity = "";
	snprintf(text, sizeof(text), "%s%s%s", own, own[0] != '\0' && entity[0] != '\0' ? " " : "",
		 entity);
	end = own[0] != '\0' ? strstr(text, ").") : NULL;
	begin = strchr(text, '(');
	if (end == NULL || begin == NULL)
		snprintf(name, SENSORS_NAME_SIZE, "%.*s", SENSORS_NAME_SIZE - 1, text);
	else
		snprintf(name, SENSORS_NAME_SIZE, "%s %.*s", end + 2, (int)(end + 1 - begin),
			 begin);
}

/* NULL: none, as its unit is unknown. */
static const char *type_by_unit(ipmi_sensor_t *sensor)
{
	if (ipmi_sensor_get_modifier_unit_use(sensor) != IPMI_MODIFIER_UNIT_NONE ||
	    ipmi_sensor_get_rate_unit(sensor) != IPMI_RATE_UNIT_NONE)
		return NULL;
	switch (ipmi_sensor_get_base_unit(sensor)) {
	case IPMI_UNIT_TYPE_WATTS:
		return "power";
	case IPMI_UNIT_TYPE_CFM:
		return "flow";
	default:
		return NULL;
	}
}

static const char *type_of(ipmi_sensor_t *sensor)
{
	switch (ipmi_sensor_get_sensor_type(sensor)) {
	case IPMI_SENSOR_TYPE_TEMPERATURE:
		return "temperature";
	case IPMI_SENSOR_TYPE_VOLTAGE:
		return "voltage";
	case IPMI_SENSOR_TYPE_CURRENT:
		return "current";
	case IPMI_SENSOR_TYPE_FAN:
		return "fanspeed";
	case IPMI_SENSOR_TYPE_MEMORY:
		return "memory";
	default:
		return type_by_unit(sensor);
	}
}

/* Why a sensor has no value that could be reported; NULL: it has. */
static const char *fault_of(ipmi_sensor_t *sensor)
{
	if (!ipmi_sensor_get_is_readable(sensor))
		return "cannot be read";
	if (ipmi_sensor_get_event_reading_type(sensor) != IPMI_EVENT_READING_TYPE_THRESHOLD)
		return "is discrete";
	return type_of(sensor) == NULL ? "has an unknown unit" : NULL;
}

/* --- The list -------------------------------------------------------------------------- */

/* Its place; 'len' without it. */
static size_t place_of(const struct sensors *sensors, ipmi_sensor_t *sensor)
{
	ipmi_sensor_id_t id = ipmi_sensor_convert_to_id(sensor);
	size_t place = 0;

	while (place < sensors->len && ipmi_cmp_sensor_id(sensors->items[place]->sensor, id) != 0)
		place++;
	return place;
}

static void say_sensor(const struct sensors_one *one, ipmi_sensor_t *sensor, const char *name)
{
	bool percent = ipmi_sensor_get_percentage(sensor) != 0;

	say('+');
	say_number(one->id);
	say_text(percent ? "percent" : type_of(sensor));
	say_format("%s%s", percent ? "percent-" : "", name);
	say_text(name);
	say_end();
}

static void say_unused(const char *name, const char *why)
{
	say('i');
	say_format("sensor '%s' is not used: it %s", name, why);
	say_end();
}

void sensors_add(struct sensors *sensors, ipmi_sensor_t *sensor)
{
	char name[SENSORS_NAME_SIZE];
	const char *fault = fault_of(sensor);
	struct sensors_one *one;

	if (place_of(sensors, sensor) < sensors->len)
		return;
	sensors_name(sensor, name);
	if (sensors->len == SENSORS_MAX) {
		if (!sensors->full)
			say_unused(name, "is one more than 10000");
		sensors->full = true;
		return;
	}
	if (fault != NULL) {
		say_unused(name, fault);
		return;
	}
	one = mc_alloc_zero(sizeof(*one));
	one->all = sensors;
	one->id = ++sensors->last_id;
	one->sensor = ipmi_sensor_convert_to_id(sensor);
	sensors->items = mc_alloc_resize(sensors->items, sensors->len + 1, sizeof(*sensors->items));
	sensors->items[sensors->len++] = one;
	say_sensor(one, sensor, name);
}

void sensors_remove(struct sensors *sensors, ipmi_sensor_t *sensor)
{
	size_t place = place_of(sensors, sensor);
	struct sensors_one *one;

	if (place == sensors->len)
		return;
	one = sensors->items[place];
	sensors->items[place] = sensors->items[--sensors->len];
	say('-');
	say_number(one->id);
	say_end();
	one->removed = true;
	if (!one->pending)
		free(one);
}

void sensors_want(struct sensors *sensors, unsigned id)
{
	for (size_t i = 0; i < sensors->len; i++)
		if (sensors->items[i]->id == id)
			sensors->items[i]->wanted = true;
}

/* --- Readings -------------------------------------------------------------------------- */

static void say_about(char letter, const struct sensors_one *one)
{
	say(letter);
	say_number(one->id);
}

static void say_failure(const struct sensors_one *one, int error)
{
	char why[200] = "";

	if (IPMI_IS_IPMI_ERR(error) && IPMI_GET_IPMI_ERR(error) == IPMI_NOT_PRESENT_CC) {
		say_about('n', one);
		say_end();
		return;
	}
	ipmi_get_error_string((unsigned)error, why, sizeof(why));
	say_about('f', one);
	say_text(why);
	say_end();
}

static void say_reading(const struct sensors_one *one, ipmi_states_t *states, double value)
{
	/* Else the value is out of date, or not yet there. */
	if (!ipmi_is_sensor_scanning_enabled(states) || ipmi_is_initial_update_in_progress(states))
		return;
	if (!isfinite(value)) {
		say_about('f', one);
		say_text("its value is not a number");
	} else {
		say_about('v', one);
		say_value(value);
	}
	say_end();
}

static void end_reading(struct sensors_one *one)
{
	struct sensors *sensors = one->all;

	one->pending = false;
	if (one->removed)
		free(one);
	if (--sensors->pending > 0 || !sensors->asked)
		return;
	sensors->asked = false;
	say('.');
	say_end();
}

static void on_reading(ipmi_sensor_t *sensor, int error, enum ipmi_value_present_e present,
		       unsigned raw, double value, ipmi_states_t *states, void *argument)
{
	struct sensors_one *one = argument;

	(void)raw;
	if (!one->removed) {
		if (error != 0)
			say_failure(one, error);
		else if (present == IPMI_BOTH_VALUES_PRESENT)
			say_reading(one, states, value);
		else if (sensor != NULL)
			sensors_remove(one->all, sensor); /* It has nothing that can be used. */
	}
	end_reading(one);
}

void sensors_read(struct sensors *sensors)
{
	sensors->asked = true;
	sensors->pending++; /* So that the end is not reported in between. */
	for (size_t i = 0; i < sensors->len; i++) {
		struct sensors_one *one = sensors->items[i];

		if (!one->wanted || one->pending)
			continue;
		one->pending = true;
		sensors->pending++;
		if (ipmi_sensor_id_get_reading(one->sensor, on_reading, one) != 0) {
			one->pending = false;
			sensors->pending--;
		}
	}
	if (--sensors->pending == 0) {
		sensors->asked = false;
		say('.');
		say_end();
	}
}

void sensors_done(struct sensors *sensors)
{
	for (size_t i = 0; i < sensors->len; i++)
		free(sensors->items[i]);
	free(sensors->items);
}
