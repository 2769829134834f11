/* SPDX-License-Identifier: MIT */
/* Facts: a page of BIND 9.18, and its bind9.xsl. */
#include "statistics.h"

#include <stdio.h>
#include <string.h>

#include "xml.h"

enum place { /* Which element it is. */
	     OTHER,
	     DOCUMENT,
	     STATISTICS,
	     SERVER,
	     TIME,
	     SERVER_COUNTERS,
	     MEMORY,
	     SUMMARY,
	     VIEWS,
	     VIEW,
	     VIEW_COUNTERS,
	     CACHE,
	     RRSET,
	     RRSET_NAME,
	     ZONES,
	     ZONE,
	     ZONE_COUNTERS,
	     COUNTER,
};

static const struct step {
	enum place parent;
	const char *name; /* NULL: any. */
	enum place place;
} steps[] = {
	{ DOCUMENT, "statistics", STATISTICS },
	{ STATISTICS, "server", SERVER },
	{ STATISTICS, "memory", MEMORY },
	{ STATISTICS, "views", VIEWS },
	{ SERVER, "current-time", TIME },
	{ SERVER, "counters", SERVER_COUNTERS },
	{ SERVER_COUNTERS, "counter", COUNTER },
	{ MEMORY, "summary", SUMMARY },
	{ SUMMARY, NULL, COUNTER },
	{ VIEWS, "view", VIEW },
	{ VIEW, "counters", VIEW_COUNTERS },
	{ VIEW_COUNTERS, "counter", COUNTER },
	{ VIEW, "cache", CACHE },
	{ CACHE, "rrset", RRSET },
	{ RRSET, "name", RRSET_NAME },
	{ RRSET, "counter", COUNTER },
	{ VIEW, "zones", ZONES },
	{ ZONES, "zone", ZONE },
	{ ZONE, "counters", ZONE_COUNTERS },
	{ ZONE_COUNTERS, "counter", COUNTER },
};

static const struct kind {
	enum place place;
	const char *type;
	enum statistics_group group;
} kinds[] = {
	{ SERVER_COUNTERS, "opcode", STATISTICS_OPCODES },
	{ SERVER_COUNTERS, "qtype", STATISTICS_QTYPES },
	{ SERVER_COUNTERS, "nsstat", STATISTICS_SERVER },
	{ SERVER_COUNTERS, "zonestat", STATISTICS_ZONE_MAINTENANCE },
	{ SERVER_COUNTERS, "resstat", STATISTICS_RESOLVER },
	{ VIEW_COUNTERS, "resqtype", STATISTICS_VIEW_QTYPES },
	{ VIEW_COUNTERS, "resstats", STATISTICS_VIEW_RESOLVER },
	{ ZONE_COUNTERS, "qtype", STATISTICS_ZONE_QTYPES },
	{ ZONE_COUNTERS, "rcode", STATISTICS_ZONE_SERVER },
};

struct reading {
	struct xml xml;
	enum place places[XML_DEPTH_MAX + 1]; /* Of the elements that have begun. */
	enum statistics_group group;
	char version[16], type[32], time[32], number[32];
	char view[STATISTICS_NAME_SIZE], zone[STATISTICS_NAME_SIZE], name[STATISTICS_NAME_SIZE];
	statistics_visit *visit;
	void *argument;
};

static enum place place_of(enum place parent, struct xml_text name)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (steps[i].parent == parent &&
		    (steps[i].name == NULL || xml_is(name, steps[i].name)))
			return steps[i].place;
	return OTHER;
}

static void begin_counters(struct reading *reading, enum place place)
{
	xml_attribute(&reading->xml, "type", reading->type, sizeof(reading->type));
	reading->group = STATISTICS_GROUPS;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].place == place && strcmp(kinds[i].type, reading->type) == 0)
			reading->group = kinds[i].group;
}

static void begin_zone(struct reading *reading)
{
	char class[16];
	size_t size;

	xml_attribute(&reading->xml, "name", reading->zone, sizeof(reading->zone));
	xml_attribute(&reading->xml, "rdataclass", class, sizeof(class));
	size = strlen(reading->zone);
	snprintf(reading->zone + size, sizeof(reading->zone) - size, "/%s", class);
}

static void begin_counter(struct reading *reading, enum place parent)
{
	reading->number[0] = '\0';
	if (parent == SUMMARY)
		xml_copy(reading->xml.name, reading->name, sizeof(reading->name));
	else if (parent != RRSET)
		xml_attribute(&reading->xml, "name", reading->name, sizeof(reading->name));
}

static void begin(struct reading *reading)
{
	enum place parent = reading->places[reading->xml.depth - 1];
	enum place place = place_of(parent, reading->xml.name);

	reading->places[reading->xml.depth] = place;
	switch (place) {
	case STATISTICS:
		xml_attribute(&reading->xml, "version", reading->version, sizeof(reading->version));
		break;
	case VIEW:
		xml_attribute(&reading->xml, "name", reading->view, sizeof(reading->view));
		break;
	case ZONE:
		begin_zone(reading);
		break;
	case SERVER_COUNTERS:
	case VIEW_COUNTERS:
	case ZONE_COUNTERS:
		begin_counters(reading, place);
		break;
	case CACHE:
		reading->group = STATISTICS_VIEW_CACHE;
		break;
	case SUMMARY:
		reading->group = STATISTICS_MEMORY;
		break;
	case COUNTER:
		begin_counter(reading, parent);
		break;
	default:
		break;
	}
}

static void end(struct reading *reading)
{
	enum place place = reading->places[reading->xml.depth + 1];
	const struct statistics_value value = { reading->group, reading->view,   reading->zone,
						reading->name,  reading->number, reading->time };

	if (place == VIEW)
		reading->view[0] = '\0';
	else if (place == ZONE)
		reading->zone[0] = '\0';
	else if (place == COUNTER && reading->group != STATISTICS_GROUPS &&
		 reading->number[0] != '\0')
		reading->visit(reading->argument, &value);
}

static void take_text(struct reading *reading)
{
	switch (reading->places[reading->xml.depth]) {
	case TIME:
		xml_copy(reading->xml.text, reading->time, sizeof(reading->time));
		break;
	case RRSET_NAME:
		xml_copy(reading->xml.text, reading->name, sizeof(reading->name));
		break;
	case COUNTER:
		xml_copy(reading->xml.text, reading->number, sizeof(reading->number));
		break;
	default:
		break;
	}
}

const char *statistics_read(const char *page, size_t size, statistics_visit *visit, void *argument)
{
	struct reading reading;
	enum xml_item item;

	memset(&reading, 0, sizeof(reading));
	reading.visit = visit;
	reading.argument = argument;
	reading.places[0] = DOCUMENT;
	xml_open(&reading.xml, page, size);
	while ((item = xml_next(&reading.xml)) != XML_END) {
		if (item == XML_WRONG)
			return "is no XML";
		if (item == XML_OPEN)
			begin(&reading);
		else if (item == XML_CLOSE)
			end(&reading);
		else
			take_text(&reading);
		if (reading.version[0] != '3')
			return "has no statistics of version 3, as BIND 9.10 and later have";
	}
	return NULL;
}
