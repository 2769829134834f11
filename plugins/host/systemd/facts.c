/* SPDX-License-Identifier: MIT */
#include "facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "property.h"
#include "question.h"

void facts_look_at(struct bus *bus, struct unit *unit)
{
	unsigned open = unit->wanted | unit->asked;

	if ((open & (UNIT_OUTCOME | UNIT_BIT(UNIT_STATE))) == 0 && unit->state != STATE_UNKNOWN)
		bus->changed(bus->argument, unit);
}

void facts_want(struct bus *bus, struct unit *unit, unsigned facts)
{
	for (int i = 0; i < UNIT_FACTS; i++)
		if ((facts & UNIT_BIT(i)) &&
		    property_interface((enum unit_fact)i, unit->name) == NULL)
			facts &= ~UNIT_BIT(i);
	units_want(bus->units, unit, facts);
}

/* How it has ended is known where signals of its kind come. */
void facts_want_outcome(struct bus *bus, struct unit *unit, unsigned known)
{
	if (unit->state != STATE_FAILED || (known & UNIT_BIT(UNIT_RESULT)))
		return;
	unit->outcome = (struct outcome){ 0 };
	facts_want(bus, unit, UNIT_OUTCOME);
}

static int on_fact(sd_bus_message *message, void *argument, sd_bus_error *error);

static void ask_about(struct bus *bus, struct bus_call *call, struct unit *unit)
{
	sd_bus_message *message;
	char *path = NULL;
	int rc = sd_bus_path_encode(QUESTION_UNITS, unit->name, &path);

	if (rc < 0) {
		question_give_up(bus, "cannot ask it: %s", strerror(-rc));
		return;
	}
	snprintf(call->name, sizeof(call->name), "%s", unit->name);
	call->bus = bus;
	call->is_used = true;
	message = question_new(bus, path, QUESTION_PROPERTIES, "Get");
	if (message != NULL) {
		rc = sd_bus_message_append(message, "ss",
					   property_interface(call->fact, unit->name),
					   property_name(call->fact));
		if (rc < 0)
			question_give_up(bus, "cannot ask it: %s", strerror(-rc));
		question_ask(bus, message, on_fact, call);
	}
	free(path);
}

/* As many questions as may be open. */
void facts_ask(struct bus *bus)
{
	for (size_t i = 0; i < BUS_CALLS_MAX && bus->why[0] == '\0'; i++) {
		struct bus_call *call = &bus->calls[i];
		struct unit *unit = call->is_used ? NULL : units_wanted(bus->units, &call->fact);

		if (unit != NULL)
			ask_about(bus, call, unit);
	}
}

static int on_fact(sd_bus_message *message, void *argument, sd_bus_error *error)
{
	struct bus_call *call = argument;
	struct bus *bus = call->bus;
	struct unit *unit = units_find(bus->units, call->name);
	int rc = 0;

	(void)error;
	call->is_used = false;
	bus->heard = mc_now();
	if (unit == NULL)
		return 0;
	/* An error: it was unloaded meanwhile. */
	if (sd_bus_message_get_error(message) == NULL)
		rc = property_take(unit, call->fact, message);
	if (rc < 0) {
		question_give_up(bus, "its answer is not one of systemd");
		return 0;
	}
	unit->asked &= ~UNIT_BIT(call->fact);
	if (call->fact == UNIT_STATE)
		facts_want_outcome(bus, unit, 0);
	facts_look_at(bus, unit);
	return 0;
}
