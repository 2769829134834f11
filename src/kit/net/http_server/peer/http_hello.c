/* SPDX-License-Identifier: MIT */
/* Facts: RFC 8446, 4.1.2 and 5.1. */
#include "kit/net/http_server/peer/http_hello.h"

#define RECORD_SIZE 5     /* Type, version, size: of a handshake. */
#define MESSAGE_SIZE 4    /* Type and size: of a ClientHello. */
#define RANDOM_SIZE 34    /* With the version before it. */
#define HANDSHAKE 22      /* The type of such a record, */
#define CLIENT_HELLO 1    /* and of the message. */
#define SESSION_TICKET 35 /* Extensions. */
#define PRE_SHARED_KEY 41

struct rest {
	const unsigned char *at, *end;
};

/* A number of 1 or 2 bytes; 0: it is not there. */
static size_t take_number(struct rest *rest, size_t bytes)
{
	size_t number = 0;

	if ((size_t)(rest->end - rest->at) < bytes) {
		rest->at = rest->end;
		return 0;
	}
	while (bytes-- > 0)
		number = number << 8 | *rest->at++;
	return number;
}

static void skip(struct rest *rest, size_t size)
{
	size_t left = (size_t)(rest->end - rest->at);

	rest->at += size < left ? size : left;
}

bool http_hello_resumes(const unsigned char *bytes, size_t size)
{
	struct rest rest = { bytes, bytes + size };

	if (size < RECORD_SIZE + MESSAGE_SIZE || bytes[0] != HANDSHAKE ||
	    bytes[RECORD_SIZE] != CLIENT_HELLO)
		return false;
	skip(&rest, RECORD_SIZE + MESSAGE_SIZE + RANDOM_SIZE);
	skip(&rest, take_number(&rest, 1)); /* Identity of the session, */
	skip(&rest, take_number(&rest, 2)); /* ciphers, */
	skip(&rest, take_number(&rest, 1)); /* compression, */
	skip(&rest, 2);                     /* size of all extensions. */
	while (rest.end - rest.at >= 4) {
		size_t type = take_number(&rest, 2), of_one = take_number(&rest, 2);

		if (type == PRE_SHARED_KEY || (type == SESSION_TICKET && of_one > 0))
			return true;
		skip(&rest, of_one);
	}
	return false;
}
