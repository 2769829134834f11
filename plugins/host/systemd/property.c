/* SPDX-License-Identifier: MIT */
#include "property.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define UNIT_INTERFACE "org.freedesktop.systemd1.Unit"

static const struct {
	const char *name;
	char type;
	bool services_only;
} properties[UNIT_FACTS] = {
	[UNIT_STATE] = { "ActiveState", 's', false },
	[UNIT_SUB_STATE] = { "SubState", 's', false },
	[UNIT_ENTERED] = { "ActiveEnterTimestamp", 't', false },
	[UNIT_RESTARTS] = { "NRestarts", 'u', true },
	[UNIT_RESULT] = { "Result", 's', false },
	[UNIT_CODE] = { "ExecMainCode", 'i', true },
	[UNIT_STATUS] = { "ExecMainStatus", 'i', true },
};

static const struct {
	const char *ending, *interface;
} kinds[] = { /* Those that have a result; services first. */
	      { ".service", "org.freedesktop.systemd1.Service" },
	      { ".socket", "org.freedesktop.systemd1.Socket" },
	      { ".mount", "org.freedesktop.systemd1.Mount" },
	      { ".automount", "org.freedesktop.systemd1.Automount" },
	      { ".swap", "org.freedesktop.systemd1.Swap" },
	      { ".timer", "org.freedesktop.systemd1.Timer" },
	      { ".path", "org.freedesktop.systemd1.Path" },
	      { ".scope", "org.freedesktop.systemd1.Scope" }
};

const char *property_name(enum unit_fact fact)
{
	return properties[fact].name;
}

const char *property_interface(enum unit_fact fact, const char *unit)
{
	const char *ending = strrchr(unit, '.');

	if (fact == UNIT_STATE || fact == UNIT_SUB_STATE || fact == UNIT_ENTERED)
		return UNIT_INTERFACE;
	for (size_t i = 0; ending != NULL && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].ending, ending) == 0)
			return i == 0 || !properties[fact].services_only ? kinds[i].interface : NULL;
	return NULL;
}

union value {
	const char *text;
	uint64_t large;
	uint32_t number;
	int32_t whole;
};

static void set(struct unit *unit, enum unit_fact fact, const union value *value)
{
	switch (fact) {
	case UNIT_STATE:
		units_enter(unit, state_of(value->text));
		break;
	case UNIT_SUB_STATE:
		unit->sub_state = state_sub_code(value->text);
		break;
	case UNIT_ENTERED:
		unit->entered = value->large;
		break;
	case UNIT_RESTARTS:
		unit->restarts = value->number;
		break;
	case UNIT_RESULT:
		snprintf(unit->outcome.result, sizeof(unit->outcome.result), "%s", value->text);
		break;
	case UNIT_CODE:
		unit->outcome.code = value->whole;
		break;
	case UNIT_STATUS:
		unit->outcome.status = value->whole;
		break;
	case UNIT_FACTS:
		break;
	}
}

int property_take(struct unit *unit, enum unit_fact fact, sd_bus_message *message)
{
	const char type[] = { properties[fact].type, '\0' };
	union value value;
	int rc = sd_bus_message_enter_container(message, 'v', type);

	if (rc > 0)
		rc = sd_bus_message_read_basic(message, type[0], &value);
	if (rc > 0)
		rc = sd_bus_message_exit_container(message);
	if (rc < 0)
		return rc;
	set(unit, fact, &value);
	return 0;
}

/* One of the dictionary. */
static int take_entry(struct unit *unit, sd_bus_message *message, unsigned *facts)
{
	const char *name;
	int rc = sd_bus_message_read_basic(message, 's', &name);

	if (rc <= 0)
		return rc < 0 ? rc : -EBADMSG;
	for (int i = 0; i < UNIT_FACTS; i++)
		if (strcmp(properties[i].name, name) == 0) {
			*facts |= UNIT_BIT(i);
			return property_take(unit, (enum unit_fact)i, message);
		}
	rc = sd_bus_message_skip(message, "v");
	return rc < 0 ? rc : 0;
}

int property_take_changes(struct unit *unit, sd_bus_message *message, unsigned *facts)
{
	int rc = sd_bus_message_skip(message, "s");

	*facts = 0;
	if (rc >= 0)
		rc = sd_bus_message_enter_container(message, 'a', "{sv}");
	if (rc < 0)
		return rc;
	while ((rc = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
		rc = take_entry(unit, message, facts);
		if (rc == 0)
			rc = sd_bus_message_exit_container(message);
		if (rc < 0)
			return rc;
	}
	return rc;
}
