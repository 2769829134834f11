/* SPDX-License-Identifier: MIT */
#include "agenda.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>

static void set(struct agenda *agenda, size_t index, struct device *device)
{
	agenda->items[index] = device;
	device->heap_index = index;
}

static void move_up(struct agenda *agenda, struct device *device)
{
	size_t index = device->heap_index;

	while (index > 0 && agenda->items[(index - 1) / 2]->wake > device->wake) {
		set(agenda, index, agenda->items[(index - 1) / 2]);
		index = (index - 1) / 2;
	}
	set(agenda, index, device);
}

static void move_down(struct agenda *agenda, struct device *device)
{
	size_t index = device->heap_index, child;

	while ((child = 2 * index + 1) < agenda->len) {
		if (child + 1 < agenda->len &&
		    agenda->items[child + 1]->wake < agenda->items[child]->wake)
			child++;
		if (agenda->items[child]->wake >= device->wake)
			break;
		set(agenda, index, agenda->items[child]);
		index = child;
	}
	set(agenda, index, device);
}

void agenda_init(struct agenda *agenda, struct device *devices, size_t len)
{
	agenda->items = mc_alloc_array(len, sizeof(struct device *));
	agenda->len = 0;
	for (size_t i = 0; i < len; i++) {
		set(agenda, agenda->len++, &devices[i]);
		move_up(agenda, &devices[i]);
	}
}

void agenda_done(struct agenda *agenda)
{
	free(agenda->items);
	*agenda = (struct agenda){ 0 };
}

void agenda_moved(struct agenda *agenda, struct device *device)
{
	move_up(agenda, device);
	move_down(agenda, device);
}
