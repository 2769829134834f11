/* SPDX-License-Identifier: MIT */
/* Any bytes as the first message of a client of TLS: what has been seen in its begin stays seen
 * when more of it is there. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/net/http_server/peer/http_hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory that ends where the bytes do. */
static bool resumes(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size > 0 ? size : 1);
	bool found;

	assert(exact != NULL);
	if (size > 0)
		memcpy(exact, data, size);
	found = http_hello_resumes(exact, size);
	free(exact);
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool whole = resumes(data, size);

	for (size_t less = size; less-- > 0 && size < 4096;)
		assert(whole || !resumes(data, less));
	return 0;
}
