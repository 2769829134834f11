/* SPDX-License-Identifier: MIT */
/* Any bytes as what a device sends: the answer to the question for its engine; or, where the first
 * byte is odd, the variables of an answer, as net-snmp decodes them, for a table, for single
 * values, and for a report; or, where it is 2, as a line of the file of hints. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hints.h"
#include "snmp_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_rows(struct fixture *fixture, const netsnmp_variable_list *variables)
{
	const struct table *table = &fixture->table;

	answer_rows(&fixture->task, variables);
	assert(table->len <= FIXTURE_ROWS_MAX);
	for (size_t i = 1; i < table->len; i++)
		assert(mc_object_id_compare(&table->rows[i - 1]->index, &table->rows[i]->index) <
		       0);
	for (size_t i = 0; i < table->len; i++)
		for (unsigned j = 0; j < FIXTURE_COLUMNS; j++) {
			const struct cell *cell = &table->rows[i]->cells[j];
			union mc_value value;

			for (int kind = MC_COUNTER; kind <= MC_ABSOLUTE; kind++)
				mc_snmp_variable_value(&cell->number, (enum mc_kind)kind, 0.1, 1,
						       &value);
			assert(cell->text == NULL || strlen(cell->text) < MC_SNMP_TEXT_SIZE);
		}
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *format, ...)
{
	(void)ctx;
	(void)level;
	(void)format;
}

static void take_hint(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1);
	struct fixture fixture;
	struct plan plan = { .groups = &fixture.group, .groups_len = 1 };

	memcpy(line, data, size);
	line[size] = '\0';
	fixture_init(&fixture);
	fixture.group.tables = &fixture.plan;
	fixture.group.tables_len = 1;
	fixture.pass.tables = &fixture.table;
	fixture.device.plan = &plan;
	fixture.device.passes = &fixture.pass;
	fixture.device.options.name = "switch";
	fixture.device.options.version = 3;
	hints_take(&fixture.device, 1, line);
	assert(fixture.device.engine.size <= sizeof(fixture.device.engine.id));
	assert(fixture.table.len <= FIXTURE_ROWS_MAX);
	assert(fixture.table.known == (fixture.table.len > 0));
	fixture_done(&fixture);
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct discovery_engine engine;
	struct fixture fixture;
	netsnmp_pdu *pdu;
	uint8_t *copy;
	size_t rest;

	if (size < 1)
		return 0;
	if (data[0] == 2) {
		take_hint(data + 1, size - 1);
		return 0;
	}
	/* The library may write to what it reads. */
	copy = malloc(size);
	memcpy(copy, data + 1, size - 1);
	if ((data[0] & 1) == 0) {
		if (discovery_read(copy, size - 1, 7, &engine))
			assert(engine.size <= sizeof(engine.id));
		free(copy);
		return 0;
	}
	rest = size - 1;
	pdu = snmp_pdu_create(SNMP_MSG_RESPONSE);
	if (rest > 0 && snmp_pdu_parse(pdu, copy, &rest) == 0) {
		fixture_init(&fixture);
		take_rows(&fixture, pdu->variables);
		answer_singles(&fixture.task, pdu->variables);
		answer_clock(&fixture.device, &fixture.table, pdu->variables);
		answer_report(pdu->variables);
		fixture_done(&fixture);
	}
	snmp_free_pdu(pdu);
	free(copy);
	return 0;
}
