/* SPDX-License-Identifier: MIT */
#include "notice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "formats/snmp/names.h"

#define NAME_SIZE 256

struct name {
	struct mc_lru_node node;
	oid *ids;
	char text[];
};

/* --- Names ---------------------------------------------------------------- */

static void forget(struct notice *notice, struct name *name)
{
	mc_lru_remove(&notice->names, &name->node);
	free(name->ids);
	free(name);
}

/* "ifDescr.3", or numbers.  Valid until NOTICE_NAMES_MAX others. */
static const char *name_of(struct notice *notice, const struct mc_object_id *id)
{
	size_t key_size = id->len * sizeof(*id->ids), size;
	struct mc_lru_node *node = mc_lru_find(&notice->names, id->ids, key_size);
	char text[NAME_SIZE];
	struct name *name;

	if (node != NULL) {
		mc_lru_use(&notice->names, node);
		return ((struct name *)node)->text;
	}
	if (notice->names.map.len >= NOTICE_NAMES_MAX)
		forget(notice, (struct name *)notice->names.oldest);
	mc_snmp_name_of(id, text, sizeof(text));
	size = strlen(text) + 1;
	name = mc_alloc_zero(sizeof(*name) + size);
	memcpy(name->text, text, size);
	name->ids = mc_alloc_array(id->len, sizeof(*id->ids));
	memcpy(name->ids, id->ids, key_size);
	mc_lru_add(&notice->names, &name->node, name->ids, key_size);
	return name->text;
}

void notice_done(struct notice *notice)
{
	while (notice->names.oldest != NULL)
		forget(notice, (struct name *)notice->names.oldest);
	mc_lru_done(&notice->names);
}

/* --- The text ------------------------------------------------------------- */

static bool text_of(const netsnmp_variable_list *variable, char out[MC_SNMP_TEXT_SIZE])
{
	out[0] = '\0';
	return mc_snmp_variable_exists(variable) && mc_snmp_variable_text(variable, out);
}

static const netsnmp_variable_list *find_below(const struct trap *trap,
					       const struct mc_object_id *id)
{
	const netsnmp_variable_list *at;

	for (at = trap->variables; at != NULL; at = at->next_variable)
		if (mc_object_id_begins(&(struct mc_object_id){ at->name, at->name_length }, id))
			return at;
	return NULL;
}

/* The subject of the trap: the value of the first variable of the rule's that it has; empty
 * without one. */
static void find_instance(const struct trap *trap, const struct rule *rule,
			  char out[MC_SNMP_TEXT_SIZE])
{
	out[0] = '\0';
	for (size_t i = 0; rule != NULL && i < rule->instances_len; i++) {
		const netsnmp_variable_list *variable = find_below(trap, &rule->instances[i]);

		if (variable != NULL && text_of(variable, out) && out[0] != '\0')
			return;
	}
}

static void add_field(struct notice_fields *fields, const char *name, const char *value)
{
	if (fields->len == MC_FIELDS_MAX)
		return;
	snprintf(fields->values[fields->len], MC_SNMP_TEXT_SIZE, "%s", value);
	fields->items[fields->len] = (struct mc_field){ name, fields->values[fields->len] };
	fields->len++;
}

static void add_fields(struct notice *notice, const struct trap *trap, const char *trap_name,
		       struct notice_fields *fields)
{
	const netsnmp_variable_list *at;
	char text[MC_SNMP_TEXT_SIZE];

	add_field(fields, "trap", trap_name);
	if (trap->has_agent) {
		snprintf(text, sizeof(text), "%u.%u.%u.%u", trap->agent[0], trap->agent[1],
			 trap->agent[2], trap->agent[3]);
		add_field(fields, "agent", text);
	}
	for (at = trap->variables; at != NULL && fields->len < MC_FIELDS_MAX;
	     at = at->next_variable)
		if (text_of(at, text))
			add_field(fields,
				  name_of(notice,
					  &(struct mc_object_id){ at->name, at->name_length }),
				  text);
}

/* "linkDown: ifIndex.3 3, ifDescr.3 eth0", cut. */
static void write_message(const struct notice_fields *fields, const char *trap_name,
			  char out[NOTICE_MESSAGE_SIZE])
{
	size_t used = (size_t)snprintf(out, NOTICE_MESSAGE_SIZE, "%s", trap_name);
	const char *gap = ": ";

	for (unsigned i = 1; i < fields->len && used < NOTICE_MESSAGE_SIZE; i++) {
		used += (size_t)snprintf(out + used, NOTICE_MESSAGE_SIZE - used, "%s%s %s", gap,
					 fields->items[i].name, fields->items[i].value);
		gap = ", ";
	}
}

bool notice_make(struct notice *notice, const struct trap *trap, const struct rule *rule,
		 const char *host, struct mc_notification *out)
{
	const char *trap_name = name_of(notice, &trap->id);

	if (rule != NULL && rule->severity == 0)
		return false;
	notice->fields.len = 0;
	find_instance(trap, rule, notice->instance);
	add_fields(notice, trap, trap_name, &notice->fields);
	write_message(&notice->fields, trap_name, notice->message);
	*out = (struct mc_notification){
		.severity = rule != NULL ? (enum mc_severity)rule->severity : MC_WARNING,
		.id = { .host = host,
			.plugin = "snmptrap",
			.plugin_instance =
				rule != NULL && rule->name != NULL ? rule->name : trap_name,
			.type_instance = notice->instance },
		.message = notice->message,
		.fields = notice->fields.items,
		.fields_len = notice->fields.len,
	};
	return true;
}
