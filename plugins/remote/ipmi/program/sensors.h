/* SPDX-License-Identifier: MIT */
/* The sensors of a BMC that have a value, and their readings.  Facts: the Intelligent Platform
 * Management Interface Specification 2.0, 43.1; headers of OpenIPMI. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <OpenIPMI/ipmiif.h>

#define SENSORS_MAX ((size_t)10000)

/* Of a name with its end, which is collectd's. */
#define SENSORS_NAME_SIZE 128

struct sensors {
	struct sensors_one **items;
	size_t len;
	unsigned last_id;
	unsigned pending; /* Readings under way. */
	bool asked;       /* Their end is to be reported. */
	bool full;        /* That was reported. */
};

/* Reports that there is a sensor, if it has a value whose unit is known; or that it is no more. */
void sensors_add(struct sensors *, ipmi_sensor_t *sensor);
void sensors_remove(struct sensors *, ipmi_sensor_t *sensor);

/* Has that sensor read from now on. */
void sensors_want(struct sensors *, unsigned id);

/* Begins to read all that are wanted, but those that are still being read. */
void sensors_read(struct sensors *);

void sensors_done(struct sensors *);

/* The name that collectd gives a sensor: "CPU Temp processor (3.1)". */
void sensors_name(ipmi_sensor_t *sensor, char name[SENSORS_NAME_SIZE]);
