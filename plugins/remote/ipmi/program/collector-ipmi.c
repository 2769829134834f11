/* SPDX-License-Identifier: MIT */
/* collector-ipmi - asks a BMC by the library OpenIPMI, for the plugin ipmi: in a process of its
 * own, as the library has one state for all of a process, and reads what BMCs send.
 *
 * Its standard input has the settings (settings.h), and then lines: "w ID" to read that sensor from
 * now on, "r" to read all of these once.  At the end of the input the program ends.  say.h has its
 * output. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <OpenIPMI/ipmi_auth.h>
#include <OpenIPMI/ipmi_err.h>
#include <OpenIPMI/ipmi_lan.h>
#include <OpenIPMI/ipmi_posix.h>
#include <OpenIPMI/ipmi_smi.h>
#include <OpenIPMI/ipmiif.h>

#include "events.h"
#include "say.h"
#include "sensors.h"
#include "settings.h"

struct bmc {
	os_handler_t *os;
	ipmi_con_t *connection;
	struct settings settings;
	struct sensors sensors;
	struct events events;
	bool watched; /* Its entities. */
	bool ends;
	char command[32]; /* A line that is not complete. */
	size_t command_size;
};

static void say_down(const char *what, int error)
{
	char why[200] = "";

	if (error != 0)
		ipmi_get_error_string((unsigned)error, why, sizeof(why));
	say('d');
	say_format("%s%s%s", what, why[0] != '\0' ? ": " : "", why);
	say_end();
}

/* --- What the library finds --------------------------------------------------------------- */

static void on_sensor(enum ipmi_update_e what, ipmi_entity_t *entity, ipmi_sensor_t *sensor,
		      void *argument)
{
	struct bmc *bmc = argument;

	(void)entity;
	if (what == IPMI_DELETED) {
		sensors_remove(&bmc->sensors, sensor);
		events_forget(&bmc->events, sensor);
		return;
	}
	sensors_add(&bmc->sensors, sensor);
	events_watch(&bmc->events, sensor);
}

static void on_entity(enum ipmi_update_e what, ipmi_domain_t *domain, ipmi_entity_t *entity,
		      void *argument)
{
	(void)domain;
	if (what == IPMI_ADDED)
		ipmi_entity_add_sensor_update_handler(entity, on_sensor, argument);
	else if (what == IPMI_DELETED)
		ipmi_entity_remove_sensor_update_handler(entity, on_sensor, argument);
}

/* The BMC reports an event: its log is read at once. */
static void on_event(ipmi_con_t *connection, const ipmi_addr_t *address, unsigned size,
		     ipmi_event_t *event, void *domain)
{
	(void)connection, (void)address, (void)size;
	if (ipmi_event_get_type(event) == 0x02)
		ipmi_domain_reread_sels(domain, NULL, NULL);
}

static void on_connection(ipmi_domain_t *domain, int error, unsigned connection, unsigned port,
			  int connected, void *argument)
{
	struct bmc *bmc = argument;

	(void)connection, (void)port;
	if (!connected) {
		say_down("no connection", error);
		return;
	}
	if (!bmc->watched) {
		ipmi_domain_add_entity_update_handler(domain, on_entity, bmc);
		if (bmc->settings.events)
			bmc->connection->add_event_handler(bmc->connection, on_event, domain);
	}
	bmc->watched = true;
	say('u');
	say_end();
}

/* Their callers learn of errors. */
static void drop_log(os_handler_t *os, const char *fmt, enum ipmi_log_type_e type, va_list args)
{
	(void)os, (void)fmt, (void)type, (void)args;
}

/* --- What the plugin asks ------------------------------------------------------------------ */

static void obey(struct bmc *bmc, const char *line)
{
	if (line[0] == 'r')
		sensors_read(&bmc->sensors);
	else if (line[0] == 'w')
		sensors_want(&bmc->sensors, (unsigned)strtoul(line + 1, NULL, 10));
}

static void on_input(int fd, void *argument, os_hnd_fd_id_t *id)
{
	struct bmc *bmc = argument;
	char bytes[4096];
	ssize_t size = read(fd, bytes, sizeof(bytes));

	(void)id;
	if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN))
		bmc->ends = true;
	for (ssize_t i = 0; i < size; i++) {
		if (bytes[i] != '\n') {
			if (bmc->command_size < sizeof(bmc->command) - 1)
				bmc->command[bmc->command_size++] = bytes[i];
			continue;
		}
		bmc->command[bmc->command_size] = '\0';
		bmc->command_size = 0;
		obey(bmc, bmc->command);
	}
}

/* --- Start ----------------------------------------------------------------------------------- */

static unsigned auth_of(const struct settings *settings)
{
	if (strcmp(settings->auth, "MD5") == 0)
		return IPMI_AUTHTYPE_MD5;
	if (strcmp(settings->auth, "rmcp+") == 0)
		return IPMI_AUTHTYPE_RMCP_PLUS;
	return IPMI_AUTHTYPE_DEFAULT;
}

static int connect_to(struct bmc *bmc)
{
	struct settings *settings = &bmc->settings;
	char *addresses[] = { settings->address }, *ports[] = { settings->port };

	if (settings->address[0] == '\0')
		return ipmi_smi_setup_con(0, bmc->os, NULL, &bmc->connection);
	return ipmi_ip_setup_con(addresses, ports, 1, auth_of(settings), IPMI_PRIVILEGE_USER,
				 settings->user, (unsigned)strlen(settings->user),
				 settings->password, (unsigned)strlen(settings->password), bmc->os,
				 NULL, &bmc->connection);
}

/* No more is asked for than is reported, and nothing of the BMC is changed. */
static int open_domain(struct bmc *bmc)
{
	ipmi_open_option_t options[] = {
		{ .option = IPMI_OPEN_OPTION_ALL, .ival = 0 },
		{ .option = IPMI_OPEN_OPTION_SDRS, .ival = 1 },
		{ .option = IPMI_OPEN_OPTION_IPMB_SCAN, .ival = 1 },
		{ .option = IPMI_OPEN_OPTION_OEM_INIT, .ival = 1 },
		{ .option = IPMI_OPEN_OPTION_SEL, .ival = bmc->settings.events },
		{ .option = IPMI_OPEN_OPTION_SET_EVENT_RCVR, .ival = 0 },
		{ .option = IPMI_OPEN_OPTION_SET_SEL_TIME, .ival = 0 },
		{ .option = IPMI_OPEN_OPTION_USE_CACHE, .ival = 0 },
	};
	ipmi_domain_id_t domain;

	return ipmi_open_domain("bmc", &bmc->connection, 1, on_connection, bmc, NULL, NULL, options,
				sizeof(options) / sizeof(options[0]), &domain);
}

static bool start(struct bmc *bmc)
{
	os_hnd_fd_id_t *input;
	char what[160];
	int rc;

	if (!settings_read(STDIN_FILENO, &bmc->settings)) {
		say_down("invalid settings", 0);
		return false;
	}
	bmc->events.wanted = bmc->settings.events;
	bmc->events.clears = bmc->settings.clear;
	bmc->os = ipmi_posix_setup_os_handler();
	if (bmc->os == NULL || ipmi_init(bmc->os) != 0) {
		say_down("cannot set OpenIPMI up", 0);
		return false;
	}
	bmc->os->set_log_handler(bmc->os, drop_log);
	rc = bmc->os->add_fd_to_wait_for(bmc->os, STDIN_FILENO, on_input, bmc, NULL, &input);
	if (rc == 0)
		rc = connect_to(bmc);
	if (rc == 0)
		rc = open_domain(bmc);
	if (rc == 0)
		return true;
	snprintf(what, sizeof(what), "cannot connect to '%.100s'",
		 bmc->settings.address[0] != '\0' ? bmc->settings.address : "/dev/ipmi0");
	say_down(what, rc);
	return false;
}

int main(void)
{
	struct bmc bmc = { 0 };
	bool works = start(&bmc);

	say_now();
	while (works && !bmc.ends) {
		bmc.os->perform_one_op(bmc.os, &(struct timeval){ .tv_sec = 60 });
		say_now();
	}
	sensors_done(&bmc.sensors);
	return 0;
}
