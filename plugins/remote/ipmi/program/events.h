/* SPDX-License-Identifier: MIT */
/* The events that a BMC has in its log (SEL), as collectd reports them. */
#pragma once

#include <stdbool.h>

#include <OpenIPMI/ipmiif.h>

struct events {
	bool wanted;
	bool clears; /* Deletes each event that was reported. */
};

/* Reports the events of that sensor from now on; or no longer. */
void events_watch(struct events *, ipmi_sensor_t *sensor);
void events_forget(struct events *, ipmi_sensor_t *sensor);
