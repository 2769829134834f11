/* SPDX-License-Identifier: MIT */
#include "list.h"

#include <string.h>

#include "facts.h"
#include "question.h"

struct row { /* Of a list of units. */
	const char *name, *load, *active, *sub;
};

static int read_row(sd_bus_message *message, struct row *row)
{
	return sd_bus_message_read(message, "(ssssssouso)", &row->name, NULL, &row->load,
				   &row->active, &row->sub, NULL, NULL, NULL, NULL, NULL);
}

static void take_row(struct bus *bus, const struct row *row, bool is_named)
{
	struct unit *unit;

	if (strlen(row->name) >= BUS_NAME_SIZE)
		return;
	unit = is_named || bus->wants(bus->argument, row->name) ? units_add(bus->units, row->name)
								: NULL;
	if (unit == NULL)
		return;
	if (is_named && !unit->is_named && strcmp(row->load, "not-found") == 0)
		mc_log(bus->loop->ctx, MC_WARN, "systemd has no unit '%s'", row->name);
	/* After a pause what is known may be out of date; after a reload it is not. */
	if (!bus->is_ready || unit->state != state_of(row->active)) {
		units_enter(unit, state_of(row->active));
		facts_want(bus, unit, UNIT_BIT(UNIT_ENTERED) | UNIT_BIT(UNIT_RESTARTS));
		facts_want_outcome(bus, unit, 0);
	}
	unit->is_named |= is_named;
	unit->is_listed = true;
	unit->sub_state = state_sub_code(row->sub);
	facts_look_at(bus, unit);
}

void list_remove(struct bus *bus, struct unit *unit)
{
	bus->removed(bus->argument, unit);
	units_remove(bus->units, unit);
}

static void end_list(struct bus *bus)
{
	struct unit *unit = units_next(bus->units, NULL), *next;

	for (; unit != NULL; unit = next) {
		next = units_next(bus->units, unit);
		if (!unit->is_listed)
			list_remove(bus, unit);
		else
			unit->is_listed = false;
	}
	if (bus->units->refused > 0 && !bus->is_limit_logged) {
		mc_log(bus->loop->ctx, MC_WARN, "more than %zu units: others are left out",
		       bus->units->limit);
		bus->is_limit_logged = true;
	}
	bus->is_ready = true;
	mc_backoff_done(&bus->backoff);
	mc_loop_unset_timer(bus->loop, &bus->complaint);
	mc_works(bus->loop->ctx, &bus->once, "systemd answers again");
}

static void take_list(struct bus *bus, sd_bus_message *message, bool is_named)
{
	struct row row;
	int rc;

	bus->heard = mc_now();
	bus->lists--;
	if (question_failed(bus, message, "it does not list its units"))
		return;
	rc = sd_bus_message_enter_container(message, 'a', "(ssssssouso)");
	while (rc >= 0 && (rc = read_row(message, &row)) > 0)
		take_row(bus, &row, is_named);
	if (rc < 0)
		question_give_up(bus, "its list of units is not one of systemd");
	else if (bus->lists == 0)
		end_list(bus);
}

static int on_list(sd_bus_message *message, void *argument, sd_bus_error *error)
{
	(void)error;
	take_list(argument, message, false);
	return 0;
}

static int on_names(sd_bus_message *message, void *argument, sd_bus_error *error)
{
	(void)error;
	take_list(argument, message, true);
	return 0;
}

void list_begin(struct bus *bus)
{
	sd_bus_message *message;
	int rc = 0;

	for (struct unit *unit = units_next(bus->units, NULL); unit != NULL;
	     unit = units_next(bus->units, unit))
		unit->is_listed = false;
	bus->is_reloading = false;
	if (bus->lists_all) {
		message = question_new(bus, QUESTION_PATH, QUESTION_MANAGER, "ListUnits");
		bus->lists++;
		if (message != NULL)
			question_ask(bus, message, on_list, bus);
	}
	if (bus->names == NULL || bus->names->len == 0)
		return;
	message = question_new(bus, QUESTION_PATH, QUESTION_MANAGER, "ListUnitsByNames");
	if (message == NULL)
		return;
	rc = sd_bus_message_open_container(message, 'a', "s");
	for (size_t i = 0; i < bus->names->len && rc >= 0; i++)
		rc = sd_bus_message_append_basic(message, 's', bus->names->items[i]);
	if (rc >= 0)
		rc = sd_bus_message_close_container(message);
	if (rc < 0)
		question_give_up(bus, "cannot ask it: %s", strerror(-rc));
	bus->lists++;
	question_ask(bus, message, on_names, bus);
}
