/* SPDX-License-Identifier: MIT */
/* Facts: collectd 5.12 beside BIND 9.18. */
#include "names.h"

#include <string.h>

struct name {
	const char *name;
	struct names_of_value names;
};

static const struct name server[] = {
	{ "Requestv4", { "dns_request", "IPv4" } },
	{ "Requestv6", { "dns_request", "IPv6" } },
	{ "ReqEdns0", { "dns_request", "EDNS0" } },
	{ "ReqBadEDNSVer", { "dns_request", "BadEDNSVer" } },
	{ "ReqTSIG", { "dns_request", "TSIG" } },
	{ "ReqSIG0", { "dns_request", "SIG0" } },
	{ "ReqBadSIG", { "dns_request", "BadSIG" } },
	{ "ReqTCP", { "dns_request", "TCP" } },
	{ "AuthQryRej", { "dns_reject", "authoritative" } },
	{ "RecQryRej", { "dns_reject", "recursive" } },
	{ "XfrRej", { "dns_reject", "transfer" } },
	{ "UpdateRej", { "dns_reject", "update" } },
	{ "Response", { "dns_response", "normal" } },
	{ "TruncatedResp", { "dns_response", "truncated" } },
	{ "RespEDNS0", { "dns_response", "EDNS0" } },
	{ "RespTSIG", { "dns_response", "TSIG" } },
	{ "RespSIG0", { "dns_response", "SIG0" } },
	{ "QryAuthAns", { "dns_query", "authoritative" } },
	{ "QryNoauthAns", { "dns_query", "nonauth" } },
	{ "QryReferral", { "dns_query", "referral" } },
	{ "QryRecursion", { "dns_query", "recursion" } },
	{ "QryDuplicate", { "dns_query", "duplicate" } },
	{ "QryDropped", { "dns_query", "dropped" } },
	{ "QryFailure", { "dns_query", "failure" } },
	{ "QrySuccess", { "dns_rcode", "tx-NOERROR" } },
	{ "QryNxrrset", { "dns_rcode", "tx-NXRRSET" } },
	{ "QrySERVFAIL", { "dns_rcode", "tx-SERVFAIL" } },
	{ "QryFORMERR", { "dns_rcode", "tx-FORMERR" } },
	{ "QryNXDOMAIN", { "dns_rcode", "tx-NXDOMAIN" } },
	{ 0 },
};

static const struct name zone_maintenance[] = {
	{ "NotifyOutv4", { "dns_notify", "tx-IPv4" } },
	{ "NotifyOutv6", { "dns_notify", "tx-IPv6" } },
	{ "NotifyInv4", { "dns_notify", "rx-IPv4" } },
	{ "NotifyInv6", { "dns_notify", "rx-IPv6" } },
	{ "NotifyRej", { "dns_notify", "rejected" } },
	{ "SOAOutv4", { "dns_opcode", "SOA-IPv4" } },
	{ "SOAOutv6", { "dns_opcode", "SOA-IPv6" } },
	{ "AXFRReqv4", { "dns_opcode", "AXFR-IPv4" } },
	{ "AXFRReqv6", { "dns_opcode", "AXFR-IPv6" } },
	{ "IXFRReqv4", { "dns_opcode", "IXFR-IPv4" } },
	{ "IXFRReqv6", { "dns_opcode", "IXFR-IPv6" } },
	{ "XfrSuccess", { "dns_transfer", "success" } },
	{ "XfrFail", { "dns_transfer", "failure" } },
	{ 0 },
};

static const struct name resolver[] = {
	{ "Queryv4", { "dns_query", "IPv4" } },
	{ "Queryv6", { "dns_query", "IPv6" } },
	{ "Retry", { "dns_query", "retry" } },
	{ "Responsev4", { "dns_response", "IPv4" } },
	{ "Responsev6", { "dns_response", "IPv6" } },
	{ "Mismatch", { "dns_response", "mismatch" } },
	{ "Truncated", { "dns_response", "truncated" } },
	{ "Lame", { "dns_response", "lame" } },
	{ "NXDOMAIN", { "dns_rcode", "rx-NXDOMAIN" } },
	{ "SERVFAIL", { "dns_rcode", "rx-SERVFAIL" } },
	{ "FORMERR", { "dns_rcode", "rx-FORMERR" } },
	{ "OtherError", { "dns_rcode", "rx-OTHER" } },
	{ "EDNS0Fail", { "dns_rcode", "rx-EDNS0Fail" } },
	{ "ValAttempt", { "dns_resolver", "DNSSEC-attempt" } },
	{ "ValOk", { "dns_resolver", "DNSSEC-okay" } },
	{ "ValNegOk", { "dns_resolver", "DNSSEC-negokay" } },
	{ "ValFail", { "dns_resolver", "DNSSEC-fail" } },
	{ 0 },
};

static const struct name memory[] = {
	{ "TotalUse", { "memory", "TotalUse" } },       { "InUse", { "memory", "InUse" } },
	{ "BlockSize", { "memory", "BlockSize" } },     { "Lost", { "memory", "Lost" } },
	{ "ContextSize", { "memory", "ContextSize" } }, { 0 },
};

static const struct {
	const struct name *names; /* NULL: all, of that type. */
	const char *type;
} groups[STATISTICS_GROUPS] = {
	[STATISTICS_OPCODES] = { NULL, "dns_opcode" },
	[STATISTICS_QTYPES] = { NULL, "dns_qtype" },
	[STATISTICS_SERVER] = { server, NULL },
	[STATISTICS_ZONE_MAINTENANCE] = { zone_maintenance, NULL },
	[STATISTICS_RESOLVER] = { resolver, NULL },
	[STATISTICS_MEMORY] = { memory, NULL },
	[STATISTICS_VIEW_QTYPES] = { NULL, "dns_qtype" },
	[STATISTICS_VIEW_RESOLVER] = { resolver, NULL },
	[STATISTICS_VIEW_CACHE] = { NULL, "dns_qtype_cached" },
	[STATISTICS_ZONE_QTYPES] = { NULL, "dns_qtype" },
	[STATISTICS_ZONE_SERVER] = { server, NULL },
};

bool names_of_value(const struct statistics_value *value, struct names_of_value *names)
{
	const struct name *known = groups[value->group].names;

	if (known == NULL) {
		*names = (struct names_of_value){ groups[value->group].type, value->name };
		return value->name[0] != '\0';
	}
	while (known->name != NULL && strcmp(known->name, value->name) != 0)
		known++;
	*names = known->names;
	return known->name != NULL;
}
