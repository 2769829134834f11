/* SPDX-License-Identifier: MIT */
/* The configuration: options of collectd-snmp(5), and ours. */
#pragma once

#include <collector/plugin.h>
#include <collector/quota.h>

struct data_options { /* <Data> */
	const char *name, *type, *plugin;
	const char *plugin_instance, *type_instance, *instance;
	bool table, count, invert, filter_ignore, filter_empty;
	const char *type_instance_oid, *plugin_instance_oid, *host_oid;
	const char *type_instance_prefix, *plugin_instance_prefix, *host_prefix;
	const char *instance_prefix, *filter_oid, *filter_index_oid;
	struct mc_strings values, ignore;
	struct mc_select *filter_values;
	double scale, shift;
	mc_time interval; /* 0: that of the host. */
};

struct interfaces_options { /* <Interfaces> */
	const char *name;
	struct mc_select *names, *aliases;
	struct mc_ints types;
	int state; /* Of options_states. */
	bool ignore;
	mc_time interval;
};
enum { STATE_ANY, STATE_UP, STATE_DOWN };

enum host_transport { TRANSPORT_UDP, TRANSPORT_TCP };

struct host_options { /* <Host>; zero: not given. */
	const char *name, *address, *template, *source;
	int64_t version;
	const char *community, *username, *context;
	const char *security_level, *auth_protocol, *auth_passphrase;
	const char *privacy_protocol, *privacy_passphrase;
	struct mc_strings collect;
	mc_time interval, timeout;
	int64_t retries, bulk_size; /* -1: not given. */
	struct mc_strings hosts;    /* Of a <Template>: these are polled. */
};

struct snmp_options {
	struct mc_blocks data;       /* struct data_options */
	struct mc_blocks interfaces; /* struct interfaces_options */
	struct mc_blocks templates;  /* struct host_options */
	struct mc_blocks hosts;      /* struct host_options */
	mc_time names_interval;
	int64_t message_size, rows_max, outstanding_max;
	bool spread, statistics;
	struct mc_quota_limits limits; /* Of a device. */
	const char *hints_file;        /* "": none. */
};

#define OPTIONS_TIMEOUT MC_SECOND
#define OPTIONS_RETRIES 5

/* The options of the plugin, whose state begins with struct snmp_options. */
extern const struct mc_option options_table[];

/* Errors for check(). */
void options_check(struct mc_ctx *, const struct snmp_options *);

/* The block of that name, or NULL. */
const struct data_options *options_find_data(const struct snmp_options *, const char *name);
const struct host_options *options_find_template(const struct snmp_options *, const char *name);

/* "interfaces" is there without a block, too. */
const struct interfaces_options *options_find_interfaces(const struct snmp_options *,
							 const char *name);

/* A host with what its template says, if it has one, and defaults. */
struct host_options options_complete(const struct snmp_options *, const struct host_options *host);

/* Whether a host that is complete has what it needs; if not, options_check()
 * has said what is missing. */
bool options_check_can_poll(const struct host_options *whole);

/* "[udp:|udp6:|tcp:|tcp6:]HOST[:PORT]"; parts of it in 'host' and 'port', which have as many bytes
 * as the address.  False if it is invalid. */
bool options_address(const char *address, enum host_transport *transport, int *family, char *host,
		     char *port);

/* OID options of a <Data>, which are NULL if it is not to ask for them; "": the
 * end of the identifier is meant. */
const char *options_type_instance_oid(const struct data_options *);
const char *options_type_instance_prefix(const struct data_options *);
const char *options_type_instance(const struct data_options *);
