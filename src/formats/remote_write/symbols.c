/* SPDX-License-Identifier: MIT */
#include "formats/remote_write/symbols.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct symbol *symbols_get(struct symbols *symbols, const char *text)
{
	size_t size = strlen(text);
	struct symbol *symbol = (struct symbol *)mc_map_find(&symbols->map, text, size);

	if (symbol == NULL) {
		symbol = mc_alloc_zero(sizeof(*symbol) + size + 1);
		memcpy(symbol->text, text, size);
		symbol->size = (uint32_t)size;
		symbol->node.key = symbol->text;
		symbol->node.key_size = size;
		mc_map_add(&symbols->map, &symbol->node);
	}
	symbol->users++;
	return symbol;
}

void symbols_release(struct symbols *symbols, struct symbol *symbol)
{
	if (symbol == NULL || --symbol->users > 0)
		return;
	mc_map_remove(&symbols->map, &symbol->node);
	free(symbol);
}

/* A symbol that was not used since the numbers of requests began anew would have one of those. */
static void begin_anew(struct symbols *symbols)
{
	for (struct mc_map_node *node = mc_map_next(&symbols->map, NULL); node != NULL;
	     node = mc_map_next(&symbols->map, node))
		((struct symbol *)node)->request = 0;
	symbols->request = 1;
}

void symbols_begin(struct symbols *symbols)
{
	symbols->used_len = 0;
	if (++symbols->request == 0)
		begin_anew(symbols);
}

uint32_t symbols_use(struct symbols *symbols, struct symbol *symbol)
{
	MC_ARRAY_GROW(symbols->used, symbols->used_len, symbols->used_room);
	symbols->used[symbols->used_len++] = symbol;
	symbol->request = symbols->request;
	symbol->number = symbols->used_len;
	return symbol->number;
}

void symbols_done(struct symbols *symbols)
{
	mc_map_done(&symbols->map);
	free(symbols->used);
	*symbols = (struct symbols){ .request = 0 };
}
