/* SPDX-License-Identifier: MIT */
/* At first systemd is asked to report changes, which it does for those who ask, then for the list
 * of its units, then for what the list lacks.  After that nothing is asked: a change comes as
 * signals. */
#include "bus.h"

#include <stdio.h>
#include <string.h>

#include "facts.h"
#include "list.h"
#include "news.h"
#include "question.h"

#define ANSWER_TIME (10 * MC_SECOND) /* systemd answers within milliseconds. */
#define SILENCE_TIME (10 * MC_SECOND)
#define TURN_MAX 256 /* Messages, before timers have their turn. */

/* --- Begin ------------------------------------------------------------------------------ */

static int on_match(sd_bus_message *message, void *argument, sd_bus_error *error)
{
	(void)error;
	question_failed(argument, message, "the bus refuses to forward signals");
	return 0;
}

static int on_subscribed(sd_bus_message *message, void *argument, sd_bus_error *error)
{
	static const char already[] = "org.freedesktop.systemd1.AlreadySubscribed";
	struct bus *bus = argument;
	const char *sender = sd_bus_message_get_sender(message);

	(void)error;
	if (!sd_bus_message_is_method_error(message, already) &&
	    question_failed(bus, message, "systemd does not run"))
		return 0;
	if (sender == NULL || strlen(sender) >= sizeof(bus->owner)) {
		question_give_up(bus, "the bus has no name for systemd");
		return 0;
	}
	memcpy(bus->owner, sender, strlen(sender) + 1);
	bus->heard = mc_now();
	return 0;
}

static void subscribe(struct bus *bus)
{
	static const char *const matches[] = {
		"type='signal',sender='" QUESTION_BUS
		"',member='NameOwnerChanged',arg0='" QUESTION_SYSTEMD "'",
		"type='signal',sender='" QUESTION_SYSTEMD "',interface='" QUESTION_MANAGER
		"',member='UnitNew'",
		"type='signal',sender='" QUESTION_SYSTEMD "',interface='" QUESTION_MANAGER
		"',member='UnitRemoved'",
		"type='signal',sender='" QUESTION_SYSTEMD "',interface='" QUESTION_MANAGER
		"',member='Reloading'",
		"type='signal',sender='" QUESTION_SYSTEMD "',interface='" QUESTION_PROPERTIES
		"',path_namespace='" QUESTION_UNITS "',arg0='org.freedesktop.systemd1.Unit'",
		"type='signal',sender='" QUESTION_SYSTEMD "',interface='" QUESTION_PROPERTIES
		"',path_namespace='" QUESTION_UNITS "',arg0='org.freedesktop.systemd1.Service'",
	};
	sd_bus_message *message;

	for (size_t i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
		message = question_new(bus, QUESTION_BUS_PATH, QUESTION_BUS, "AddMatch");
		if (message == NULL)
			return;
		if (sd_bus_message_append_basic(message, 's', matches[i]) < 0)
			question_give_up(bus, "cannot ask it");
		question_ask(bus, message, on_match, bus);
	}
	message = question_new(bus, QUESTION_PATH, QUESTION_MANAGER, "Subscribe");
	if (message != NULL)
		question_ask(bus, message, on_subscribed, bus);
}

/* Writes the address of D-Bus, in which other bytes than these are escaped. */
static void write_address(const char *path, char *out, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_/.\\*";
	size_t used = (size_t)snprintf(out, size, "unix:path=");

	for (; *path != '\0' && used + 4 <= size; path++) {
		if (strchr(plain, *path) != NULL)
			used += (size_t)snprintf(out + used, size - used, "%c", *path);
		else
			used += (size_t)snprintf(out + used, size - used, "%%%02x",
						 (unsigned char)*path);
	}
}

static int open_connection(struct bus *bus)
{
	char address[512];
	int rc = sd_bus_new(&bus->connection);

	if (rc < 0)
		return rc;
	write_address(bus->path, address, sizeof(address));
	rc = sd_bus_set_address(bus->connection, address);
	if (rc >= 0)
		rc = sd_bus_set_bus_client(bus->connection, 1);
	if (rc >= 0)
		rc = sd_bus_add_filter(bus->connection, NULL, news_take, bus);
	return rc < 0 ? rc : sd_bus_start(bus->connection);
}

/* --- The loop --------------------------------------------------------------------------- */

static bool is_awaiting(const struct bus *bus)
{
	if (!bus->is_ready || bus->lists > 0 || bus->is_pinged)
		return true;
	for (size_t i = 0; i < BUS_CALLS_MAX; i++)
		if (bus->calls[i].is_used)
			return true;
	return false;
}

/* Something was asked, or has come. */
static void await(struct bus *bus)
{
	if (is_awaiting(bus))
		mc_loop_set_timer(bus->loop, &bus->late, mc_now() + ANSWER_TIME);
	else
		mc_loop_unset_timer(bus->loop, &bus->late);
}

static void close_connection(struct bus *bus)
{
	mc_loop_forget(bus->loop, &bus->file);
	mc_loop_unset_timer(bus->loop, &bus->late);
	mc_loop_unset_timer(bus->loop, &bus->more);
	units_want_nothing(bus->units);
	sd_bus_close_unref(bus->connection);
	bus->connection = NULL;
	bus->owner[0] = bus->why[0] = '\0';
	bus->is_ready = bus->is_reloading = bus->is_pinged = false;
	bus->lists = 0;
	memset(bus->calls, 0, sizeof(bus->calls));
}

/* systemd may just execute itself anew: for so long units count as they were, and nobody hears of
 * it. */
static void end_conversation(struct bus *bus)
{
	mc_time now = mc_now();

	if (bus->is_ready)
		bus->known = now + ANSWER_TIME;
	snprintf(bus->complaint_text, sizeof(bus->complaint_text), "%s", bus->why);
	if (!mc_loop_timer_is_set(&bus->complaint))
		mc_loop_set_timer(bus->loop, &bus->complaint, bus->known > now ? bus->known : now);
	close_connection(bus);
	mc_backoff_failed(&bus->backoff, now, 0);
	mc_loop_set_timer(bus->loop, &bus->retry, bus->backoff.until);
}

static void on_complaint(void *argument)
{
	struct bus *bus = argument;

	mc_complain(bus->loop->ctx, &bus->once, 0, "cannot follow systemd by '%s': %s", bus->path,
		    bus->complaint_text);
}

/* Waits for what the library waits for.  Its own times are not needed. */
static void watch(struct bus *bus, bool has_more)
{
	uint64_t timeout = UINT64_MAX;
	int fd = sd_bus_get_fd(bus->connection), events = sd_bus_get_events(bus->connection), rc;

	if (fd < 0 || events < 0) {
		question_give_up(bus, "%s", strerror(fd < 0 ? -fd : -events));
		return;
	}
	bus->file.fd = fd;
	rc = mc_loop_watch(bus->loop, &bus->file, (uint32_t)events);
	if (rc < 0)
		question_give_up(bus, "%s", strerror(-rc));
	if (has_more || (sd_bus_get_timeout(bus->connection, &timeout) >= 0 && timeout == 0))
		mc_loop_set_timer(bus->loop, &bus->more, mc_now());
}

static void pump(struct bus *bus)
{
	int rc = 0, turns = 0;

	while (bus->why[0] == '\0' && turns++ < TURN_MAX &&
	       (rc = sd_bus_process(bus->connection, NULL)) > 0)
		facts_ask(bus);
	if (rc < 0)
		question_give_up(bus, "%s", strerror(-rc));
	if (bus->why[0] == '\0')
		facts_ask(bus);
	if (bus->why[0] == '\0')
		watch(bus, rc > 0);
	if (bus->why[0] != '\0')
		end_conversation(bus);
	else
		await(bus);
}

static void on_ready(void *argument, uint32_t events)
{
	(void)events;
	pump(argument);
}

static void on_more(void *argument)
{
	pump(argument);
}

static void on_late(void *argument)
{
	struct bus *bus = argument;

	question_give_up(bus, "no answer in time");
	bus->is_ready = false; /* Nothing is known any more. */
	bus->known = 0;
	end_conversation(bus);
}

static void on_retry(void *argument)
{
	struct bus *bus = argument;
	int rc = open_connection(bus);

	if (rc < 0)
		question_give_up(bus, "%s", strerror(-rc));
	if (bus->why[0] == '\0')
		subscribe(bus);
	if (bus->why[0] == '\0')
		list_begin(bus);
	if (bus->why[0] != '\0')
		end_conversation(bus);
	else
		pump(bus);
}

static int on_pong(sd_bus_message *message, void *argument, sd_bus_error *error)
{
	struct bus *bus = argument;

	(void)error;
	bus->is_pinged = false;
	bus->heard = mc_now();
	question_failed(bus, message, "systemd does not run");
	return 0;
}

/* --- Life ------------------------------------------------------------------------------- */

void bus_start(struct bus *bus)
{
	bus->file.ready = on_ready;
	bus->retry.expired = on_retry;
	bus->late.expired = on_late;
	bus->more.expired = on_more;
	bus->complaint.expired = on_complaint;
	bus->file.argument = bus->retry.argument = bus->late.argument = bus->more.argument =
		bus->complaint.argument = bus;
	bus->backoff.longest = 30 * MC_SECOND;
	mc_loop_set_timer(bus->loop, &bus->retry, mc_now());
}

void bus_stop(struct bus *bus)
{
	if (bus->connection != NULL)
		close_connection(bus);
}

bool bus_is_current(const struct bus *bus)
{
	return bus->is_ready || mc_now() < bus->known;
}

void bus_look(struct bus *bus)
{
	sd_bus_message *message;

	if (!bus->is_ready || is_awaiting(bus) || mc_now() - bus->heard < SILENCE_TIME)
		return;
	message = question_new(bus, QUESTION_PATH, "org.freedesktop.DBus.Peer", "Ping");
	bus->is_pinged = true;
	if (message != NULL)
		question_ask(bus, message, on_pong, bus);
	pump(bus);
}
