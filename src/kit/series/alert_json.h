/* SPDX-License-Identifier: MIT */
/* A notification as collectd's write_http and amqp1 send it: JSON, in the words of Prometheus'
 * Alertmanager.
 *
 * Facts: bytes that collectd 5.12 has sent.  Pure function; any thread. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/plugin.h>

/* Appends a list of one alert; 'now' is its time if it has none. */
void mc_alert_json(struct mc_buffer *, const struct mc_notification *, mc_time now);
