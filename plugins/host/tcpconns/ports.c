/* SPDX-License-Identifier: MIT */
#include "ports.h"

#include <collector/kit/alloc.h>

#include <linux/inet_diag.h>

/* For each port: if it is not less, and not greater, jump to the end, which accepts. */
struct block {
	struct inet_diag_bc_op least, least_port, most, most_port, jump;
};

/* 'after' is the size of the blocks that follow; a jump to four bytes beyond the end refuses. */
static void put(struct block *block, bool is_local, int64_t port, size_t after)
{
	const uint8_t two = 2 * sizeof(struct inet_diag_bc_op);
	size_t next = after > 0 ? sizeof(*block) : sizeof(*block) + 4;

	*block = (struct block){
		.least = { is_local ? INET_DIAG_BC_S_GE : INET_DIAG_BC_D_GE, two, (uint16_t)next },
		.least_port = { .no = (uint16_t)port },
		.most = { is_local ? INET_DIAG_BC_S_LE : INET_DIAG_BC_D_LE, two,
			  (uint16_t)(next - two) },
		.most_port = { .no = (uint16_t)port },
		.jump = { INET_DIAG_BC_JMP, sizeof(block->jump),
			  (uint16_t)(after + sizeof(block->jump)) },
	};
}

void *ports_program(const struct mc_ints *local, const struct mc_ints *remote, size_t *size)
{
	size_t len = local->len + remote->len;
	struct block *blocks;

	if (len == 0 || len > PORTS_MAX)
		return NULL;
	blocks = mc_alloc_array(len, sizeof(*blocks));
	for (size_t i = 0; i < len; i++) {
		bool is_local = i < local->len;

		put(&blocks[i], is_local,
		    is_local ? local->items[i] : remote->items[i - local->len],
		    (len - 1 - i) * sizeof(*blocks));
	}
	*size = len * sizeof(*blocks);
	return blocks;
}
