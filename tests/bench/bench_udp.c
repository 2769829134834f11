/* SPDX-License-Identifier: MIT */
/* Feeds packets of the binary protocol to a collector, the same to any: a fleet of hosts with
 * twenty usual values each, every value with its own time, as collectd sends them.
 *
 *   bench_udp [-h hosts] [-o number of the first] [-n rounds]
 *             [-t time of the first round] [-i seconds between rounds]
 *             [-r values per second] [-a] [-f] [-m] PORT
 *
 * Sends to 127.0.0.1 as fast as the receiver's buffer is emptied, so that nothing is lost, but no
 * faster than asked.  -a: each host from an address of its own, 127.N.N.N.  -f: does not care what
 * the receiver can take.  -m: every value is a packet.  Prints one line of key=value. */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "formats/binary/binary.h"

#define METRICS 20
#define PACKET_SIZE 1452
#define QUEUE_MAX 60000 /* Bytes that may wait at the receiver. */
#define CHECK_EVERY 16  /* Packets. */

static const struct mc_type derive = { .sources_len = 1, .sources = { { .kind = MC_DERIVE } } };
static const struct mc_type gauge = { .sources_len = 1, .sources = { { .kind = MC_GAUGE } } };

static const struct metric {
	const char *plugin, *plugin_instance, *type, *type_instance;
	const struct mc_type *kind;
} metrics[METRICS] = {
	{ "cpu", "0", "cpu", "user", &derive },
	{ "cpu", "0", "cpu", "nice", &derive },
	{ "cpu", "0", "cpu", "system", &derive },
	{ "cpu", "0", "cpu", "idle", &derive },
	{ "cpu", "0", "cpu", "wait", &derive },
	{ "cpu", "0", "cpu", "interrupt", &derive },
	{ "cpu", "0", "cpu", "softirq", &derive },
	{ "cpu", "0", "cpu", "steal", &derive },
	{ "memory", "", "memory", "used", &gauge },
	{ "memory", "", "memory", "free", &gauge },
	{ "memory", "", "memory", "cached", &gauge },
	{ "memory", "", "memory", "buffered", &gauge },
	{ "memory", "", "memory", "slab_recl", &gauge },
	{ "df", "root", "df_complex", "free", &gauge },
	{ "df", "root", "df_complex", "used", &gauge },
	{ "df", "root", "df_complex", "reserved", &gauge },
	{ "swap", "", "swap", "used", &gauge },
	{ "swap", "", "swap", "free", &gauge },
	{ "swap", "", "swap", "cached", &gauge },
	{ "swap", "", "swap_io", "in", &derive },
};

struct load {
	long hosts, first, rounds, interval;
	bool own_addresses, regardless, single;
	long long time;
	double rate; /* Values per second; 0: as fast as they are taken. */
	double begun;
	int port;

	int fd;
	FILE *queues; /* /proc/net/udp */
	unsigned long packets, values;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Bytes that wait in the receiver's socket: proc(5). */
static unsigned long waiting(struct load *load)
{
	char line[256];
	unsigned long queued = 0;

	rewind(load->queues);
	fflush(load->queues);
	while (fgets(line, sizeof(line), load->queues) != NULL) {
		unsigned port;
		unsigned long bytes;

		if (sscanf(line, " %*d: %*x:%x %*x:%*x %*x %*x:%lx", &port, &bytes) == 2 &&
		    (int)port == load->port)
			queued = bytes;
	}
	return queued;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Sleeps when it is a millisecond or more ahead of the rate. */
static void keep_pace(const struct load *load)
{
	double ahead = load->rate > 0 ? load->begun + (double)load->values / load->rate - now() : 0;

	if (ahead > 0.001)
		nanosleep(&(struct timespec){ (time_t)ahead,
					      (long)((ahead - (double)(time_t)ahead) * 1e9) },
			  NULL);
}

/* From the address of the host, if it has one: IP_PKTINFO of ip(7). */
static void send_bytes(struct load *load, long host, void *bytes, size_t size)
{
	struct in_pktinfo from = { .ipi_spec_dst.s_addr = htonl(0x7f010001 + (uint32_t)host) };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(from))];
	} control = { .head = { .cmsg_level = IPPROTO_IP,
				.cmsg_type = IP_PKTINFO,
				.cmsg_len = CMSG_LEN(sizeof(from)) } };
	struct iovec vector = { bytes, size };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };

	if (load->own_addresses) {
		memcpy(CMSG_DATA(&control.head), &from, sizeof(from));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	if (sendmsg(load->fd, &message, 0) < 0)
		die("sendmsg");
}

static void send_packet(struct load *load, long host, struct mc_binary_packet *packet)
{
	const struct timespec moment = { .tv_nsec = 100000 };

	if (packet->lists_len == 0)
		return;
	send_bytes(load, host, packet->bytes, packet->size);
	load->values += packet->lists_len;
	if (++load->packets % CHECK_EVERY == 0) {
		while (!load->regardless && waiting(load) > QUEUE_MAX)
			nanosleep(&moment, NULL);
		keep_pace(load);
	}
	mc_binary_start(packet, packet->bytes, packet->room);
}

static void send_host(struct load *load, long host, long round)
{
	unsigned char bytes[PACKET_SIZE];
	struct mc_binary_packet packet;
	struct mc_stamp stamp = { .interval = load->interval * MC_SECOND };
	char name[64];

	snprintf(name, sizeof(name), "host%05ld.example.net", host);
	stamp.time = (load->time + round * load->interval) * MC_SECOND;
	mc_binary_start(&packet, bytes, sizeof(bytes));
	for (int i = 0; i < METRICS; i++) {
		const struct metric *metric = &metrics[i];
		struct mc_id id = { name, metric->plugin, metric->plugin_instance, metric->type,
				    metric->type_instance };
		long number = (host * 7 + i * 13) % 1000 + round * 10;
		union mc_value value = { .derive = number };
		union {
			struct mc_binary_series series;
			char room[512];
		} any;

		if (metric->kind == &gauge)
			value.gauge = (double)number / 2;
		stamp.time += 1000;
		mc_binary_series_init(&any.series, &id, metric->kind);
		if (!mc_binary_put(&packet, &any.series, stamp, &value)) {
			send_packet(load, host, &packet);
			mc_binary_put(&packet, &any.series, stamp, &value);
		}
		mc_binary_rest(&packet);
		if (load->single)
			send_packet(load, host, &packet);
	}
	send_packet(load, host, &packet);
}

static void read_options(struct load *load, int argc, char **argv)
{
	for (int c; (c = getopt(argc, argv, "h:o:n:t:i:r:afm")) != -1;) {
		if (c == 'h')
			load->hosts = strtol(optarg, NULL, 10);
		else if (c == 'o')
			load->first = strtol(optarg, NULL, 10);
		else if (c == 'a')
			load->own_addresses = true;
		else if (c == 'f')
			load->regardless = true;
		else if (c == 'm')
			load->single = true;
		else if (c == 'n')
			load->rounds = strtol(optarg, NULL, 10);
		else if (c == 't')
			load->time = strtoll(optarg, NULL, 10);
		else if (c == 'i')
			load->interval = strtol(optarg, NULL, 10);
		else if (c == 'r')
			load->rate = strtod(optarg, NULL);
		else
			exit(64);
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "bench_udp: one port is needed\n");
		exit(64);
	}
	load->port = (int)strtol(argv[optind], NULL, 10);
}

int main(int argc, char **argv)
{
	struct load load = { .hosts = 500, .rounds = 10, .interval = 10, .time = time(NULL) };
	struct sockaddr_in address = { .sin_family = AF_INET };

	read_options(&load, argc, argv);
	address.sin_port = htons((uint16_t)load.port);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	load.fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (load.fd < 0 || connect(load.fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die("connect");
	load.queues = fopen("/proc/net/udp", "r");
	if (load.queues == NULL)
		die("/proc/net/udp");
	load.begun = now();
	for (long round = 0; round < load.rounds; round++)
		for (long host = 0; host < load.hosts; host++)
			send_host(&load, load.first + host, round);
	printf("values=%lu packets=%lu\n", load.values, load.packets);
	fclose(load.queues);
	close(load.fd);
	return 0;
}
