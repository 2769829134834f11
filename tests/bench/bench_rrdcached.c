/* SPDX-License-Identifier: MIT */
/* What rrdcached(1) can take: updates of RRD files in BATCHes, ready made, with
 * nothing before them; of the same files as bench_udp's series.
 *
 *   bench_rrdcached [-h hosts] [-n rounds] [-t time of the first round]
 *                   [-i seconds between rounds] [-w lines per BATCH]
 *                   [-b base directory] SOCKET
 *
 * Several BATCHes are under way at once.  Prints one line of key=value. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define LINE_SIZE 512
#define METRICS 20
#define FLIGHT_MAX 4 /* BATCHes that are not answered. */

static const char *const metrics[METRICS] = {
	"cpu-0/cpu-user",          "cpu-0/cpu-nice",
	"cpu-0/cpu-system",        "cpu-0/cpu-idle",
	"cpu-0/cpu-wait",          "cpu-0/cpu-interrupt",
	"cpu-0/cpu-softirq",       "cpu-0/cpu-steal",
	"memory/memory-used",      "memory/memory-free",
	"memory/memory-cached",    "memory/memory-buffered",
	"memory/memory-slab_recl", "df-root/df_complex-free",
	"df-root/df_complex-used", "df-root/df_complex-reserved",
	"swap/swap-used",          "swap/swap-free",
	"swap/swap-cached",        "swap/swap_io-in",
};

struct load {
	long hosts, rounds, interval, window;
	long long time;
	const char *base, *path;

	int fd;
	char **prefixes; /* "UPDATE path " of each file. */
	char *text;      /* Of a BATCH. */
	size_t size;
	long lines;
	long flight;    /* BATCHes without an answer, */
	long lines_due; /* and lines that have not come. */
	bool line_begins;
	unsigned long updates;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void make_prefixes(struct load *load)
{
	load->prefixes = calloc((size_t)load->hosts * METRICS, sizeof(char *));
	load->text = malloc((size_t)(load->window + 2) * LINE_SIZE);
	if (load->prefixes == NULL || load->text == NULL)
		die("memory");
	for (long i = 0; i < load->hosts * METRICS; i++) {
		char line[LINE_SIZE];

		snprintf(line, sizeof(line), "UPDATE %s%shost%05ld.example.net/%s.rrd ", load->base,
			 load->base[0] != '\0' ? "/" : "", i / METRICS, metrics[i % METRICS]);
		load->prefixes[i] = strdup(line);
		if (load->prefixes[i] == NULL)
			die("memory");
	}
}

/* Waits until one BATCH fewer is under way.  Each is answered by two lines,
 * "0 Go ahead" and "0 errors". */
static void read_answer(struct load *load)
{
	long least = 2 * (load->flight - 1);

	while (load->lines_due > least) {
		char bytes[4096];
		ssize_t got = read(load->fd, bytes, sizeof(bytes));

		if (got <= 0)
			die("read");
		for (ssize_t i = 0; i < got; i++) {
			if (load->line_begins && bytes[i] != '0') {
				fprintf(stderr, "bench_rrdcached: refused\n");
				exit(1);
			}
			load->line_begins = bytes[i] == '\n';
			load->lines_due -= load->line_begins;
		}
	}
	load->flight--;
}

static void send_batch(struct load *load)
{
	size_t sent = 0;

	if (load->lines == 0)
		return;
	memcpy(load->text + load->size, ".\n", 2);
	load->size += 2;
	if (load->flight == FLIGHT_MAX)
		read_answer(load);
	while (sent < load->size) {
		ssize_t part = write(load->fd, load->text + sent, load->size - sent);

		if (part < 0)
			die("write");
		sent += (size_t)part;
	}
	load->flight++;
	load->lines_due += 2;
	load->updates += (unsigned long)load->lines;
	load->lines = 0;
	load->size = 0;
}

static void put(struct load *load, long file, long round)
{
	size_t size = strlen(load->prefixes[file]);

	if (load->lines == 0) {
		memcpy(load->text, "BATCH\n", 6);
		load->size = 6;
	}
	memcpy(load->text + load->size, load->prefixes[file], size);
	load->size += size;
	load->size +=
		(size_t)snprintf(load->text + load->size, LINE_SIZE - size, "%lld:%ld\n",
				 load->time + round * load->interval,
				 (file / METRICS * 7 + file % METRICS * 13) % 1000 + round * 10);
	if (++load->lines == load->window)
		send_batch(load);
}

static void read_options(struct load *load, int argc, char **argv)
{
	for (int c; (c = getopt(argc, argv, "h:n:t:i:w:b:")) != -1;) {
		if (c == 'h')
			load->hosts = strtol(optarg, NULL, 10);
		else if (c == 'n')
			load->rounds = strtol(optarg, NULL, 10);
		else if (c == 't')
			load->time = strtoll(optarg, NULL, 10);
		else if (c == 'i')
			load->interval = strtol(optarg, NULL, 10);
		else if (c == 'w')
			load->window = strtol(optarg, NULL, 10);
		else if (c == 'b')
			load->base = optarg;
		else
			exit(64);
	}
	if (optind + 1 != argc || load->hosts < 1 || load->window < 1) {
		fprintf(stderr, "bench_rrdcached: one socket is needed\n");
		exit(64);
	}
	load->path = argv[optind];
}

static void connect_to(struct load *load)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", load->path);
	load->fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (load->fd < 0 || connect(load->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die(load->path);
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct load load = { .hosts = 500,
			     .rounds = 10,
			     .interval = 10,
			     .window = 1000,
			     .time = time(NULL),
			     .base = "",
			     .line_begins = true };
	struct timespec begin, end;
	struct rusage usage;

	read_options(&load, argc, argv);
	make_prefixes(&load);
	connect_to(&load);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (long round = 0; round < load.rounds; round++)
		for (long file = 0; file < load.hosts * METRICS; file++)
			put(&load, file, round);
	send_batch(&load);
	while (load.flight > 0)
		read_answer(&load);
	clock_gettime(CLOCK_MONOTONIC, &end);
	getrusage(RUSAGE_SELF, &usage);
	printf("values=%lu seconds=%f cpu=%f\n", load.updates,
	       (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
	       seconds(&usage.ru_utime) + seconds(&usage.ru_stime));
	for (long i = 0; i < load.hosts * METRICS; i++)
		free(load.prefixes[i]);
	free(load.prefixes);
	free(load.text);
	close(load.fd);
	return 0;
}
