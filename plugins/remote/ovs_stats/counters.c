/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include <string.h>

const struct counters_series counters_series[COUNTERS_SERIES] = {
	{ "if_collisions", NULL, { "collisions", NULL } },
	{ "if_dropped", NULL, { "rx_dropped", "tx_dropped" } },
	{ "if_errors", NULL, { "rx_errors", "tx_errors" } },
	{ "if_packets", NULL, { "rx_packets", "tx_packets" } },
	{ "if_rx_errors", "crc", { "rx_crc_err", NULL } },
	{ "if_rx_errors", "frame", { "rx_frame_err", NULL } },
	{ "if_rx_errors", "over", { "rx_over_err", NULL } },
	{ "if_rx_octets", NULL, { "rx_bytes", NULL } },
	{ "if_tx_octets", NULL, { "tx_bytes", NULL } },
	/* Of DPDK's devices alone. */
	{ "if_packets", "1_to_64_packets", { "rx_1_to_64_packets", "tx_1_to_64_packets" } },
	{ "if_packets", "65_to_127_packets", { "rx_65_to_127_packets", "tx_65_to_127_packets" } },
	{ "if_packets",
	  "128_to_255_packets",
	  { "rx_128_to_255_packets", "tx_128_to_255_packets" } },
	{ "if_packets",
	  "256_to_511_packets",
	  { "rx_256_to_511_packets", "tx_256_to_511_packets" } },
	{ "if_packets",
	  "512_to_1023_packets",
	  { "rx_512_to_1023_packets", "tx_512_to_1023_packets" } },
	{ "if_packets",
	  "1024_to_1522_packets",
	  { "rx_1024_to_1522_packets", "tx_1024_to_1522_packets" } },
	{ "if_packets",
	  "1523_to_max_packets",
	  { "rx_1523_to_max_packets", "tx_1523_to_max_packets" } },
	{ "if_packets", "broadcast_packets", { "rx_broadcast_packets", "tx_broadcast_packets" } },
	{ "if_packets", "multicast_packets", { "rx_multicast_packets", "tx_multicast_packets" } },
	{ "if_packets",
	  "management_packets",
	  { "rx_management_packets", "tx_management_packets" } },
	{ "if_packets", "good_packets", { "rx_good_packets", "tx_good_packets" } },
	{ "if_packets", "total_packets", { "rx_total_packets", "tx_total_packets" } },
	{ "if_octets", "good_bytes", { "rx_good_bytes", "tx_good_bytes" } },
	{ "if_rx_octets", "rx_error_bytes", { "rx_error_bytes", NULL } },
	{ "if_rx_errors", "rx_undersize_errors", { "rx_undersize_errors", NULL } },
	{ "if_rx_errors", "rx_undersized_errors", { "rx_undersized_errors", NULL } },
	{ "if_rx_errors", "rx_oversize_errors", { "rx_oversize_errors", NULL } },
	{ "if_rx_errors", "rx_fragmented_errors", { "rx_fragmented_errors", NULL } },
	{ "if_rx_errors", "rx_jabber_errors", { "rx_jabber_errors", NULL } },
};

void counters_clear(struct counters *counters)
{
	memset(counters, 0xff, sizeof(*counters));
}

void counters_set(struct counters *counters, const char *name, size_t size, int64_t value)
{
	for (size_t i = 0; i < COUNTERS_SERIES; i++) {
		for (size_t k = 0; k < 2; k++) {
			const char *known = counters_series[i].names[k];

			if (known != NULL && strlen(known) == size &&
			    memcmp(known, name, size) == 0) {
				counters->values[i][k] = value;
				return;
			}
		}
	}
}

void counters_add(struct counters *counters, const struct counters *more)
{
	for (size_t i = 0; i < COUNTERS_SERIES; i++) {
		for (size_t k = 0; k < 2; k++) {
			int64_t *sum = &counters->values[i][k], one = more->values[i][k];

			if (one < 0)
				continue;
			*sum = (int64_t)((uint64_t)(*sum > 0 ? *sum : 0) + (uint64_t)one);
			if (*sum < 0)
				*sum = INT64_MAX;
		}
	}
}
