/* SPDX-License-Identifier: MIT */
/* Any bytes as a message of ICMP: the first says by what kind of socket it has
 * come, the second how many bytes of data were sent. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "echo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct echo_how how;
	struct echo echo = { .id = 1 };
	uint16_t sequence;

	if (size < 2)
		return 0;
	how = (struct echo_how){ (data[0] & 1) != 0, (data[0] & 2) != 0 };
	echo.v6 = (data[0] & 4) != 0;
	echo.data_size = data[1];
	if (echo_read(data + 2, size - 2, how, &echo, &sequence))
		assert(size - 2 >= ECHO_HEADER_SIZE + echo.data_size);
	return 0;
}
