/* SPDX-License-Identifier: MIT */
/* Names and types are those of collectd.  Interfaces come in the same order at each read, most
 * often, so looking for one begins where it was. */
#include "ports.h"

#include <collector/kit/alloc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 128

#define AT(field) offsetof(struct rtnl_link_stats64, field)
#define NONE SIZE_MAX

static const struct report {
	enum selection_part part;
	const char *type, *instance;
	size_t first, second; /* In the kernel's structure. */
} reports[] = {
	{ SELECTION_INTERFACE, "if_octets", NULL, AT(rx_bytes), AT(tx_bytes) },
	{ SELECTION_INTERFACE, "if_packets", NULL, AT(rx_packets), AT(tx_packets) },
	{ SELECTION_INTERFACE, "if_errors", NULL, AT(rx_errors), AT(tx_errors) },
	{ SELECTION_DETAIL, "if_dropped", NULL, AT(rx_dropped), AT(tx_dropped) },
	{ SELECTION_DETAIL, "if_multicast", NULL, AT(multicast), NONE },
	{ SELECTION_DETAIL, "if_collisions", NULL, AT(collisions), NONE },
	{ SELECTION_DETAIL, "if_rx_nohandler", NULL, AT(rx_nohandler), NONE },
	{ SELECTION_DETAIL, "if_rx_errors", "length", AT(rx_length_errors), NONE },
	{ SELECTION_DETAIL, "if_rx_errors", "over", AT(rx_over_errors), NONE },
	{ SELECTION_DETAIL, "if_rx_errors", "crc", AT(rx_crc_errors), NONE },
	{ SELECTION_DETAIL, "if_rx_errors", "frame", AT(rx_frame_errors), NONE },
	{ SELECTION_DETAIL, "if_rx_errors", "fifo", AT(rx_fifo_errors), NONE },
	{ SELECTION_DETAIL, "if_rx_errors", "missed", AT(rx_missed_errors), NONE },
	{ SELECTION_DETAIL, "if_tx_errors", "aborted", AT(tx_aborted_errors), NONE },
	{ SELECTION_DETAIL, "if_tx_errors", "carrier", AT(tx_carrier_errors), NONE },
	{ SELECTION_DETAIL, "if_tx_errors", "fifo", AT(tx_fifo_errors), NONE },
	{ SELECTION_DETAIL, "if_tx_errors", "heartbeat", AT(tx_heartbeat_errors), NONE },
	{ SELECTION_DETAIL, "if_tx_errors", "window", AT(tx_window_errors), NONE },
};
#define REPORTS_LEN (sizeof(reports) / sizeof(reports[0]))
_Static_assert(REPORTS_LEN <= PORTS_REPORTS_MAX, "room for held series");

static void release(struct port *port)
{
	for (size_t i = 0; i < REPORTS_LEN; i++) {
		mc_release(port->held[i]);
		port->held[i] = NULL;
	}
}

/* A new interface, or one that was renamed. */
static void name_port(struct port *port, const struct link *link, const struct selection *selection)
{
	release(port);
	port->index = link->index;
	memcpy(port->name, link->name, sizeof(port->name));
	for (enum selection_part part = 0; part <= SELECTION_FILTER; part++)
		port->selected[part] = selection_has(selection, part, port->name, NULL);
}

struct port *ports_place(struct ports *ports, size_t position, const struct link *link,
			 const struct selection *selection)
{
	struct port *port, moved;
	size_t i = position;

	while (i < ports->len && ports->items[i].index != link->index)
		i++;
	if (i == ports->len) {
		MC_ARRAY_GROW(ports->items, ports->len, ports->size);
		ports->items[ports->len++] = (struct port){ 0 };
	}
	port = &ports->items[position];
	if (i != position) {
		moved = ports->items[i];
		ports->items[i] = *port;
		*port = moved;
	}
	if (port->index != link->index || strcmp(port->name, link->name) != 0)
		name_port(port, link, selection);
	port->is_classful = false;
	return port;
}

void ports_cut(struct ports *ports, size_t len)
{
	while (ports->len > len)
		release(&ports->items[--ports->len]);
}

struct port *ports_find(struct ports *ports, int index)
{
	for (size_t i = 0; i < ports->len; i++) {
		size_t at = (ports->hint + i) % ports->len;

		if (ports->items[at].index == index) {
			ports->hint = at;
			return &ports->items[at];
		}
	}
	return NULL;
}

void ports_done(struct ports *ports)
{
	ports_cut(ports, 0);
	free(ports->items);
}

static int64_t counter_at(const struct link *link, size_t offset)
{
	__u64 number;

	memcpy(&number, (const char *)&link->stats + offset, sizeof(number));
	return (int64_t)number;
}

void ports_report(struct port *port, const struct link *link, struct mc_batch *out)
{
	for (size_t i = 0; i < REPORTS_LEN && link->has_stats; i++) {
		const struct report *report = &reports[i];
		unsigned len = report->second == NONE ? 1 : 2;
		union mc_value values[2];

		if (!port->selected[report->part] ||
		    (report->first == AT(rx_nohandler) && !link->has_nohandler))
			continue;
		if (port->held[i] == NULL)
			port->held[i] = mc_hold(mc_series(
				out, MC_ID(.plugin_instance = port->name, .type = report->type,
					   .type_instance = report->instance)));
		values[0].derive = counter_at(link, report->first);
		if (len == 2)
			values[1].derive = counter_at(link, report->second);
		mc_put(out, port->held[i], values, len);
	}
}

static void put_both(struct mc_batch *out, struct mc_id id, uint64_t received, uint64_t sent)
{
	const union mc_value values[] = { { .derive = (int64_t)received },
					  { .derive = (int64_t)sent } };

	mc_put(out, mc_series(out, id), values, 2);
}

static void report_function(const char *name, const struct link_function *function,
			    struct mc_batch *out)
{
	const struct {
		const char *name;
		uint32_t value;
	} settings[] = {
		{ "number", function->number },
		{ "vlan", function->vlan },
		{ "qos", function->qos },
		{ "spoofcheck", function->spoofcheck },
		{ "link_state", function->link_state },
		{ "tx_rate", function->rate },
		{ "min_tx_rate", function->min_rate },
		{ "max_tx_rate", function->max_rate },
		{ "rss_query_en", function->rss_query },
		{ "trust", function->trust },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		mc_put_gauge(out, settings[i].value, .plugin_instance = name,
			     .type = "vf_link_info", .type_instance = settings[i].name);
	mc_put_derive(out, (int64_t)function->broadcast, .plugin_instance = name,
		      .type = "vf_broadcast");
	mc_put_derive(out, (int64_t)function->multicast, .plugin_instance = name,
		      .type = "vf_multicast");
	put_both(out, MC_ID(.plugin_instance = name, .type = "vf_packets"), function->rx_packets,
		 function->tx_packets);
	put_both(out, MC_ID(.plugin_instance = name, .type = "vf_bytes"), function->rx_bytes,
		 function->tx_bytes);
	put_both(out, MC_ID(.plugin_instance = name, .type = "vf_dropped"), function->rx_dropped,
		 function->tx_dropped);
}

void ports_report_functions(const struct port *port, const struct link *link, struct mc_batch *out)
{
	struct mc_netlink_part functions = link->functions;
	struct link_function function;
	char name[NAME_SIZE];

	while (link_next_function(&functions, &function)) {
		const unsigned char *mac = function.address;

		if (!function.has_address)
			continue;
		snprintf(name, sizeof(name), "%s_vf%u_%02x:%02x:%02x:%02x:%02x:%02x", port->name,
			 function.number, mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
		report_function(name, &function, out);
	}
}
