/* SPDX-License-Identifier: MIT */
#include "device.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>

#include "moment.h"
#include "pass.h"
#include "requests.h"
#include "transport.h"

#define LOOKUP_PAUSE (20 * MC_MILLISECOND) /* Between two looks at one. */
#define LOOKUP_HOLDS (5 * 60 * MC_SECOND)  /* Then it is done again. */
#define PROBES 2                           /* Packets to a device that is down, in an interval. */

static void step(struct device *);

/* --- Up and down ---------------------------------------------------------- */

static void close_all(struct device *device)
{
	mc_loop_forget(device->fleet->loop, &device->file);
	requests_reset(device);
	if (device->session.handle != NULL)
		session_close(&device->session);
	else if (device->fd >= 0)
		close(device->fd);
	device->fd = -1;
	for (unsigned i = 0; i < device->plan->groups_len; i++)
		pass_finish(&device->passes[i], device, false);
}

static void notify(struct device *device, enum mc_severity severity, const char *message)
{
	mc_notify(device->fleet->ctx, &(struct mc_notification){
					      .severity = severity,
					      .id = { .host = device->options.name },
					      .message = message,
				      });
}

/* It is probed again once an interval. */
static void go_down(struct device *device, const char *why)
{
	char message[256];

	close_all(device);
	device->state = DEVICE_DOWN;
	device->engine_is_hint = false;
	device->lost = device->refused = device->failed = false;
	device->probe_due += device->options.interval;
	if (device->probe_due <= mc_now())
		device->probe_due = mc_now() + device->options.interval;
	snprintf(message, sizeof(message), "'%s' gives nothing: %s", device->options.name, why);
	if (device->away.failures == 0)
		notify(device, MC_FAILURE, message);
	mc_complain(device->fleet->ctx, &device->away, 0, "%s", message);
}

/* All passes are due. */
static void go_up(struct device *device)
{
	device->state = DEVICE_UP;
	device->probes = 0;
	for (unsigned i = 0; i < device->plan->groups_len; i++)
		device->passes[i].due = 0;
}

/* A pass was answered. */
static void works(struct device *device)
{
	char message[256];

	if (device->away.failures == 0)
		return;
	snprintf(message, sizeof(message), "'%s' answers again", device->options.name);
	notify(device, MC_OKAY, message);
	mc_works(device->fleet->ctx, &device->away, "%s", message);
}

/* --- From a name to a session --------------------------------------------- */

static void open_session(struct device *device)
{
	const struct session_settings settings = {
		.host = &device->options,
		.engine = device->options.version == 3 ? &device->engine : NULL,
		.keys = &device->fleet->keys,
		.fd = device->fd,
		.stream = device->transport == TRANSPORT_TCP,
		.stray = requests_stray,
		.stray_argument = device,
	};
	int rc = session_open(&device->session, &settings);

	if (rc < 0) {
		device->fd = -1;
		go_down(device, "net-snmp refuses its options");
		return;
	}
	device->opened = mc_now();
	/* One that was asked for its engine has answered. */
	if (device->options.version == 3 || device->away.failures == 0) {
		go_up(device);
	} else {
		device->state = DEVICE_PROBING;
		device->probes = 1;
		if (!requests_probe(device))
			device->lost = true;
	}
}

static void ask_engine(struct device *device)
{
	uint8_t message[DISCOVERY_SIZE];
	size_t size;

	if (getrandom(&device->question, sizeof(device->question), 0) < 0)
		device->question = (uint32_t)mc_wall();
	device->question &= INT32_MAX;
	size = discovery_write(device->question, message);
	device->state = DEVICE_ASKING;
	device->requests[0].deadline = mc_now() + device->options.timeout;
	device->fleet->counts.requests++;
	if (send(device->fd, message, size, MSG_NOSIGNAL) < 0)
		device->requests[0].deadline = 0;
}

/* One that cannot be watched does not answer in time. */
static void watch(struct device *device, uint32_t events)
{
	device->file.fd = device->fd;
	mc_loop_watch(device->fleet->loop, &device->file, events);
}

static void connected(struct device *device)
{
	watch(device, EPOLLIN);
	device->probes = 1;
	if (device->options.version == 3 && !device->engine_is_hint)
		ask_engine(device);
	else
		open_session(device);
}

static void connect_to(struct device *device)
{
	bool stream = device->transport == TRANSPORT_TCP;
	int fd = transport_open(&device->address, stream, device->options.source);
	char why[96];

	if (fd < 0) {
		snprintf(why, sizeof(why), "cannot send: %s", strerror(-fd));
		go_down(device, why);
		return;
	}
	device->fd = fd;
	if (!stream) {
		connected(device);
		return;
	}
	device->state = DEVICE_CONNECTING;
	device->requests[0].deadline = mc_now() + device->options.timeout;
	watch(device, EPOLLOUT);
}

static bool fits(void *argument, int family)
{
	const struct device *device = argument;

	return family == device->family ||
	       (device->family == AF_UNSPEC && (family == AF_INET || family == AF_INET6));
}

static void resolved(struct device *device)
{
	device->looked_up = mc_now();
	connect_to(device);
}

static void look_at_lookup(struct device *device)
{
	int rc = mc_lookup_end(&device->lookup, fits, device, &device->address);
	char why[128];

	if (rc == EAI_INPROGRESS) {
		device->wake = mc_now() + LOOKUP_PAUSE;
		return;
	}
	if (rc == 0) {
		resolved(device);
		return;
	}
	snprintf(why, sizeof(why), "cannot find '%s': %s", device->host, gai_strerror(rc));
	go_down(device, why);
}

static void begin(struct device *device)
{
	struct mc_addresses list;
	bool known = device->address.ss_family != AF_UNSPEC &&
		     mc_now() - device->looked_up < LOOKUP_HOLDS;

	if (known) {
		connect_to(device);
		return;
	}
	if (mc_address_find(device->host, device->port, SOCK_DGRAM, AI_NUMERICHOST, &list) == 0 &&
	    fits(device, list.items[0].ss_family)) {
		device->address = list.items[0];
		resolved(device);
		return;
	}
	device->state = DEVICE_RESOLVING;
	if (mc_lookup_start(&device->lookup, device->host, device->port, device->family,
			    SOCK_DGRAM) != 0)
		go_down(device, "cannot look its name up");
}

/* --- Events --------------------------------------------------------------- */

static void take_engine(struct device *device)
{
	uint8_t message[2048];
	ssize_t size = 0;

	while (device->state == DEVICE_ASKING) {
		size = recv(device->fd, message, sizeof(message), MSG_DONTWAIT);
		if (size <= 0)
			break;
		if (discovery_read(message, (size_t)size, device->question, &device->engine))
			open_session(device);
		else
			device->fleet->counts.strays++;
	}
	/* A stream that has ended would stay ready for ever. */
	if (device->state == DEVICE_ASKING && size == 0 && device->transport == TRANSPORT_TCP)
		go_down(device, "it ends the connection");
}

static mc_time phase_of(const struct device *device, mc_time interval)
{
	if (!device->fleet->options->spread)
		return 0;
	return moment_of(device->options.name, interval, device->fleet->moments);
}

/* The next time on the device's grid. */
static mc_time next_due(const struct device *device, mc_time interval, mc_time now)
{
	mc_time phase = phase_of(device, interval);

	return now - (now - phase) % interval + interval;
}

static void start_passes(struct device *device, mc_time now)
{
	for (unsigned i = 0; i < device->plan->groups_len; i++) {
		struct pass *pass = &device->passes[i];

		if (now < pass->due)
			continue;
		pass->due = next_due(device, pass->interval, now);
		if (pass->running && now - pass->started < pass->interval)
			continue; /* The first one, beside the grid. */
		if (pass->running) {
			device->fleet->counts.late++;
			if (device->heard < pass->started) {
				device->lost = true;
				return;
			}
			mc_complain(device->fleet->ctx, &pass->slow, 0,
				    "'%s' is not read within its interval", device->options.name);
			requests_forget(device, pass);
			pass_finish(pass, device, true);
		}
		pass_start(pass, device, now);
	}
}

static mc_time next_wake(const struct device *device)
{
	mc_time wake = requests_due(device);

	if (wake < INT64_MAX) /* The library's clock has microseconds. */
		wake += MC_MILLISECOND;
	for (unsigned i = 0; i < device->plan->groups_len; i++)
		if (device->passes[i].due < wake)
			wake = device->passes[i].due;
	return wake;
}

/* The device has another engine than the hint said, or does not answer. */
static void drop_hint(struct device *device)
{
	close_all(device);
	device->engine = (struct discovery_engine){ .size = 0 };
	device->engine_is_hint = false;
	device->lost = device->refused = device->failed = false;
	begin(device);
}

static void work_up(struct device *device, mc_time now)
{
	if (requests_due(device) < now)
		session_expire(&device->session);
	if (device->heard > 0 && device->heard >= device->opened) {
		device->engine_is_hint = false;
		works(device);
	}
	if (!device->lost && !device->refused && !device->failed) {
		start_passes(device, now);
		requests_send(device);
	}
	if (device->engine_is_hint && (device->refused || device->lost))
		drop_hint(device);
	else if (device->refused)
		go_down(device, device->reason);
	else if (device->failed)
		go_down(device, "it ends the connection");
	else if (device->lost)
		go_down(device, "no answer");
	else
		device->wake = next_wake(device);
}

/* One more packet, then it is down. */
static void probe_again(struct device *device)
{
	bool more = device->probes < PROBES;

	device->lost = false;
	device->probes++;
	if (!more) {
		go_down(device, "no answer");
		return;
	}
	if (device->state == DEVICE_ASKING)
		ask_engine(device);
	else if (!requests_probe(device))
		go_down(device, "no answer");
}

static void work_probing(struct device *device, mc_time now)
{
	if (requests_due(device) < now)
		session_expire(&device->session);
	if (device->failed || device->refused)
		go_down(device, device->refused ? device->reason : "it ends the connection");
	else if (device->heard >= device->requests[0].sent && device->busy == 0)
		go_up(device);
	else if (device->lost)
		probe_again(device);
	if (device->state == DEVICE_PROBING)
		device->wake = requests_due(device) + MC_MILLISECOND;
}

static void step(struct device *device)
{
	mc_time now = mc_now();

	switch (device->state) {
	case DEVICE_RESOLVING:
		look_at_lookup(device);
		break;
	case DEVICE_CONNECTING:
		if (now >= device->requests[0].deadline)
			go_down(device, "cannot connect in time");
		break;
	case DEVICE_ASKING:
		if (now >= device->requests[0].deadline)
			probe_again(device);
		break;
	case DEVICE_PROBING:
		work_probing(device, now);
		break;
	case DEVICE_UP:
		work_up(device, now);
		break;
	case DEVICE_DOWN:
		if (now >= device->probe_due) {
			device->probe_due = now;
			begin(device);
		}
		break;
	}
}

static void count_up(struct device *device)
{
	bool is_up = device->state == DEVICE_UP && device->heard > 0;

	device->fleet->up += (size_t)is_up - device->counted_up;
	device->counted_up = is_up;
}

/* Does what is to be done. */
static void work(struct device *device)
{
	enum device_state before;

	do {
		before = device->state;
		step(device);
	} while (device->state != before);
	count_up(device);
	if (device->state == DEVICE_DOWN)
		device->wake = device->probe_due;
	else if (device->state == DEVICE_CONNECTING || device->state == DEVICE_ASKING)
		device->wake = device->requests[0].deadline;
	mc_loop_set_timer(device->fleet->loop, &device->timer, device->wake);
}

static void on_ready(void *argument, uint32_t events)
{
	struct device *device = argument;
	char why[96];
	int rc;

	(void)events;
	switch (device->state) {
	case DEVICE_CONNECTING:
		rc = transport_connected(device->fd);
		snprintf(why, sizeof(why), "cannot connect: %s", strerror(-rc));
		if (rc < 0)
			go_down(device, why);
		else
			connected(device);
		break;
	case DEVICE_ASKING:
		take_engine(device);
		break;
	case DEVICE_PROBING:
	case DEVICE_UP:
		if (!session_receive(&device->session))
			device->failed = true;
		else if (device->engine_is_hint && session_misreads(&device->session))
			device->refused = true;
		break;
	default:
		break;
	}
	work(device);
}

static void on_due(void *argument)
{
	work(argument);
}

/* --- Life ----------------------------------------------------------------- */

void device_init(struct device *device, struct fleet *fleet, const struct host_options *options,
		 const struct plan *plan)
{
	size_t size;

	*device = (struct device){
		.fleet = fleet,
		.options = *options,
		.plan = plan,
		.quota = mc_quota_new(fleet->ctx, MC_QUOTA_SOURCE, options->name,
				      &fleet->options->limits),
		.fd = -1,
		.state = DEVICE_DOWN,
		.tasks_end = &device->tasks,
		.window = (unsigned)fleet->options->outstanding_max,
	};
	if (device->options.interval == 0)
		device->options.interval = fleet->ctx->interval;
	size = strlen(device->options.address) + 4;
	device->host = mc_alloc(size);
	device->port = mc_alloc(size);
	options_address(device->options.address, &device->transport, &device->family, device->host,
			device->port);
	device->passes = mc_alloc_array(plan->groups_len, sizeof(*device->passes));
	for (unsigned i = 0; i < plan->groups_len; i++)
		pass_init(&device->passes[i], device, &plan->groups[i]);
	device->file = (struct mc_loop_file){ .ready = on_ready, .argument = device };
	device->timer = (struct mc_loop_timer){ .expired = on_due, .argument = device };
	mc_loop_set_timer(fleet->loop, &device->timer, 0);
}

void device_done(struct device *device)
{
	close_all(device);
	mc_loop_unset_timer(device->fleet->loop, &device->timer);
	mc_lookup_stop(&device->lookup);
	for (unsigned i = 0; i < device->plan->groups_len; i++)
		pass_done(&device->passes[i]);
	free(device->passes);
	free(device->host);
	free(device->port);
	mc_quota_free(device->quota);
}
