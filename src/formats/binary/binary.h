/* SPDX-License-Identifier: MIT */
/* Collectd's binary protocol, for plugins that receive or send it.
 *
 * A packet is a row of parts: type and size as 16 bits each, the size counting these four bytes
 * too, then the content; numbers are big-endian.  Parts that name a series, its time and its
 * interval hold until the next of their kind; a part with values, or with a message, stands for
 * what holds there:
 *
 *   0x0000 host    0x0002 plugin  0x0003 its instance   text, ended by '\0'
 *   0x0004 type    0x0005 its instance
 *   0x0001 time    0x0007 interval                      seconds, 64 bits
 *   0x0008 time    0x0009 interval                      2^-30 s, 64 bits
 *   0x0006 values: their number, a byte each for their kinds, then 8 bytes
 *          each, of which gauges are little-endian doubles
 *   0x0101 severity, 64 bits      0x0100 message, which ends a notification
 *   0x0200 signature: HMAC-SHA256 of all that follows it, then the user
 *   0x0210 encrypted: 16 bits size of the user, the user, 16 bytes IV, then
 *          by AES-256 in OFB mode the SHA-1 of a packet, and the packet
 *
 * Facts: the page "Binary protocol" of collectd's wiki, and what collectd 5.12 sends.  All
 * functions are pure, do not allocate and may be called from any thread; what signs and encrypts is
 * the caller's.
 */
#pragma once

#include <collector/serve.h>

#define MC_BINARY_MAC_SIZE 32 /* HMAC-SHA256. */
#define MC_BINARY_IV_SIZE 16
#define MC_BINARY_SUM_SIZE 20    /* SHA-1. */
#define MC_BINARY_PART_SIZE 127  /* The longest part of a series' name. */
#define MC_BINARY_NAME_SIZE 1024 /* Room for a name put together. */

/* --- Reading ------------------------------------------------------------- */

enum mc_binary_item {
	MC_BINARY_END,
	MC_BINARY_VALUES,    /* name, id, stamp, kinds, values are set. */
	MC_BINARY_NOTICE,    /* notification is set. */
	MC_BINARY_SIGNED,    /* seal is set; what it covers comes next. */
	MC_BINARY_ENCRYPTED, /* seal is set; it ends here. */
	MC_BINARY_FAULT,     /* fault is set; the rest cannot be read. */
};

enum mc_binary_fault {
	MC_BINARY_TRUNCATED, /* A part reaches beyond the packet. */
	MC_BINARY_SIZE,      /* A part has a size that it cannot have. */
	MC_BINARY_STRING,    /* Text without '\0', or too long. */
	MC_BINARY_COUNT,     /* The number of values and the size disagree. */
	MC_BINARY_KIND,      /* No kind of value. */
	MC_BINARY_NO_NOTICE, /* A message without host, time or severity. */
	MC_BINARY_MISPLACED, /* A signature, or encrypted, after other parts. */
	MC_BINARY_FAULTS,    /* How many there are. */
};

struct mc_binary_envelope { /* A signature, or what is encrypted.  In the
			       packet. */
	const char *user;   /* Not ended by '\0'. */
	size_t user_size;
	unsigned char *code;    /* The MAC, or the IV. */
	unsigned char *covered; /* The signed or encrypted bytes. */
	size_t covered_size;
};

struct mc_binary { /* A packet being read.  All it points to is in it. */
	union {    /* Current state of the packet; never NULL, "" if not given. */
		struct mc_id id;
		const char *texts[5];
	};
	struct mc_stamp stamp; /* 0 what the packet does not say. */

	struct mc_name_parts name; /* Ended by '\0'; not checked. */
	size_t name_size;          /* Size of the whole name. */
	unsigned values_len;
	const unsigned char *kinds; /* enum mc_kind, one per value. */
	union mc_value values[MC_SOURCES_MAX];

	struct mc_notification notification;
	struct mc_binary_envelope envelope;
	enum mc_binary_fault fault;
	unsigned unknown_len; /* Parts passed over, of a type not known. */

	struct { /* The reader's own. */
		unsigned char *begin, *at, *end;
		uint16_t sizes[5]; /* Of the texts in id. */
		unsigned stale;    /* From where on the name is out of date. */
		size_t plugin_at, type_at, type_end;
		uint64_t severity;
		char text[MC_BINARY_NAME_SIZE];
	} own;
};

/* Starts to read.  The packet must live as long as the struct is used. */
void mc_binary_open(struct mc_binary *, unsigned char *packet, size_t size);

/* Goes to the next item.  After MC_BINARY_FAULT and MC_BINARY_ENCRYPTED comes the end. */
enum mc_binary_item mc_binary_next(struct mc_binary *);

/* Whether number and kinds of the values are those of the type. */
static inline bool mc_binary_is(const struct mc_binary *binary, const struct mc_type *type)
{
	if (binary->values_len != type->sources_len)
		return false;
	for (unsigned i = 0; i < type->sources_len; i++)
		if (binary->kinds[i] != type->sources[i].kind)
			return false;
	return true;
}

/* --- Writing ------------------------------------------------------------- */

/* The constant part of a series' packets, made once: its name as parts, and the head of its
 * values. */
struct mc_binary_series {
	const struct mc_type *type;
	uint16_t ends[6]; /* Of each part, and of the head, in bytes. */
	unsigned char bytes[];
};

/* The memory it takes, and filling that; 'id' is whole: no NULL, and the type's name in it. */
size_t mc_binary_series_size(const struct mc_id *, const struct mc_type *);
void mc_binary_series_init(struct mc_binary_series *, const struct mc_id *, const struct mc_type *);

struct mc_binary_packet { /* A packet being written. */
	unsigned char *bytes;
	size_t size, room;
	unsigned lists_len; /* Value lists in it. */

	struct {                                       /* The writer's own: what holds now. */
		const struct mc_binary_series *series; /* NULL: not known. */
		struct mc_stamp stamp;
		union { /* A copy, when 'series' may be gone. */
			struct mc_binary_series kept;
			unsigned char kept_room[768];
		};
	} own;
};

/* Starts a packet of at most 'room' bytes, at most 65535. */
void mc_binary_start(struct mc_binary_packet *, void *bytes, size_t room);

/* Appends the values, and before them the parts that have changed, in collectd's order.  False,
 * and nothing done, if there is no room.  The series must live until the next one is put, or
 * mc_binary_rest() is called. */
bool mc_binary_put(struct mc_binary_packet *, const struct mc_binary_series *, struct mc_stamp,
		   const union mc_value *values);

/* For a packet that is not full: the series that were put may go now. */
void mc_binary_rest(struct mc_binary_packet *);

/* Writes a packet with one notification: collectd sends each alone.  A message that does not fit
 * is cut, and so is a part of the name after MC_BINARY_PART_SIZE bytes: no receiver takes a longer
 * one.  Returns its size; 0 if there is no room, or no message. */
size_t mc_binary_notification(void *out, size_t room, const struct mc_notification *);

/* Bytes that stand before a packet that is signed or encrypted. */
size_t mc_binary_envelope_size(enum mc_binary_item, size_t user_size);

/* Writes these bytes for a packet of 'size' bytes, which begins right after
 * them in 'out'; 'seal' says where the MAC goes and what it covers, or where
 * the IV goes and what is to be encrypted: the SHA-1, then the packet. */
void mc_binary_envelope(unsigned char *out, enum mc_binary_item, const char *user, size_t size,
			struct mc_binary_envelope *);
