/* SPDX-License-Identifier: MIT */
#include "events.h"

#include "say.h"
#include "sensors.h"

enum { FAILURE = 1, WARNING = 2, OKAY = 4 }; /* As enum mc_severity. */

static int severity_of(enum ipmi_thresh_e threshold)
{
	switch (threshold) {
	case IPMI_LOWER_CRITICAL:
	case IPMI_UPPER_CRITICAL:
		return WARNING;
	case IPMI_LOWER_NON_RECOVERABLE:
	case IPMI_UPPER_NON_RECOVERABLE:
		return FAILURE;
	default:
		return OKAY;
	}
}

/* 0: none.  A clock that was never set counts from the start of the BMC (IPMI 2.0, 37.1). */
static long long time_of(ipmi_event_t *event)
{
	long long seconds = ipmi_event_get_timestamp(event) / 1000000000;

	return seconds > 0x20000000 && seconds < 0xffffffff ? seconds : 0;
}

static void say_event(ipmi_sensor_t *sensor, int severity, ipmi_event_t *event)
{
	say('e');
	say_number(severity);
	say_number(time_of(event));
	say_text(ipmi_sensor_get_sensor_type_string(sensor));
}

/* The fields of both kinds of events; and the end. */
static void say_rest(ipmi_sensor_t *sensor, enum ipmi_event_dir_e direction, ipmi_event_t *event)
{
	ipmi_entity_t *entity = ipmi_sensor_get_entity(sensor);
	const char *name = ipmi_entity_get_entity_id_string(entity);

	say_format("entity_name=%s", name != NULL ? name : "");
	say_format("entity_id=%d", ipmi_entity_get_entity_id(entity));
	say_format("entity_instance=%d", ipmi_entity_get_entity_instance(entity));
	say_format("assert=%s", direction == IPMI_ASSERTION ? "true" : "false");
	say_format("event_type=%u", ipmi_event_get_type(event));
	say_end();
}

static int finish(const struct events *events, ipmi_event_t *event)
{
	if (!events->clears)
		return IPMI_EVENT_NOT_HANDLED;
	ipmi_event_delete(event, NULL, NULL);
	return IPMI_EVENT_HANDLED;
}

static const char *state_of(ipmi_sensor_t *sensor, int offset)
{
	const char *state =
		ipmi_get_reading_name((unsigned)ipmi_sensor_get_event_reading_type(sensor),
				      (unsigned)ipmi_sensor_get_sensor_type(sensor), offset);

	return state != NULL ? state : "";
}

/* Another handler may have dealt with an event, which is NULL then. */
static int on_threshold(ipmi_sensor_t *sensor, enum ipmi_event_dir_e direction,
			enum ipmi_thresh_e threshold, enum ipmi_event_value_dir_e high_low,
			enum ipmi_value_present_e present, unsigned raw, double value,
			void *argument, ipmi_event_t *event)
{
	const struct events *events = argument;
	const char *state = state_of(sensor, 2 * (int)threshold + (int)high_low);
	char name[SENSORS_NAME_SIZE];

	if (event == NULL)
		return IPMI_EVENT_NOT_HANDLED;
	sensors_name(sensor, name);
	say_event(sensor, severity_of(threshold), event);
	say_text(name);
	if (present != IPMI_NO_VALUES_PRESENT)
		say_format("sensor %s received event: %s, value is %f", name, state, value);
	else
		say_format("sensor %s received event: %s, value not provided", name, state);
	say_format("severity=%s", ipmi_get_threshold_string(threshold));
	say_format("direction=%s", ipmi_get_value_dir_string(high_low));
	if (present == IPMI_BOTH_VALUES_PRESENT)
		say_format("val=%f", value);
	if (present != IPMI_NO_VALUES_PRESENT)
		say_format("raw=0x%2.2x", raw);
	say_rest(sensor, direction, event);
	return finish(events, event);
}

static int on_discrete(ipmi_sensor_t *sensor, enum ipmi_event_dir_e direction, int offset,
		       int severity, int previous, void *argument, ipmi_event_t *event)
{
	const struct events *events = argument;
	char name[SENSORS_NAME_SIZE];

	if (event == NULL)
		return IPMI_EVENT_NOT_HANDLED;
	sensors_name(sensor, name);
	say_event(sensor, OKAY, event);
	say_text(name);
	say_format("sensor %s received event: %s", name, state_of(sensor, offset));
	say_format("offset=%d", offset);
	if (severity != -1)
		say_format("severity=%d", severity);
	if (previous != -1)
		say_format("prevseverity=%d", previous);
	say_rest(sensor, direction, event);
	return finish(events, event);
}

static bool has_thresholds(ipmi_sensor_t *sensor)
{
	return ipmi_sensor_get_event_reading_type(sensor) == IPMI_EVENT_READING_TYPE_THRESHOLD;
}

void events_watch(struct events *events, ipmi_sensor_t *sensor)
{
	if (!events->wanted)
		return;
	events_forget(events, sensor); /* A sensor that has changed has its handler. */
	if (has_thresholds(sensor))
		ipmi_sensor_add_threshold_event_handler(sensor, on_threshold, events);
	else if (ipmi_sensor_get_event_support(sensor) != IPMI_EVENT_SUPPORT_NONE)
		ipmi_sensor_add_discrete_event_handler(sensor, on_discrete, events);
}

void events_forget(struct events *events, ipmi_sensor_t *sensor)
{
	if (!events->wanted)
		return;
	if (has_thresholds(sensor))
		ipmi_sensor_remove_threshold_event_handler(sensor, on_threshold, events);
	else
		ipmi_sensor_remove_discrete_event_handler(sensor, on_discrete, events);
}
