/* SPDX-License-Identifier: MIT */
/* A table of three columns of a device that is not there, for tests that give
 * it answers: 1.3.1.1 has names, 1.3.1.2 and 1.3.1.3 have numbers. */
#pragma once

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/net-snmp-includes.h>

#include "answer.h"
#include "interfaces.h"

/* What table.c asks of the core and of interfaces.c, and needs not here. */
void mc_release(struct mc_series *series)
{
	(void)series;
}

mc_time mc_now(void)
{
	return MC_SECOND;
}

mc_time mc_wall(void)
{
	return 1700000000 * MC_SECOND;
}

void interfaces_row_free(struct interface *interface)
{
	(void)interface;
}

#define FIXTURE_COLUMNS 3
#define FIXTURE_ROWS_MAX 100

struct fixture {
	oid ids[FIXTURE_COLUMNS][4];
	struct plan_column columns[FIXTURE_COLUMNS];
	struct plan_table plan;
	struct mc_object_id singles[2];
	struct plan_group group;
	struct single values[2];
	struct pass pass;
	struct table table;
	struct task task;
	struct device device;
};

static void fixture_init(struct fixture *fixture)
{
	*fixture = (struct fixture){ 0 };
	for (unsigned i = 0; i < FIXTURE_COLUMNS; i++) {
		const oid id[] = { 1, 3, 1, i + 1 };

		memcpy(fixture->ids[i], id, sizeof(id));
		fixture->columns[i].id = (struct mc_object_id){ fixture->ids[i], 4 };
		fixture->columns[i].text = i == 0;
	}
	fixture->plan.columns = fixture->columns;
	fixture->plan.columns_len = FIXTURE_COLUMNS;
	table_init(&fixture->table, &fixture->plan, FIXTURE_ROWS_MAX);
	fixture->table.pass = 1;
	for (unsigned i = 0; i < 2; i++)
		fixture->singles[i] = (struct mc_object_id){ fixture->ids[i], 4 };
	fixture->group.singles = fixture->singles;
	fixture->group.singles_len = 2;
	fixture->pass.plan = &fixture->group;
	fixture->pass.singles = fixture->values;
	fixture->pass.number = 1;
	fixture->task.table = &fixture->table;
	fixture->task.pass = &fixture->pass;
	fixture->task.columns = 7;
	fixture->task.len = 2;
}

static void fixture_done(struct fixture *fixture)
{
	table_done(&fixture->table);
	mc_object_id_done(&fixture->task.from);
}
