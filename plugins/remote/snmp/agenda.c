/* SPDX-License-Identifier: MIT */
#include "agenda.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>

static void set(struct agenda *agenda, size_t place, struct device *device)
{
	agenda->items[place] = device;
	device->heap_place = place;
}

static void move_up(struct agenda *agenda, struct device *device)
{
	size_t place = device->heap_place;

	while (place > 0 &&
	       agenda->items[(place - 1) / 2]->wake > device->wake) {
		set(agenda, place, agenda->items[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	set(agenda, place, device);
}

static void move_down(struct agenda *agenda, struct device *device)
{
	size_t place = device->heap_place, child;

	while ((child = 2 * place + 1) < agenda->len) {
		if (child + 1 < agenda->len &&
		    agenda->items[child + 1]->wake < agenda->items[child]->wake)
			child++;
		if (agenda->items[child]->wake >= device->wake)
			break;
		set(agenda, place, agenda->items[child]);
		place = child;
	}
	set(agenda, place, device);
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
