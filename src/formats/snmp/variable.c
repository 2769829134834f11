/* SPDX-License-Identifier: MIT */
/* Facts: RFC 2578 (types), RFC 3416 (exceptions), variables(5). */
#include "formats/snmp/variable.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <net-snmp/library/asn1.h>
#include <net-snmp/library/snmp_impl.h>

#include <collector/kit/number.h>

#include "formats/snmp/object_id.h"

bool mc_snmp_variable_exists(const netsnmp_variable_list *variable)
{
	switch (variable->type) {
	case ASN_NULL:
	case SNMP_NOSUCHOBJECT:
	case SNMP_NOSUCHINSTANCE:
	case SNMP_ENDOFMIBVIEW:
		return false;
	default:
		return true;
	}
}

static struct mc_snmp_number number_unsigned(uint64_t value)
{
	return (struct mc_snmp_number){ .kind = MC_SNMP_UNSIGNED, .positive = value };
}

static struct mc_snmp_number number_float(double value)
{
	return (struct mc_snmp_number){ .kind = MC_SNMP_FLOAT, .real = value };
}

/* A text that begins with a number counts as one: "23.5 C". */
static struct mc_snmp_number text_number(const netsnmp_variable_list *variable)
{
	struct mc_snmp_number number = { .from_text = true };
	char text[64];
	const char *at = text;
	size_t size = variable->val_len, digits;
	double real;
	int64_t whole;

	if (size >= sizeof(text))
		size = sizeof(text) - 1;
	if (size > 0)
		memcpy(text, variable->val.string, size);
	text[size] = '\0';
	at += strspn(at, " \t\r\n");
	digits = strspn(at + (*at == '-'), "0123456789") + (*at == '-');
	if (strchr(".eE", at[digits]) == NULL || at[digits] == '\0') {
		text[(size_t)(at - text) + digits] = '\0';
		if (mc_number_signed(at, INT64_MIN, INT64_MAX, &whole)) {
			number.kind = MC_SNMP_SIGNED;
			number.negative = whole;
		} else if (mc_number_unsigned(at, 10, UINT64_MAX, &number.positive)) {
			number.kind = MC_SNMP_UNSIGNED;
		}
		return number;
	}
	if (mc_number_take_double(&at, &real)) {
		number.kind = MC_SNMP_FLOAT;
		number.real = real;
	}
	return number;
}

struct mc_snmp_number mc_snmp_variable_number(const netsnmp_variable_list *variable)
{
	switch (variable->type) {
	case ASN_INTEGER:
		return (struct mc_snmp_number){ .kind = MC_SNMP_SIGNED,
						.negative = (int32_t)*variable->val.integer };
	case ASN_COUNTER:
	case ASN_GAUGE: /* And Unsigned32. */
	case ASN_TIMETICKS:
	case ASN_UINTEGER:
		return number_unsigned((uint32_t)*variable->val.integer);
	case ASN_COUNTER64:
	case ASN_OPAQUE_COUNTER64:
	case ASN_OPAQUE_U64:
		return number_unsigned((uint64_t)variable->val.counter64->high << 32 |
				       (uint32_t)variable->val.counter64->low);
	case ASN_OPAQUE_I64:
		return (struct mc_snmp_number){
			.kind = MC_SNMP_SIGNED,
			.negative = (int64_t)((uint64_t)variable->val.counter64->high << 32 |
					      (uint32_t)variable->val.counter64->low)
		};
	case ASN_OPAQUE_FLOAT:
		return number_float((double)*variable->val.floatVal);
	case ASN_OPAQUE_DOUBLE:
		return number_float(*variable->val.doubleVal);
	case ASN_OCTET_STR:
	case ASN_OPAQUE:
		return text_number(variable);
	default:
		return (struct mc_snmp_number){ 0 };
	}
}

static double as_double(const struct mc_snmp_number *number)
{
	if (number->kind == MC_SNMP_FLOAT)
		return number->real;
	if (number->kind == MC_SNMP_SIGNED)
		return (double)number->negative;
	return (double)number->positive;
}

bool mc_snmp_variable_value(const struct mc_snmp_number *number, enum mc_kind kind, double scale,
			    double shift, union mc_value *value)
{
	uint64_t bits =
		number->kind == MC_SNMP_SIGNED ? (uint64_t)number->negative : number->positive;

	if (number->kind == MC_SNMP_NONE)
		return false;
	if (kind == MC_GAUGE) {
		value->gauge =
			number->from_text ? as_double(number) : as_double(number) * scale + shift;
		return true;
	}
	if (number->kind == MC_SNMP_FLOAT) {
		/* Whole ones only: more than 2^53 are not exact. */
		if (!(fabs(number->real) <= 9007199254740992.0))
			return false;
		bits = (uint64_t)(int64_t)number->real;
	}
	if (kind == MC_DERIVE)
		value->derive = (int64_t)bits;
	else
		value->counter = bits;
	return true;
}

/* --- Texts ---------------------------------------------------------------- */

static void write_hexadecimal(const unsigned char *bytes, size_t size, char out[MC_SNMP_TEXT_SIZE])
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < size && used + 4 <= MC_SNMP_TEXT_SIZE; i++)
		used += (size_t)snprintf(out + used, MC_SNMP_TEXT_SIZE - used, "%s%02x",
					 i > 0 ? ":" : "", bytes[i]);
}

static void write_string(const netsnmp_variable_list *variable, char out[MC_SNMP_TEXT_SIZE])
{
	const unsigned char *bytes = variable->val.string;
	size_t size = variable->val_len;

	if (size >= MC_SNMP_TEXT_SIZE)
		size = MC_SNMP_TEXT_SIZE - 1;
	for (size_t i = 0; i < size; i++)
		if (bytes[i] < 32) {
			write_hexadecimal(bytes, variable->val_len, out);
			return;
		}
	if (size > 0)
		memcpy(out, bytes, size);
	out[size] = '\0';
}

static bool write_number(const netsnmp_variable_list *variable, char out[MC_SNMP_TEXT_SIZE])
{
	struct mc_snmp_number number = mc_snmp_variable_number(variable);

	switch (number.kind) {
	case MC_SNMP_SIGNED:
		snprintf(out, MC_SNMP_TEXT_SIZE, "%" PRId64, number.negative);
		return true;
	case MC_SNMP_UNSIGNED:
		snprintf(out, MC_SNMP_TEXT_SIZE, "%" PRIu64, number.positive);
		return true;
	case MC_SNMP_FLOAT:
		snprintf(out, MC_SNMP_TEXT_SIZE, "%.15g", number.real);
		return true;
	default:
		return false;
	}
}

bool mc_snmp_variable_text(const netsnmp_variable_list *variable, char out[MC_SNMP_TEXT_SIZE])
{
	const unsigned char *bytes = variable->val.string;

	switch (variable->type) {
	case ASN_OCTET_STR:
	case ASN_BIT_STR:
		write_string(variable, out);
		return true;
	case ASN_IPADDRESS:
		if (variable->val_len != 4)
			return false;
		snprintf(out, MC_SNMP_TEXT_SIZE, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2],
			 bytes[3]);
		return true;
	case ASN_OBJECT_ID:
		mc_object_id_text(&(struct mc_object_id){ variable->val.objid,
							  variable->val_len / sizeof(oid) },
				  out, MC_SNMP_TEXT_SIZE);
		return true;
	default:
		return write_number(variable, out);
	}
}

static size_t integer_size(const struct mc_snmp_number *number)
{
	uint64_t bits = number->positive;
	size_t size = 1;

	if (number->kind == MC_SNMP_SIGNED && number->negative < 0)
		bits = ~bits;
	while (bits >= 0x80) {
		bits >>= 8;
		size++;
	}
	return size;
}

size_t mc_snmp_variable_size(const netsnmp_variable_list *variable)
{
	const struct mc_object_id id = { variable->name, variable->name_length };
	size_t size = mc_object_id_size(&id) + 6; /* Tags and lengths. */
	struct mc_snmp_number number;

	switch (variable->type) {
	case ASN_OCTET_STR:
	case ASN_BIT_STR:
	case ASN_IPADDRESS:
	case ASN_OPAQUE:
		return size + variable->val_len;
	case ASN_OBJECT_ID:
		return size + mc_object_id_size(&(struct mc_object_id){
				      variable->val.objid, variable->val_len / sizeof(oid) });
	default:
		if (!mc_snmp_variable_exists(variable))
			return size;
		number = mc_snmp_variable_number(variable);
		return size + (number.kind == MC_SNMP_FLOAT ? 11 : integer_size(&number));
	}
}
