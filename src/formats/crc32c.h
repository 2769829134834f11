/* SPDX-License-Identifier: MIT */
/* CRC32C, the Castagnoli polynomial (RFC 3720, appendix B.4). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The checksum of 'size' bytes that follow those of which 'before' is the checksum; 0 before the
 * first.  Pure.  Thread: any. */
uint32_t crc32c(uint32_t before, const void *data, size_t size);

/* The same without help of the processor: what the other is tested against. */
uint32_t crc32c_plain(uint32_t before, const void *data, size_t size);
