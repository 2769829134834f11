/* SPDX-License-Identifier: MIT */
/* A change comes as signals, PropertiesChanged of the kind of the unit and then of the unit.
 * Signals count only if their sender is systemd or the bus itself: anybody may send some. */
#include "news.h"

#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "list.h"
#include "property.h"
#include "question.h"

static void take_new(struct bus *bus, const char *name)
{
	struct unit *unit = units_find(bus->units, name);

	if (unit == NULL && strlen(name) < BUS_NAME_SIZE && bus->wants(bus->argument, name))
		unit = units_add(bus->units, name);
	/* A known one has been loaded anew, and sends its changes. */
	if (unit != NULL && unit->state == STATE_UNKNOWN)
		facts_want(bus, unit,
			   UNIT_BIT(UNIT_STATE) | UNIT_BIT(UNIT_SUB_STATE) |
				   UNIT_BIT(UNIT_ENTERED) | UNIT_BIT(UNIT_RESTARTS));
}

/* systemd forgets units that do nothing and that nothing refers to. */
static void take_removed(struct bus *bus, const char *name)
{
	struct unit *unit = units_find(bus->units, name);

	if (unit == NULL || bus->is_reloading)
		return;
	if (!unit->is_named) {
		list_remove(bus, unit);
		return;
	}
	units_enter(unit, STATE_INACTIVE);
	unit->sub_state = state_sub_code("dead");
	facts_look_at(bus, unit);
}

static void take_changes(struct bus *bus, sd_bus_message *message)
{
	struct unit *unit;
	char *name = NULL;
	unsigned facts;
	int rc = sd_bus_path_decode(sd_bus_message_get_path(message), QUESTION_UNITS, &name);

	if (rc <= 0)
		return;
	unit = units_find(bus->units, name);
	free(name);
	if (unit == NULL)
		return;
	rc = property_take_changes(unit, message, &facts);
	if (rc < 0) {
		question_give_up(bus, "what it reports is not what systemd does");
		return;
	}
	if (facts & UNIT_BIT(UNIT_RESULT)) /* Of a service: its state comes next. */
		return;
	if (facts & UNIT_BIT(UNIT_STATE)) {
		bool is_told = unit->outcome.result[0] != '\0' &&
			       strcmp(unit->outcome.result, "success") != 0 &&
			       property_interface(UNIT_CODE, unit->name) != NULL;

		unit->asked &= ~UNIT_BIT(UNIT_STATE);
		facts_want_outcome(bus, unit, is_told ? UNIT_BIT(UNIT_RESULT) : 0);
	}
	facts_look_at(bus, unit);
}

/* systemd reads its units anew: it reports all as removed and as new. */
static void take_reloading(struct bus *bus, sd_bus_message *message)
{
	int begins = 0;

	if (sd_bus_message_read_basic(message, 'b', &begins) <= 0)
		return;
	if (begins)
		bus->is_reloading = true;
	else
		list_begin(bus);
}

static void take_signal(struct bus *bus, sd_bus_message *message)
{
	const char *name;

	bus->heard = mc_now();
	if (sd_bus_message_is_signal(message, QUESTION_PROPERTIES, "PropertiesChanged") > 0)
		take_changes(bus, message);
	else if (sd_bus_message_is_signal(message, QUESTION_MANAGER, "Reloading") > 0)
		take_reloading(bus, message);
	else if (sd_bus_message_is_signal(message, QUESTION_MANAGER, "UnitNew") > 0 &&
		 sd_bus_message_read_basic(message, 's', &name) > 0)
		take_new(bus, name);
	else if (sd_bus_message_is_signal(message, QUESTION_MANAGER, "UnitRemoved") > 0 &&
		 sd_bus_message_read_basic(message, 's', &name) > 0)
		take_removed(bus, name);
}

static void take_owner(struct bus *bus, sd_bus_message *message)
{
	const char *name, *before, *after;

	if (sd_bus_message_read(message, "sss", &name, &before, &after) > 0 &&
	    strcmp(name, QUESTION_SYSTEMD) == 0 && strcmp(after, bus->owner) != 0)
		question_give_up(bus, "systemd has left the bus");
}

int news_take(sd_bus_message *message, void *argument, sd_bus_error *error)
{
	struct bus *bus = argument;
	const char *sender = sd_bus_message_get_sender(message);

	(void)error;
	if (sender == NULL || bus->owner[0] == '\0')
		return 0;
	if (strcmp(sender, bus->owner) == 0)
		take_signal(bus, message);
	else if (strcmp(sender, QUESTION_BUS) == 0 &&
		 sd_bus_message_is_signal(message, QUESTION_BUS, "NameOwnerChanged") > 0)
		take_owner(bus, message);
	return 0;
}
