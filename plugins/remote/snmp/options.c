/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include <collector/kit/number.h>

/* --- <Data> --------------------------------------------------------------- */

static const struct mc_option data_table[] = {
	{ "", MC_OPT_STRING(struct data_options, name), .required = true,
	  .help = "Name that Collect uses.", .sample = "std_traffic" },
	{ "Type", MC_OPT_STRING(struct data_options, type), .required = true,
	  .help = "Type of the values, of types.db.", .sample = "if_octets" },
	{ "Table", MC_OPT_BOOL(struct data_options, table), .default_value = "false",
	  .help = "Reads each row of a table, instead of single values." },
	{ "Plugin", MC_OPT_STRING(struct data_options, plugin), .default_value = "snmp",
	  .help = "Plugin in the names of the series." },
	{ "PluginInstance", MC_OPT_STRING(struct data_options, plugin_instance),
	  .help = "Plugin instance of the series.", .sample = "room" },
	{ "TypeInstance", MC_OPT_STRING(struct data_options, type_instance),
	  .help = "Type instance of the series.", .sample = "inlet" },
	{ "TypeInstanceOID", MC_OPT_STRING(struct data_options, type_instance_oid),
	  .help = "Column that has the type instance of each row; \"\": the "
		  "row's "
		  "index.",
	  .sample = "IF-MIB::ifDescr" },
	{ "PluginInstanceOID", MC_OPT_STRING(struct data_options, plugin_instance_oid),
	  .help = "Column that has the plugin instance of each row; \"\": the "
		  "row's index.",
	  .sample = "IF-MIB::ifDescr" },
	{ "HostOID", MC_OPT_STRING(struct data_options, host_oid),
	  .help = "Column that has the host of each row; \"\": the row's "
		  "index.",
	  .sample = "IF-MIB::ifAlias" },
	{ "TypeInstancePrefix", MC_OPT_STRING(struct data_options, type_instance_prefix),
	  .help = "Text before what TypeInstanceOID gives.", .sample = "in" },
	{ "PluginInstancePrefix", MC_OPT_STRING(struct data_options, plugin_instance_prefix),
	  .help = "Text before what PluginInstanceOID gives.", .sample = "port" },
	{ "HostPrefix", MC_OPT_STRING(struct data_options, host_prefix),
	  .help = "Text before what HostOID gives.", .sample = "vm-" },
	{ "Instance", MC_OPT_STRING(struct data_options, instance),
	  .help = "Older name of TypeInstanceOID with Table, of TypeInstance "
		  "without.",
	  .sample = "IF-MIB::ifDescr" },
	{ "InstancePrefix", MC_OPT_STRING(struct data_options, instance_prefix),
	  .help = "Older name of TypeInstancePrefix.", .sample = "in" },
	{ "Values", MC_OPT_STRINGS(struct data_options, values), .required = true,
	  .help = "Objects to read, one for each source of the type.",
	  .sample = "IF-MIB::ifInOctets" },
	{ "Count", MC_OPT_BOOL(struct data_options, count), .default_value = "false",
	  .help = "Reports how many rows there are, instead of each of them." },
	{ "Scale", MC_OPT_NUMBER(struct data_options, scale), .default_value = "1", .lenient = true,
	  .help = "Factor of values of the kind GAUGE." },
	{ "Shift", MC_OPT_NUMBER(struct data_options, shift), .default_value = "0", .lenient = true,
	  .help = "Number that is added to values of the kind GAUGE, after "
		  "Scale." },
	{ "Ignore", MC_OPT_STRINGS(struct data_options, ignore),
	  .help = "Patterns (glob(7)) of type instances that are left out.", .sample = "lo*" },
	{ "InvertMatch", MC_OPT_BOOL(struct data_options, invert), .default_value = "false",
	  .help = "Takes only what Ignore matches." },
	{ "FilterOID", MC_OPT_STRING(struct data_options, filter_oid),
	  .help = "Column that decides which rows are taken.", .sample = "IF-MIB::ifOperStatus" },
	{ "FilterValues", MC_OPT_SELECT(struct data_options, filter_values),
	  .help = "What FilterOID gives for rows that are taken; /text/ is a "
		  "regular expression.",
	  .sample = "1" },
	{ "FilterIgnoreSelected", MC_OPT_BOOL(struct data_options, filter_ignore),
	  .default_value = "false", .help = "Leaves out the rows that FilterValues names." },
	{ "FilterEmpty", MC_OPT_BOOL(struct data_options, filter_empty), .default_value = "true",
	  .help = "Takes rows that are empty in the column of FilterOID, whatever "
		  "FilterValues has, as collectd does." },
	{ "FilterIndexOID", MC_OPT_STRING(struct data_options, filter_index_oid),
	  .help = "Object whose number is the index of the one row that is "
		  "taken, as that of an address is the index of its interface.",
	  .sample = "IP-MIB::ipAdEntIfIndex.192.0.2.1" },
	{ "Interval", MC_OPT_TIME(struct data_options, interval), .min = 0.01, .max = 1e9,
	  .sample = "300", .help = "Seconds between two passes; by default those of the host." },
	{ 0 }
};

static const char *const states[] = { "any", "up", "down", NULL };

static const struct mc_option interfaces_table[] = {
	{ "", MC_OPT_STRING(struct interfaces_options, name), .required = true,
	  .help = "Name that Collect uses.", .sample = "uplinks" },
	{ "Name", MC_OPT_SELECT(struct interfaces_options, names),
	  .help = "Names (ifName) of interfaces to take; /text/ is a regular "
		  "expression.",
	  .sample = "/^Gi/" },
	{ "Alias", MC_OPT_SELECT(struct interfaces_options, aliases),
	  .help = "Aliases (ifAlias) of interfaces to take, in the same form.",
	  .sample = "/uplink/" },
	{ "Type", MC_OPT_INTS(struct interfaces_options, types),
	  .help = "Types (ifType) of interfaces to take; by default all.", .min = 1, .max = 1e9,
	  .sample = "6" },
	{ "State", MC_OPT_WORD(struct interfaces_options, state), .default_value = "any",
	  .words = states, .help = "Takes interfaces whose state is so." },
	{ "IgnoreSelected", MC_OPT_BOOL(struct interfaces_options, ignore),
	  .default_value = "false", .help = "Leaves out what Name and Alias select." },
	{ "Interval", MC_OPT_TIME(struct interfaces_options, interval), .min = 0.01, .max = 1e9,
	  .sample = "300", .help = "Seconds between two passes; by default those of the host." },
	{ 0 }
};

/* --- <Host> --------------------------------------------------------------- */

#define HOST_OPTIONS                                                                               \
	{ "Version",     MC_OPT_INT(struct host_options, version),                                 \
	  .min = 1,      .max = 3,                                                                 \
	  .sample = "2", .help = "Version of SNMP: 1, 2 (which is 2c), 3; by default 2." },        \
		{ "Community", MC_OPT_STRING(struct host_options, community), .secret = true,      \
		  .sample = "public", .help = "Community of the versions 1 and 2." },              \
		{ "Username", MC_OPT_STRING(struct host_options, username), .sample = "collector", \
		  .help = "User of version 3." },                                                  \
		{ "SecurityLevel", MC_OPT_STRING(struct host_options, security_level),             \
		  .sample = "authPriv", .help = "noAuthNoPriv, authNoPriv or authPriv." },         \
		{ "Context", MC_OPT_STRING(struct host_options, context), .sample = "vlan-7",      \
		  .help = "Context of version 3." },                                               \
		{ "AuthProtocol", MC_OPT_STRING(struct host_options, auth_protocol),               \
		  .sample = "SHA-256",                                                             \
		  .help = "MD5, SHA, SHA-224, SHA-256, SHA-384 or SHA-512." },                     \
		{ "AuthPassphrase", MC_OPT_STRING(struct host_options, auth_passphrase),           \
		  .secret = true, .sample = "setec_astronomy",                                     \
		  .help = "Passphrase of the user, for authentication." },                         \
		{ "PrivacyProtocol", MC_OPT_STRING(struct host_options, privacy_protocol),         \
		  .sample = "AES",                                                                 \
		  .help = "DES, AES, AES-192, AES-256, or as Cisco has them "                      \
			  "AES-192-C, AES-256-C." },                                               \
		{ "PrivacyPassphrase", MC_OPT_STRING(struct host_options, privacy_passphrase),     \
		  .secret = true, .sample = "too_many_secrets",                                    \
		  .help = "Passphrase of the user, for encryption." },                             \
		{ "Collect", MC_OPT_STRINGS(struct host_options, collect), .sample = "interfaces", \
		  .help = "Names of <Data> and <Interfaces> blocks; "                              \
			  "\"interfaces\" needs no block." },                                      \
		{ "Interval",                                                                      \
		  MC_OPT_TIME(struct host_options, interval),                                      \
		  .min = 0.01,                                                                     \
		  .max = 1e9,                                                                      \
		  .sample = "60",                                                                  \
		  .help = "Seconds between two passes; by default the "                            \
			  "interval of the plugin." },                                             \
		{ "Timeout",                                                                       \
		  MC_OPT_TIME(struct host_options, timeout),                                       \
		  .min = 0.01,                                                                     \
		  .max = 1e6,                                                                      \
		  .lenient = true,                                                                 \
		  .sample = "1",                                                                   \
		  .help = "Seconds that an answer may take; by default 1." },                      \
		{ "Retries",                                                                       \
		  MC_OPT_INT(struct host_options, retries),                                        \
		  .default_value = "-1",                                                           \
		  .min = -1,                                                                       \
		  .max = 100,                                                                      \
		  .lenient = true,                                                                 \
		  .sample = "5",                                                                   \
		  .help = "How often a request without an answer is sent "                         \
			  "again; -1: 5 times." },                                                 \
		{ "BulkSize",                                                                      \
		  MC_OPT_INT(struct host_options, bulk_size),                                      \
		  .default_value = "-1",                                                           \
		  .min = -1,                                                                       \
		  .max = 100000,                                                                   \
		  .lenient = true,                                                                 \
		  .sample = "0",                                                                   \
		  .help = "Values that one answer has at most; 0, -1: as "                         \
			  "many as fit." },                                                        \
	{                                                                                          \
		"SourceAddress", MC_OPT_STRING(struct host_options, source),                       \
			.sample = "192.0.2.1",                                                     \
			.help = "Address of this host that requests are sent "                     \
				"from."                                                            \
	}

static const struct mc_option host_table[] = {
	{ "", MC_OPT_STRING(struct host_options, name), .required = true,
	  .help = "Host in the names of the series.", .sample = "switch.example" },
	{ "Address", MC_OPT_STRING(struct host_options, address),
	  .help = "Name or address of the device, with a transport before it "
		  "and a port after it if need be; by default its name.",
	  .sample = "udp:192.0.2.7:161" },
	{ "Template", MC_OPT_STRING(struct host_options, template),
	  .help = "Template that has what is not given here.", .sample = "access" },
	HOST_OPTIONS,
	{ 0 }
};

static const struct mc_option template_table[] = {
	{ "", MC_OPT_STRING(struct host_options, name), .required = true,
	  .help = "Name that the option Template uses.", .sample = "access" },
	{ "Hosts", MC_OPT_STRINGS(struct host_options, hosts),
	  .help = "Devices that are polled so, by name or address.", .sample = "sw1.example" },
	HOST_OPTIONS,
	{ 0 }
};

const struct mc_option options_table[] = {
	{ "Data", MC_OPT_BLOCKS(struct snmp_options, data),
	  .block = &(const struct mc_block){ sizeof(struct data_options), data_table },
	  .help = "Values, or a table of values, that devices have." },
	{ "Interfaces", MC_OPT_BLOCKS(struct snmp_options, interfaces),
	  .block = &(const struct mc_block){ sizeof(struct interfaces_options), interfaces_table },
	  .help = "Which network interfaces of a device are measured." },
	{ "Template", MC_OPT_BLOCKS(struct snmp_options, templates),
	  .block = &(const struct mc_block){ sizeof(struct host_options), template_table },
	  .help = "Options of several devices." },
	{ "Host", MC_OPT_BLOCKS(struct snmp_options, hosts),
	  .block = &(const struct mc_block){ sizeof(struct host_options), host_table },
	  .help = "A device." },
	{ "NamesInterval", MC_OPT_TIME(struct snmp_options, names_interval), .default_value = "1h",
	  .max = 1e9,
	  .help = "Time for which names of interfaces hold, unless a device "
		  "says that they change; 0: they are read in each pass." },
	{ "MessageSize", MC_OPT_INT(struct snmp_options, message_size), .default_value = "1472",
	  .min = 484, .max = 65507, .help = "Bytes that an answer should have at most." },
	{ "RowsMax", MC_OPT_INT(struct snmp_options, rows_max), .default_value = "20000", .min = 1,
	  .max = 1e7, .help = "Rows of a table that are read at most." },
	{ "OutstandingMax", MC_OPT_INT(struct snmp_options, outstanding_max), .default_value = "4",
	  .min = 1, .max = 4, .help = "Requests that a device has to answer at a time." },
	{ "Spread", MC_OPT_BOOL(struct snmp_options, spread), .default_value = "true",
	  .help = "Polls the devices one after the other, instead of all at "
		  "once." },
	MC_QUOTA_SOURCE_OPTIONS(struct snmp_options, limits, "device", "200000", "20000"),
	{ "HintsFile", MC_OPT_STRING(struct snmp_options, hints_file),
	  .default_value = "snmp.hints",
	  .help = "File in BaseDir of engines and indexes of tables at the "
		  "last stop, which make the first pass quicker; empty: "
		  "none." },
	{ "CollectStatistics", MC_OPT_BOOL(struct snmp_options, statistics),
	  .default_value = "false", .help = "Reports counters of the plugin itself." },
	{ 0 }
};

/* --- What they mean ------------------------------------------------------- */

const char *options_type_instance_oid(const struct data_options *data)
{
	if (!data->table || data->count)
		return NULL;
	if (data->type_instance_oid != NULL)
		return data->type_instance_oid;
	if (data->instance != NULL)
		return data->instance;
	if (data->plugin_instance_oid == NULL && data->host_oid == NULL &&
	    data->filter_index_oid == NULL)
		return "";
	return NULL;
}

const char *options_type_instance_prefix(const struct data_options *data)
{
	return data->type_instance_prefix != NULL ? data->type_instance_prefix
						  : data->instance_prefix;
}

const char *options_type_instance(const struct data_options *data)
{
	if (data->type_instance == NULL && !data->table)
		return data->instance;
	return data->type_instance;
}

const struct data_options *options_find_data(const struct snmp_options *options, const char *name)
{
	const struct data_options *items = options->data.items;

	for (size_t i = 0; i < options->data.len; i++)
		if (strcasecmp(items[i].name, name) == 0)
			return &items[i];
	return NULL;
}

const struct host_options *options_find_template(const struct snmp_options *options,
						 const char *name)
{
	const struct host_options *items = options->templates.items;

	for (size_t i = 0; i < options->templates.len; i++)
		if (strcasecmp(items[i].name, name) == 0)
			return &items[i];
	return NULL;
}

const struct interfaces_options *options_find_interfaces(const struct snmp_options *options,
							 const char *name)
{
	static const struct interfaces_options all = { .name = "interfaces" };
	const struct interfaces_options *items = options->interfaces.items;

	for (size_t i = 0; i < options->interfaces.len; i++)
		if (strcasecmp(items[i].name, name) == 0)
			return &items[i];
	return strcasecmp(name, all.name) == 0 ? &all : NULL;
}

static void inherit_text(const char **own, const char *other)
{
	if (*own == NULL)
		*own = other;
}

static void inherit(struct host_options *host, const struct host_options *other)
{
	inherit_text(&host->source, other->source);
	inherit_text(&host->community, other->community);
	inherit_text(&host->username, other->username);
	inherit_text(&host->context, other->context);
	inherit_text(&host->security_level, other->security_level);
	inherit_text(&host->auth_protocol, other->auth_protocol);
	inherit_text(&host->auth_passphrase, other->auth_passphrase);
	inherit_text(&host->privacy_protocol, other->privacy_protocol);
	inherit_text(&host->privacy_passphrase, other->privacy_passphrase);
	if (host->version == 0)
		host->version = other->version;
	if (host->collect.len == 0)
		host->collect = other->collect;
	if (host->interval == 0)
		host->interval = other->interval;
	if (host->timeout == 0)
		host->timeout = other->timeout;
	if (host->retries < 0)
		host->retries = other->retries;
	if (host->bulk_size < 0)
		host->bulk_size = other->bulk_size;
}

struct host_options options_complete(const struct snmp_options *options,
				     const struct host_options *host)
{
	static const struct host_options defaults = {
		.version = 2,
		.timeout = OPTIONS_TIMEOUT,
		.retries = OPTIONS_RETRIES,
	};
	struct host_options whole = *host;
	const struct host_options *template =
		host->template != NULL ? options_find_template(options, host->template) : NULL;

	if (template != NULL)
		inherit(&whole, template);
	inherit(&whole, &defaults);
	if (whole.address == NULL)
		whole.address = whole.name;
	/* Without a level that of the passphrases is meant. */
	if (whole.security_level == NULL)
		whole.security_level = whole.privacy_passphrase != NULL ? "authPriv"
				       : whole.auth_passphrase != NULL  ? "authNoPriv"
									: "noAuthNoPriv";
	return whole;
}

/* --- Addresses ------------------------------------------------------------ */

static const struct {
	const char *word;
	enum host_transport transport;
	int family;
} transports[] = {
	{ "udp:", TRANSPORT_UDP, AF_INET },    { "udp6:", TRANSPORT_UDP, AF_INET6 },
	{ "udpv6:", TRANSPORT_UDP, AF_INET6 }, { "udpipv6:", TRANSPORT_UDP, AF_INET6 },
	{ "tcp:", TRANSPORT_TCP, AF_INET },    { "tcp6:", TRANSPORT_TCP, AF_INET6 },
	{ "tcpv6:", TRANSPORT_TCP, AF_INET6 }, { "tcpipv6:", TRANSPORT_TCP, AF_INET6 },
};

bool options_address(const char *address, enum host_transport *transport, int *family, char *host,
		     char *port)
{
	const char *end, *colon;

	*transport = TRANSPORT_UDP;
	*family = AF_UNSPEC;
	*host = *port = '\0';
	for (size_t i = 0; i < sizeof(transports) / sizeof(*transports); i++) {
		size_t size = strlen(transports[i].word);

		if (strncasecmp(address, transports[i].word, size) == 0) {
			*transport = transports[i].transport;
			*family = transports[i].family;
			address += size;
			break;
		}
	}
	colon = strrchr(address, ':');
	end = address + strlen(address);
	if (*address == '[') { /* "[::1]:161" */
		end = strchr(++address, ']');
		if (end == NULL || (end[1] != '\0' && end[1] != ':'))
			return false;
		colon = end[1] == ':' ? end + 1 : NULL;
	} else if (colon != NULL && strchr(address, ':') == colon) {
		end = colon;
	} else { /* "::1" has no port. */
		colon = NULL;
	}
	memcpy(host, address, (size_t)(end - address));
	host[end - address] = '\0';
	memcpy(port, colon != NULL ? colon + 1 : "161", colon != NULL ? strlen(colon + 1) + 1 : 4);
	return *host != '\0' && *port != '\0';
}
