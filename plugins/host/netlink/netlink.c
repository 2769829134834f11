/* SPDX-License-Identifier: MIT */
/* netlink: counters of network interfaces, in detail, and of traffic control, by rtnetlink(7)
 * (collectd.conf(5), "Plugin netlink"). */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kit/net/netlink.h"
#include "ports.h"
#include "selection.h"
#include "traffic.h"

/* With virtual functions the kernel needs more: an attribute of 64 KiB, and the rest of a link. */
#define BUFFER_SIZE (4 * MC_NETLINK_SIZE)
#define NAME_SIZE 64

struct choice { /* A line of QDisc, Class or Filter. */
	const char *interface, *instance;
};

struct netlink {
	struct mc_strings interfaces, verbose;
	struct mc_blocks qdiscs, classes, filters;
	bool ignore, functions;

	struct selection selection;
	struct ports ports;
	struct mc_netlink_buffer buffer;
	int socket; /* Plus one, so that zero means none. */
	uint32_t sequence;
};

struct pass { /* One read. */
	struct netlink *self;
	struct mc_batch *out;
	size_t met;               /* Interfaces. */
	enum selection_part part; /* Of traffic control that is asked for. */
};

/* --- What the kernel answers ------------------------------------------------------------ */

static int visit_link(void *argument, uint16_t type, struct mc_netlink_part body)
{
	struct pass *pass = argument;
	struct link link;
	struct port *port;

	if (type != RTM_NEWLINK)
		return 0;
	if (!link_parse(body, &link))
		return -EBADMSG;
	port = ports_place(&pass->self->ports, pass->met++, &link, &pass->self->selection);
	ports_report(port, &link, pass->out);
	if (port->selected[SELECTION_INTERFACE] || port->selected[SELECTION_DETAIL])
		ports_report_functions(port, &link, pass->out);
	return 0;
}

static void report_traffic(const struct pass *pass, const struct port *port,
			   const struct traffic *traffic)
{
	static const char *const words[] = { [SELECTION_QDISC] = "qdisc",
					     [SELECTION_CLASS] = "class",
					     [SELECTION_FILTER] = "filter" };
	uint32_t id = pass->part == SELECTION_FILTER ? traffic->parent : traffic->handle;
	char name[NAME_SIZE];
	size_t start = strlen(words[pass->part]) + 1;

	snprintf(name, sizeof(name), "%s-%s-%x:%x", words[pass->part], traffic->kind, id >> 16,
		 id & 0xffff);
	if (!selection_has(&pass->self->selection, pass->part, port->name, name + start))
		return;
	if (traffic->has_sent) {
		mc_put_derive(pass->out, (int64_t)traffic->bytes, .plugin_instance = port->name,
			      .type = "ipt_bytes", .type_instance = name);
		mc_put_derive(pass->out, (int64_t)traffic->packets, .plugin_instance = port->name,
			      .type = "ipt_packets", .type_instance = name);
	}
	if (traffic->has_queue)
		mc_put_derive(pass->out, (int64_t)traffic->drops, .plugin_instance = port->name,
			      .type = "if_tx_dropped", .type_instance = name);
}

static int visit_traffic(void *argument, uint16_t type, struct mc_netlink_part body)
{
	struct pass *pass = argument;
	struct traffic traffic;
	struct port *port;

	if (type != RTM_NEWQDISC && type != RTM_NEWTCLASS && type != RTM_NEWTFILTER)
		return 0;
	if (!traffic_parse(body, &traffic))
		return -EBADMSG;
	port = ports_find(&pass->self->ports, traffic.index);
	if (port == NULL) /* It came after the links. */
		return 0;
	if (pass->part == SELECTION_QDISC && traffic_is_classful(traffic.kind))
		port->is_classful = true;
	if (port->selected[pass->part])
		report_traffic(pass, port, &traffic);
	return 0;
}

/* --- What it is asked -------------------------------------------------------------------- */

static int ask(struct netlink *self, struct nlmsghdr *header, size_t size)
{
	header->nlmsg_len = (uint32_t)size;
	header->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	header->nlmsg_seq = ++self->sequence;
	return mc_netlink_send(self->socket - 1, header, size);
}

static int read_links(struct pass *pass)
{
	struct netlink *self = pass->self;
	struct {
		struct nlmsghdr header;
		struct ifinfomsg body;
		struct nlattr attribute;
		uint32_t mask;
	} request = {
		.header.nlmsg_type = RTM_GETLINK,
		.attribute = { .nla_len = NLA_HDRLEN + sizeof(uint32_t),
			       .nla_type = IFLA_EXT_MASK },
		.mask = self->functions ? RTEXT_FILTER_VF : 0,
	};
	int rc = ask(self, &request.header, sizeof(request));

	if (rc == 0)
		rc = mc_netlink_answer(self->socket - 1, self->buffer, self->sequence, visit_link,
				       pass);
	if (rc == 0)
		ports_cut(&self->ports, pass->met);
	return rc;
}

/* Of one interface, or of all if 'index' is 0, which the kernel does for disciplines alone. */
static int read_traffic(struct pass *pass, uint16_t type, int index)
{
	struct netlink *self = pass->self;
	struct {
		struct nlmsghdr header;
		struct tcmsg body;
	} request = {
		.header.nlmsg_type = type,
		.body.tcm_ifindex = index,
	};
	int rc = ask(self, &request.header, sizeof(request));

	if (rc == 0)
		rc = mc_netlink_answer(self->socket - 1, self->buffer, self->sequence,
				       visit_traffic, pass);
	return rc == -EOPNOTSUPP ? 0 : rc; /* A kernel without traffic control. */
}

static bool wants(const struct netlink *self, enum selection_part part)
{
	for (size_t i = 0; i < self->ports.len; i++)
		if (self->ports.items[i].selected[part])
			return true;
	return false;
}

/* Of interfaces that may have some: the kernel is asked about each on its own. */
static int read_parts(struct pass *pass, enum selection_part part, uint16_t type)
{
	const struct ports *ports = &pass->self->ports;
	int rc = 0;

	pass->part = part;
	for (size_t i = 0; i < ports->len && rc == 0; i++)
		if (ports->items[i].is_classful && ports->items[i].selected[part])
			rc = read_traffic(pass, type, ports->items[i].index);
	return rc;
}

static int read_all(struct pass *pass)
{
	const struct netlink *self = pass->self;
	int rc = read_links(pass);
	bool classes, filters;

	if (rc != 0)
		return rc;
	classes = wants(self, SELECTION_CLASS);
	filters = wants(self, SELECTION_FILTER);
	pass->part = SELECTION_QDISC;
	if (classes || filters || wants(self, SELECTION_QDISC))
		rc = read_traffic(pass, RTM_GETQDISC, 0);
	if (rc == 0 && classes)
		rc = read_parts(pass, SELECTION_CLASS, RTM_GETTCLASS);
	if (rc == 0 && filters)
		rc = read_parts(pass, SELECTION_FILTER, RTM_GETTFILTER);
	return rc;
}

static int open_socket(struct netlink *self)
{
	int fd;

	if (self->socket != 0)
		return 0;
	fd = mc_netlink_open(NETLINK_ROUTE);
	if (fd < 0)
		return fd;
	self->socket = fd + 1;
	return 0;
}

static void close_socket(struct netlink *self)
{
	if (self->socket != 0)
		close(self->socket - 1);
	self->socket = 0;
}

static int netlink_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct netlink *self = ctx->self;
	struct pass pass = { .self = self, .out = out };
	int rc = open_socket(self);

	if (rc == 0)
		rc = read_all(&pass);
	if (rc == 0)
		return 0;
	close_socket(self); /* The rest of the answer goes with it. */
	return mc_fail(ctx, -rc, "cannot read interfaces by netlink");
}

/* --- Options ------------------------------------------------------------------------------ */

static bool is_valid(const char *interface)
{
	struct selection selection = { 0 };
	bool valid = selection_add(&selection, SELECTION_INTERFACE, interface, NULL);

	selection_done(&selection);
	return valid;
}

static void check_name(struct mc_ctx *ctx, const char *const *interface)
{
	if (!is_valid(*interface))
		mc_check_warn(ctx, interface, "is not a regular expression: it is left out");
}

static void check_choices(struct mc_ctx *ctx, const struct mc_blocks *blocks)
{
	struct choice *choices = blocks->items;

	for (size_t i = 0; i < blocks->len; i++)
		check_name(ctx, &choices[i].interface);
}

static void netlink_check(struct mc_ctx *ctx)
{
	const struct netlink *self = ctx->self;

	for (size_t i = 0; i < self->interfaces.len; i++)
		check_name(ctx, &self->interfaces.items[i]);
	for (size_t i = 0; i < self->verbose.len; i++)
		check_name(ctx, &self->verbose.items[i]);
	check_choices(ctx, &self->qdiscs);
	check_choices(ctx, &self->classes);
	check_choices(ctx, &self->filters);
	if (self->ignore && self->interfaces.len + self->verbose.len + self->qdiscs.len +
					    self->classes.len + self->filters.len ==
				    0)
		mc_check_warn(ctx, &self->ignore, "without a selection: nothing is read");
}

static void select_names(struct netlink *self, const struct mc_strings *names,
			 enum selection_part part)
{
	for (size_t i = 0; i < names->len; i++)
		selection_add(&self->selection, part, names->items[i], NULL);
}

static void select_choices(struct netlink *self, const struct mc_blocks *blocks,
			   enum selection_part part)
{
	const struct choice *choices = blocks->items;

	for (size_t i = 0; i < blocks->len; i++)
		selection_add(&self->selection, part, choices[i].interface, choices[i].instance);
}

static int netlink_start(struct mc_ctx *ctx)
{
	struct netlink *self = ctx->self;
	int rc;

	select_names(self, &self->interfaces, SELECTION_INTERFACE);
	select_names(self, &self->verbose, SELECTION_INTERFACE);
	select_names(self, &self->verbose, SELECTION_DETAIL);
	select_choices(self, &self->qdiscs, SELECTION_QDISC);
	select_choices(self, &self->classes, SELECTION_CLASS);
	select_choices(self, &self->filters, SELECTION_FILTER);
	self->selection.ignore = self->ignore;
	self->buffer.size = self->functions ? BUFFER_SIZE : MC_NETLINK_SIZE;
	self->buffer.bytes = mc_alloc(self->buffer.size);
	rc = open_socket(self);
	return rc == 0 ? 0 : mc_fail(ctx, -rc, "cannot open a socket of netlink");
}

static void netlink_stop(struct mc_ctx *ctx)
{
	struct netlink *self = ctx->self;

	close_socket(self);
	ports_done(&self->ports);
	selection_done(&self->selection);
	free(self->buffer.bytes);
}

static const struct mc_option choice_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct choice, interface),
	  .required = true,
	  .help = "Network interface: a name, a /regex/, or \"All\".",
	  .sample = "eth0" },
	{ .name = "",
	  MC_OPT_STRING(struct choice, instance),
	  .help = "Kind and handle; by default all.",
	  .sample = "htb-1:10" },
	{ 0 },
};
static const struct mc_block choice_block = { sizeof(struct choice), choice_options };

static const struct mc_option options[] = {
	{ .name = "Interface",
	  MC_OPT_STRINGS(struct netlink, interfaces),
	  .help = "Network interface whose bytes, packets and errors are reported: a name, a "
		  "/regex/, or \"All\".",
	  .sample = "eth0" },
	{ .name = "VerboseInterface",
	  MC_OPT_STRINGS(struct netlink, verbose),
	  .help = "The same with the kinds of errors and drops.",
	  .sample = "All" },
	{ .name = "QDisc",
	  MC_OPT_BLOCKS(struct netlink, qdiscs),
	  .block = &choice_block,
	  .help = "Reports bytes, packets and drops of queueing disciplines." },
	{ .name = "Class",
	  MC_OPT_BLOCKS(struct netlink, classes),
	  .block = &choice_block,
	  .help = "Reports those of traffic classes." },
	{ .name = "Filter",
	  MC_OPT_BLOCKS(struct netlink, filters),
	  .block = &choice_block,
	  .help = "Reports those of filters, by the handle of their parent." },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct netlink, ignore),
	  .default_value = "false",
	  .help = "Reports all but what is selected." },
	{ .name = "CollectVFStats",
	  MC_OPT_BOOL(struct netlink, functions),
	  .default_value = "false",
	  .help = "Reports virtual functions of network cards, too." },
	{ 0 }
};

MC_PLUGIN(netlink) = {
	MC_NAMED(netlink),
	.help = "Reads counters of network interfaces, in detail, and of traffic control.",
	.self_size = sizeof(struct netlink),
	.options = options,
	.types = (const char *const[]){ "if_octets", "if_packets", "if_errors", "if_dropped",
					"if_multicast", "if_collisions", "if_rx_errors",
					"if_rx_nohandler", "if_tx_errors", "if_tx_dropped",
					"ipt_bytes", "ipt_packets", "vf_broadcast", "vf_bytes",
					"vf_dropped", "vf_link_info", "vf_multicast", "vf_packets",
					NULL },
	.check = netlink_check,
	.start = netlink_start,
	.read = netlink_read,
	.stop = netlink_stop,
	.lenient = true,
};
