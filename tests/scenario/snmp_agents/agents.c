/* SPDX-License-Identifier: MIT */
/* Simulates a fleet of SNMP devices, each at a port of an address of its own:
 * versions 1, 2c with any community, and 3.
 *
 *   agents [-n DEVICES] [-i INTERFACES] [-b ADDRESS] [-p PORT]
 *          [-l MILLISECONDS] [-L PER-MILLE]
 *          [-u USER:AUTH-PASSPHRASE:PRIVACY-PASSPHRASE]
 *
 * The first device is at ADDRESS (127.0.10.1), the others at those after it.  INTERFACES are all
 * together.  -l: of a round trip; -L: of the requests, that are lost.  The user has SHA and AES.
 * See objects.h for their values.
 *
 * It says "ready", and takes commands from standard input, until that ends:
 *
 *   dead NUMBER...    these devices do not answer, all others do; from 0 on
 *   freeze            counters and clocks stand still
 *   stats             prints "requests N answers N lost N dead N reports N",
 *                     since the last time; dead: requests to those that are */
#include <arpa/inet.h>
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/private/status.h>

#include "objects.h"
#include "pdu.h"
#include "usm.h"

#define ANSWER_ROOM 1472 /* One frame of Ethernet. */
#define SECURITY_ROOM 120
#define COMMUNITY_ROOM 20
#define QUEUE_LEN 65536 /* Answers on their way. */
#define EVENTS_MAX 64
#define DEVICES_MAX 1000

struct device {
	int fd;
	bool dead;
	struct objects_device objects;
	struct usm usm;
};

struct answer { /* On its way. */
	mc_time due;
	struct device *device;
	struct sockaddr_in to;
	size_t size;
	uint8_t *bytes;
};

struct counts {
	uint64_t requests, answers, lost, dead, reports;
};

struct agents {
	unsigned len, interfaces, port, latency, loss;
	struct in_addr first;
	struct usm_user user;
	char names[DEVICES_MAX][24];
	struct objects objects[2]; /* Of those with one interface more. */
	struct device *devices;
	struct answer *queue;
	size_t queue_first, queue_len;
	mc_time started, frozen; /* 0: it is not. */
	uint64_t seed;
	struct counts counts;
	int epoll;
	uint8_t bytes[MC_SNMP_MESSAGE_SIZE], plain[MC_SNMP_MESSAGE_SIZE], out[MC_SNMP_MESSAGE_SIZE];
};

/* What usm.c asks of the core. */
mc_time mc_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * MC_SECOND + now.tv_nsec;
}

mc_time mc_wall(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * MC_SECOND + now.tv_nsec;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	va_list args;

	(void)ctx;
	(void)level;
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

void mc_count_failure(struct mc_ctx *ctx)
{
	(void)ctx;
}

/* --- Answers -------------------------------------------------------------- */

static uint8_t *answer_secure(struct agents *agents, struct device *device,
			      struct mc_snmp_message *message, size_t size)
{
	uint8_t pdu[ANSWER_ROOM], *start;
	enum usm_result result =
		usm_open(&device->usm, message, agents->bytes, size, agents->plain);

	/* A request that is asked again has the bytes of the first one. */
	if (result != USM_GOOD && result != USM_BEFORE) {
		agents->counts.reports++;
		return usm_report(&device->usm, message, result, agents->out, sizeof(agents->out));
	}
	start = pdu_answer(&device->objects, &message->pdu, MC_SNMP_V3, ANSWER_ROOM - SECURITY_ROOM,
			   pdu, sizeof(pdu));
	if (start == NULL)
		return NULL;
	message->pdu = (struct mc_ber){ start, (size_t)(pdu + sizeof(pdu) - start) };
	return usm_answer(&device->usm, message, agents->out, sizeof(agents->out));
}

static uint8_t *answer(struct agents *agents, struct device *device, size_t size)
{
	struct mc_snmp_message message;
	struct mc_ber_writer writer = { agents->out, NULL };
	const uint8_t *end = agents->out + sizeof(agents->out);
	size_t room = ANSWER_ROOM - COMMUNITY_ROOM;

	if (!mc_snmp_message_read(agents->bytes, size, &message))
		return NULL;
	if (message.version == MC_SNMP_V3)
		return answer_secure(agents, device, &message, size);
	writer.at = pdu_answer(&device->objects, &message.pdu, message.version,
			       room - message.community.size, agents->out, sizeof(agents->out));
	if (writer.at == NULL)
		return NULL;
	mc_ber_put_octets(&writer, MC_BER_OCTETS, message.community.at, message.community.size);
	mc_ber_put_number(&writer, MC_BER_INTEGER, message.version);
	mc_ber_close(&writer, MC_BER_SEQUENCE, end);
	return writer.at;
}

static void send_due(struct agents *agents)
{
	while (agents->queue_len > 0) {
		struct answer *first = &agents->queue[agents->queue_first];

		if (first->due > mc_now())
			return;
		sendto(first->device->fd, first->bytes, first->size, 0,
		       (const struct sockaddr *)&first->to, sizeof(first->to));
		agents->counts.answers++;
		free(first->bytes);
		agents->queue_first = (agents->queue_first + 1) % QUEUE_LEN;
		agents->queue_len--;
	}
}

static void send_later(struct agents *agents, struct device *device, const uint8_t *start,
		       const struct sockaddr_in *to)
{
	size_t size = (size_t)(agents->out + sizeof(agents->out) - start);
	size_t place = agents->queue_first + agents->queue_len;
	struct answer *last = &agents->queue[place % QUEUE_LEN];

	if (agents->queue_len == QUEUE_LEN)
		return; /* As a full switch does. */
	*last = (struct answer){
		.due = mc_now() + agents->latency * MC_MILLISECOND,
		.device = device,
		.to = *to,
		.size = size,
		.bytes = mc_alloc(size),
	};
	memcpy(last->bytes, start, size);
	agents->queue_len++;
}

/* Always the same ones. */
static bool is_lost(struct agents *agents)
{
	agents->seed = agents->seed * 6364136223846793005 + 1;
	return (agents->seed >> 33) % 1000 < agents->loss;
}

static void receive(struct agents *agents, struct device *device)
{
	mc_time now = agents->frozen != 0 ? agents->frozen : mc_now();
	struct sockaddr_in from;
	socklen_t from_size = sizeof(from);
	const uint8_t *start;
	ssize_t size;

	device->objects.milliseconds = (uint64_t)((now - agents->started) / MC_MILLISECOND);
	while ((size = recvfrom(device->fd, agents->bytes, sizeof(agents->bytes), MSG_DONTWAIT,
				(struct sockaddr *)&from, &from_size)) > 0) {
		agents->counts.requests++;
		if (device->dead) {
			agents->counts.dead++;
		} else if (is_lost(agents)) {
			agents->counts.lost++;
		} else {
			start = answer(agents, device, (size_t)size);
			if (start != NULL)
				send_later(agents, device, start, &from);
		}
	}
}

/* --- Commands ------------------------------------------------------------- */

static void set_dead(struct agents *agents, char *numbers)
{
	char *rest = NULL;

	for (unsigned i = 0; i < agents->len; i++)
		agents->devices[i].dead = false;
	for (char *at = strtok_r(numbers, " \n", &rest); at != NULL;
	     at = strtok_r(NULL, " \n", &rest)) {
		unsigned long number = strtoul(at, NULL, 10);

		if (number < agents->len)
			agents->devices[number].dead = true;
	}
}

static void print_counts(struct agents *agents)
{
	const struct counts *counts = &agents->counts;

	printf("requests %ju answers %ju lost %ju dead %ju reports %ju\n",
	       (uintmax_t)counts->requests, (uintmax_t)counts->answers, (uintmax_t)counts->lost,
	       (uintmax_t)counts->dead, (uintmax_t)counts->reports);
	fflush(stdout);
	agents->counts = (struct counts){ 0 };
}

/* False: there are no more. */
static bool take_command(struct agents *agents)
{
	char line[8192];

	if (fgets(line, sizeof(line), stdin) == NULL)
		return false;
	if (strncmp(line, "dead", 4) == 0)
		set_dead(agents, line + 4);
	else if (strncmp(line, "freeze", 6) == 0)
		agents->frozen = mc_now();
	else if (strncmp(line, "stats", 5) == 0)
		print_counts(agents);
	return true;
}

/* --- Start and end -------------------------------------------------------- */

static bool open_device(struct agents *agents, unsigned number)
{
	struct device *device = &agents->devices[number];
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)agents->port),
		.sin_addr.s_addr = htonl(ntohl(agents->first.s_addr) + number),
	};
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = device };
	unsigned more = number < agents->interfaces % agents->len;
	int size = 1 << 20;

	snprintf(agents->names[number], sizeof(agents->names[number]), "device%u", number);
	device->objects.objects = &agents->objects[more];
	device->objects.number = number;
	if (agents->user.name != NULL &&
	    !usm_init(&device->usm, &agents->user, 1, agents->names[number]))
		return false;
	device->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	setsockopt(device->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	return bind(device->fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
	       epoll_ctl(agents->epoll, EPOLL_CTL_ADD, device->fd, &event) == 0;
}

static bool start(struct agents *agents)
{
	struct epoll_event event = { .events = EPOLLIN };
	unsigned each = agents->interfaces / agents->len;

	setvbuf(stdin, NULL, _IONBF, 0); /* epoll sees all that is left. */
	agents->epoll = epoll_create1(0);
	epoll_ctl(agents->epoll, EPOLL_CTL_ADD, STDIN_FILENO, &event);
	agents->devices = mc_alloc_array(agents->len, sizeof(struct device));
	agents->queue = mc_alloc_array(QUEUE_LEN, sizeof(struct answer));
	objects_init(&agents->objects[0], each);
	objects_init(&agents->objects[1], each + 1);
	agents->started = mc_now();
	for (unsigned i = 0; i < agents->len; i++)
		if (!open_device(agents, i))
			return false;
	puts("ready");
	fflush(stdout);
	return true;
}

static void end(struct agents *agents)
{
	for (unsigned i = 0; i < agents->len; i++) {
		usm_done(&agents->devices[i].usm);
		close(agents->devices[i].fd);
	}
	for (; agents->queue_len > 0; agents->queue_len--) {
		free(agents->queue[agents->queue_first].bytes);
		agents->queue_first = (agents->queue_first + 1) % QUEUE_LEN;
	}
	objects_done(&agents->objects[0]);
	objects_done(&agents->objects[1]);
	free(agents->devices);
	free(agents->queue);
	close(agents->epoll);
}

static void serve(struct agents *agents)
{
	struct epoll_event events[EVENTS_MAX];

	for (;;) {
		/* Not all of a millisecond, at most. */
		int wait = agents->queue_len > 0 ? 1 : -1;
		int len = epoll_wait(agents->epoll, events, EVENTS_MAX, wait);

		for (int i = 0; i < len; i++)
			if (events[i].data.ptr != NULL)
				receive(agents, events[i].data.ptr);
			else if (!take_command(agents))
				return;
		send_due(agents);
	}
}

static bool take_user(struct agents *agents, char *text)
{
	char *rest = NULL;

	agents->user = (struct usm_user){
		.name = strtok_r(text, ":", &rest),
		.auth = "SHA",
		.auth_passphrase = strtok_r(NULL, ":", &rest),
		.privacy = "AES",
		.privacy_passphrase = strtok_r(NULL, ":", &rest),
	};
	return usm_fault(&agents->user) == NULL;
}

static bool take_options(struct agents *agents, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "n:i:b:p:l:L:u:")) != -1) {
		unsigned number = optarg != NULL ? (unsigned)strtoul(optarg, NULL, 10) : 0;

		switch (option) {
		case 'n':
			agents->len = number;
			break;
		case 'i':
			agents->interfaces = number;
			break;
		case 'b':
			if (inet_aton(optarg, &agents->first) == 0)
				return false;
			break;
		case 'p':
			agents->port = number;
			break;
		case 'l':
			agents->latency = number;
			break;
		case 'L':
			agents->loss = number;
			break;
		case 'u':
			if (!take_user(agents, optarg))
				return false;
			break;
		default:
			return false;
		}
	}
	return agents->len > 0 && agents->len <= DEVICES_MAX;
}

int main(int argc, char **argv)
{
	static struct agents agents = {
		.len = 32,
		.interfaces = 3164,
		.port = 1161,
	};

	inet_aton("127.0.10.1", &agents.first);
	if (!take_options(&agents, argc, argv)) {
		fprintf(stderr, "snmp_agents: wrong options\n");
		return 64;
	}
	if (!start(&agents)) {
		perror("snmp_agents");
		return 1;
	}
	serve(&agents);
	end(&agents);
	return 0;
}
