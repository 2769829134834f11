/* SPDX-License-Identifier: MIT */
/* Facts: IANA, "Domain Name System (DNS) Parameters". */
#include "names.h"

#include <stdio.h>

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

/* By their numbers, from 1 on; NULL: without a name. */
static const char *const first_types[] = {
	NULL,     "A",     "NS",     "MD",         "MF",      "CNAME",      "SOA",   "MB",
	"MG",     "MR",    "NULL",   "WKS",        "PTR",     "HINFO",      "MINFO", "MX",
	"TXT",    "RP",    "AFSDB",  "X25",        "ISDN",    "RT",         "NSAP",  "NSAP-PTR",
	"SIG",    "KEY",   "PX",     "GPOS",       "AAAA",    "LOC",        "NXT",   "EID",
	"NIMLOC", "SRV",   "ATMA",   "NAPTR",      "KX",      "CERT",       "A6",    "DNAME",
	"SINK",   "OPT",   "APL",    "DS",         "SSHFP",   "IPSECKEY",   "RRSIG", "NSEC",
	"DNSKEY", "DHCID", "NSEC3",  "NSEC3PARAM", "TLSA",    "SMIMEA",     NULL,    "HIP",
	"NINFO",  "RKEY",  "TALINK", "CDS",        "CDNSKEY", "OPENPGPKEY", "CSYNC",
};

static const struct {
	unsigned number;
	const char *name;
} other_types[] = {
	{ 99, "SPF" },    { 100, "UINFO" }, { 101, "UID" },   { 102, "GID" },  { 103, "UNSPEC" },
	{ 104, "NID" },   { 105, "L32" },   { 106, "L64" },   { 107, "LP" },   { 108, "EUI48" },
	{ 109, "EUI64" }, { 249, "TKEY" },  { 250, "TSIG" },  { 251, "IXFR" }, { 252, "AXFR" },
	{ 253, "MAILB" }, { 254, "MAILA" }, { 255, "ANY" },   { 256, "URI" },  { 257, "CAA" },
	{ 258, "AVC" },   { 32768, "TA" },  { 32769, "DLV" },
};

static const char *const opcodes[] = { "Query", "Iquery", "Status", NULL, "Notify", "Update" };

static const char *const rcodes[] = { NULL,      "FORMERR", "SERVFAIL", "NXDOMAIN",
				      "NOTIMPL", "REFUSED", "YXDOMAIN", "YXRRSET",
				      "NXRRSET", "NOTAUTH", "NOTZONE",  "MAX" };

static const char *type_of(unsigned type)
{
	if (type < LEN(first_types))
		return first_types[type];
	for (size_t i = 0; i < LEN(other_types); i++)
		if (other_types[i].number == type)
			return other_types[i].name;
	return NULL;
}

static void name(const char *found, const char *prefix, unsigned number, char out[NAMES_SIZE])
{
	if (found != NULL)
		snprintf(out, NAMES_SIZE, "%s", found);
	else
		snprintf(out, NAMES_SIZE, "%s%u", prefix, number);
}

bool names_has_type(unsigned type)
{
	return type_of(type) != NULL;
}

void names_type(unsigned type, char out[NAMES_SIZE])
{
	name(type_of(type), "#", type, out);
}

void names_opcode(unsigned opcode, char out[NAMES_SIZE])
{
	name(opcode < LEN(opcodes) ? opcodes[opcode] : NULL, "Opcode", opcode, out);
}

void names_rcode(unsigned rcode, char out[NAMES_SIZE])
{
	name(rcode < LEN(rcodes) ? rcodes[rcode] : NULL, "RCode", rcode, out);
}
