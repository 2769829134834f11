/* SPDX-License-Identifier: MIT */
#include "traffic.h"

#include <stdio.h>

#include "parse.h"

void traffic_init(struct traffic *traffic)
{
	*traffic = (struct traffic){ .fds = { -1, -1 } };
}

void traffic_close(struct traffic *traffic, struct mc_kept_files *files)
{
	for (unsigned i = 0; i < DIRECTIONS_LEN; i++)
		mc_kept_close(files, &traffic->fds[i]);
}

void traffic_read(struct traffic *traffic, struct mc_kept_files *net, const char *device)
{
	static const char *const files[DIRECTIONS_LEN] = { "tx_bytes", "rx_bytes" };
	uint64_t now[DIRECTIONS_LEN];
	bool is_there = true;

	for (unsigned i = 0; i < DIRECTIONS_LEN; i++) {
		char path[TRAFFIC_NAME_SIZE + 32];

		snprintf(path, sizeof(path), "%s/statistics/%s", device, files[i]);
		is_there = is_there && mc_kept_read(net, path, &traffic->fds[i]) > 0 &&
			   parse_count(net->text, &now[i]);
		traffic->moved[i] = 0;
	}
	traffic->is_counted = is_there && traffic->has_before;
	for (unsigned i = 0; i < DIRECTIONS_LEN && traffic->is_counted; i++)
		if (now[i] >= traffic->before[i])
			traffic->moved[i] = (double)(now[i] - traffic->before[i]);
		else
			traffic->is_counted = false; /* It was made anew. */
	traffic->has_before = is_there;
	for (unsigned i = 0; i < DIRECTIONS_LEN; i++) {
		if (is_there)
			traffic->before[i] = now[i];
		if (!traffic->is_counted)
			traffic->moved[i] = 0;
	}
}
