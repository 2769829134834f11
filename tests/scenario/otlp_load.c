/* SPDX-License-Identifier: MIT */
/* Many senders of OTLP, each with a connection that it keeps: sends a request again and again, each
 * sender as a host of its own with a time of its own.
 *
 *   otlp_load [-a | -k] [-s] [-t ca.pem] [-c connections] [-i seconds] [-r rounds]
 *             [-w under way] port file
 *
 * The file is a request of protobuf of the host "h00000" and the time 1700000000 s; the time of the
 * next request is a second later, or as many as -i says.  In each round all senders send one
 * request, and at most 'under way' of all wait for an answer.  With -i every round but the first
 * takes so many seconds, in which the senders take turns evenly, whoever waits.  With -a a sender
 * whose connection is closed connects again for its next request; else it sends no more.  With -k
 * it keeps to its request until it is answered with 200: it connects again, with the session that
 * it had, and sends it again.  With -t they speak TLS with a server of that authority. 16 senders
 * share an address of 127/8, which Linux needs no set-up for.
 *
 * Prints one line of key=value.  With -s there is one after the first round, too, and after each it
 * waits for a line of input, with all connections open.  It ends, with requests unanswered, when
 * nothing has come for half a minute.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <gnutls/gnutls.h>

#define HOST "h00000"
#define BEGIN (UINT64_C(1700000000) * SECOND)
#define SECOND UINT64_C(1000000000)
#define PLACES_MAX 4096
#define REQUEST_MAX 65536
#define EVENTS_MAX 256
#define PATIENCE_MS 30000
#define PER_ADDRESS 16
#define RETRY_S 0.1 /* After a connection that failed or was closed. */
#define REFUSED_S 1 /* After an answer that is not 200. */

struct template
{ /* What all requests are made of. */
	unsigned char bytes[REQUEST_MAX];
	size_t size;
	size_t hosts[PLACES_MAX], times[PLACES_MAX]; /* Where these are. */
	size_t hosts_len, times_len;
};

struct sender {
	int fd;
	gnutls_session_t session; /* NULL: plain. */
	gnutls_datum_t kept;      /* To resume the session. */
	bool connected;
	bool opening;  /* By open_again(). */
	double due;    /* While it is in 'retries': not before this time. */
	bool waits;    /* For an answer. */
	uint64_t sent; /* Requests. */
	char answer[4096];
	size_t answer_size;
};

struct load {
	int port;
	bool again; /* A closed client connects again. */
	bool keeps; /* To a request until it is answered. */
	bool stops; /* After the first round, and at the end. */
	unsigned senders_len, rounds, under_way_max;
	unsigned interval; /* Of a round, in seconds; 0: as fast as it goes. */
	gnutls_certificate_credentials_t credentials; /* NULL: plain. */
	struct template template;
	struct sender *senders;
	int epoll_fd;

	uint64_t sent, taken, refused, closed; /* Requests. */
	uint64_t repeated, resumed;            /* With -k: requests, connections. */
	unsigned under_way;

	unsigned *retries; /* Senders that connect, or send, again: a ring of senders_len. */
	unsigned retries_begin, retries_len;
};

/* --- The request --------------------------------------------------------- */

static size_t find_all(const struct template *template, const void *what, size_t size,
		       size_t *places)
{
	const unsigned char *at = template->bytes;
	const unsigned char *end = at + template->size;
	size_t len = 0;

	while (len < PLACES_MAX && (at = memmem(at, (size_t)(end - at), what, size)) != NULL) {
		places[len++] = (size_t)(at - template->bytes);
		at += size;
	}
	return len;
}

/* Times are little-endian, as those of the machines that run tests are. */
static void read_template(struct template *template, const char *path)
{
	const uint64_t begin = BEGIN;
	FILE *file = fopen(path, "re");

	if (file == NULL)
		err(1, "%s", path);
	template->size = fread(template->bytes, 1, REQUEST_MAX, file);
	fclose(file);
	template->hosts_len = find_all(template, HOST, strlen(HOST), template->hosts);
	template->times_len = find_all(template, &begin, sizeof(begin), template->times);
	if (template->hosts_len == 0 || template->times_len == 0)
		errx(1, "%s: no host '%s', or not that time", path, HOST);
}

/* Request 'turn', from 0, of a sender; returns its size. */
static size_t make_request(struct load *load, unsigned number, uint64_t turn, char *out,
			   size_t room)
{
	struct template *template = &load->template;
	uint64_t when = BEGIN + turn * (load->interval > 0 ? load->interval : 1) * SECOND;
	char host[32];
	int head;

	snprintf(host, sizeof(host), "h%05u", number % 100000);
	for (size_t i = 0; i < template->hosts_len; i++)
		memcpy(template->bytes + template->hosts[i], host, strlen(HOST));
	for (size_t i = 0; i < template->times_len; i++)
		memcpy(template->bytes + template->times[i], &when, sizeof(when));
	head = snprintf(out, room,
			"POST /v1/metrics HTTP/1.1\r\nHost: here\r\n"
			"Content-Type: application/x-protobuf\r\n"
			"X-Sender: %s\r\nX-Stream: %s/1\r\nX-Seq: %llu\r\n"
			"Content-Length: %zu\r\n\r\n",
			host, host, (unsigned long long)turn + 1, template->size);
	memcpy(out + head, template->bytes, template->size);
	return (size_t)head + template->size;
}

/* --- A connection -------------------------------------------------------- */

static int connect_from(unsigned number, int port, int flags)
{
	unsigned group = number / PER_ADDRESS;
	struct sockaddr_in from = { .sin_family = AF_INET };
	struct sockaddr_in to = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0), on = 1;

	from.sin_addr.s_addr = htonl(0x7f010000 + group / 250 * 256 + group % 250 + 1);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to.sin_port = htons((uint16_t)port);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&from, sizeof(from)) != 0 ||
	    (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0 && errno != EINPROGRESS &&
	     (flags == 0 || errno != ECONNREFUSED)))
		err(1, "sender %u: cannot connect", number);
	return fd;
}

/* NULL: plain. */
static gnutls_session_t new_session(struct load *load, int fd)
{
	gnutls_session_t session;

	if (load->credentials == NULL)
		return NULL;
	gnutls_init(&session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL);
	gnutls_set_default_priority(session);
	gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, load->credentials);
	gnutls_session_set_verify_cert(session, NULL, 0);
	gnutls_transport_set_int(session, fd);
	return session;
}

static gnutls_session_t shake_hands(struct load *load, int fd)
{
	gnutls_session_t session = new_session(load, fd);
	int rc;

	if (session == NULL)
		return NULL;
	do {
		rc = gnutls_handshake(session);
	} while (rc < 0 && gnutls_error_is_fatal(rc) == 0);
	if (rc < 0)
		errx(1, "no handshake: %s", gnutls_strerror(rc));
	return session;
}

static void open_sender(struct load *load, unsigned number)
{
	struct sender *sender = &load->senders[number];
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = number };

	sender->fd = connect_from(number, load->port, 0);
	sender->session = shake_hands(load, sender->fd);
	fcntl(sender->fd, F_SETFL, O_NONBLOCK);
	epoll_ctl(load->epoll_fd, EPOLL_CTL_ADD, sender->fd, &event);
}

/* A request fits into the buffers of a connection on which nothing waits. */
static bool put(struct sender *sender, const char *bytes, size_t size)
{
	if (sender->session == NULL)
		return send(sender->fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
	while (size > 0) {
		ssize_t done = gnutls_record_send(sender->session, bytes, size);

		if (done <= 0)
			return false;
		bytes += done;
		size -= (size_t)done;
	}
	return true;
}

/* Bytes that have come; 0: none now; -1: the end. */
static ssize_t get(struct sender *sender, char *out, size_t room)
{
	ssize_t size;

	if (sender->session != NULL) {
		size = gnutls_record_recv(sender->session, out, room);
		if (size < 0 && gnutls_error_is_fatal((int)size) == 0)
			return 0;
	} else {
		size = recv(sender->fd, out, room, 0);
		if (size < 0 && errno == EAGAIN)
			return 0;
	}
	return size > 0 ? size : -1;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* --- Requests and answers ------------------------------------------------ */

static void retry_after(struct load *load, struct sender *sender, double seconds)
{
	unsigned at = (load->retries_begin + load->retries_len) % load->senders_len;

	if (sender->due > 0)
		return;
	load->retries_len++;
	load->retries[at] = (unsigned)(sender - load->senders);
	sender->due = now() + seconds;
}

static void close_sender(struct load *load, struct sender *sender)
{
	epoll_ctl(load->epoll_fd, EPOLL_CTL_DEL, sender->fd, NULL);
	if (sender->session != NULL)
		gnutls_deinit(sender->session);
	sender->session = NULL;
	close(sender->fd);
	sender->answer_size = 0;
	sender->connected = sender->opening = false;
}

static void end(struct load *load, struct sender *sender)
{
	load->closed++;
	if (load->keeps) {
		close_sender(load, sender);
		if (sender->waits)
			retry_after(load, sender, RETRY_S);
		return;
	}
	load->under_way -= sender->waits;
	sender->waits = !load->again; /* For ever. */
	if (load->again)
		close_sender(load, sender);
	else
		epoll_ctl(load->epoll_fd, EPOLL_CTL_DEL, sender->fd, NULL);
}

/* Sends the request that the sender has sent last, or is to send. */
static void put_request(struct load *load, unsigned number)
{
	static char request[REQUEST_MAX + 1024];
	struct sender *sender = &load->senders[number];
	size_t size = make_request(load, number, sender->sent - 1, request, sizeof(request));

	if (!put(sender, request, size))
		end(load, sender);
}

static void post(struct load *load, unsigned number)
{
	struct sender *sender = &load->senders[number];

	load->sent++;
	load->under_way++;
	sender->sent++;
	sender->waits = true;
	if (!sender->connected && load->keeps && sender->sent > 1) {
		retry_after(load, sender, 0);
		return;
	}
	if (!sender->connected)
		open_sender(load, number);
	sender->connected = true;
	put_request(load, number);
}

/* Goes on with a connection that open_again() has begun; sends the request when it is there. */
static void open_further(struct load *load, unsigned number)
{
	struct sender *sender = &load->senders[number];
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = number };
	socklen_t size = sizeof(int);
	int rc = 0;

	if (getsockopt(sender->fd, SOL_SOCKET, SO_ERROR, &rc, &size) != 0 || rc != 0) {
		end(load, sender);
		return;
	}
	rc = sender->session != NULL ? gnutls_handshake(sender->session) : 0;
	if (rc < 0 && gnutls_error_is_fatal(rc) != 0) {
		end(load, sender);
		return;
	}
	if (rc < 0 && gnutls_record_get_direction(sender->session) == 1)
		event.events |= EPOLLOUT;
	epoll_ctl(load->epoll_fd, EPOLL_CTL_MOD, sender->fd, &event);
	if (rc < 0)
		return;
	sender->opening = false;
	sender->connected = true;
	if (sender->session != NULL)
		load->resumed += gnutls_session_is_resumed(sender->session) != 0;
	put_request(load, number);
}

/* Connects without waiting, with the session of before if there is one. */
static void open_again(struct load *load, unsigned number)
{
	struct sender *sender = &load->senders[number];
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT, .data.u32 = number };

	sender->fd = connect_from(number, load->port, SOCK_NONBLOCK);
	sender->session = new_session(load, sender->fd);
	if (sender->kept.size > 0)
		gnutls_session_set_data(sender->session, sender->kept.data, sender->kept.size);
	sender->opening = true;
	epoll_ctl(load->epoll_fd, EPOLL_CTL_ADD, sender->fd, &event);
}

/* Returns how long to wait until the next retry is due, in ms. */
static int retry_all(struct load *load)
{
	while (load->retries_len > 0) {
		unsigned next = load->retries[load->retries_begin];
		double left = load->senders[next].due - now();

		if (left > 0)
			return (int)(left * 1e3) + 1;
		load->retries_begin = (load->retries_begin + 1) % load->senders_len;
		load->retries_len--;
		load->senders[next].due = 0;
		load->repeated++;
		if (load->senders[next].connected)
			put_request(load, next);
		else
			open_again(load, next);
	}
	return PATIENCE_MS;
}

/* Whether the answer is there, whole. */
static bool is_whole(const struct sender *sender)
{
	const char *head_end = strstr(sender->answer, "\r\n\r\n");
	const char *length = strcasestr(sender->answer, "Content-Length:");
	size_t body = length != NULL ? strtoul(length + 15, NULL, 10) : 0;

	return head_end != NULL &&
	       sender->answer_size >= (size_t)(head_end + 4 - sender->answer) + body;
}

static void hear(struct load *load, struct sender *sender)
{
	size_t room = sizeof(sender->answer) - 1 - sender->answer_size;
	ssize_t size = get(sender, sender->answer + sender->answer_size, room);

	if (size < 0) {
		end(load, sender);
		return;
	}
	sender->answer_size += (size_t)size;
	sender->answer[sender->answer_size] = '\0';
	if (!is_whole(sender))
		return;
	sender->answer_size = 0;
	if (strncmp(sender->answer, "HTTP/1.1 200 ", 13) == 0)
		load->taken++;
	else if (load->refused++ == 0)
		warnx("the first that is refused: %s", sender->answer);
	if (load->keeps && strncmp(sender->answer, "HTTP/1.1 200 ", 13) != 0) {
		retry_after(load, sender, REFUSED_S);
		return;
	}
	if (load->keeps && sender->session != NULL && sender->kept.size == 0)
		gnutls_session_get_data2(sender->session, &sender->kept);
	sender->waits = false;
	load->under_way--;
}

/* Returns false when nothing came for too long. */
static bool hear_all(struct load *load, int milliseconds)
{
	struct epoll_event events[EVENTS_MAX];
	int len = epoll_wait(load->epoll_fd, events, EVENTS_MAX, milliseconds);

	for (int i = 0; i < len; i++) {
		struct sender *sender = &load->senders[events[i].data.u32];

		if (sender->opening)
			open_further(load, events[i].data.u32);
		else
			hear(load, sender);
	}
	return len > 0 || milliseconds < PATIENCE_MS;
}

/* All that may send now do; returns how long to wait for an answer, in ms. */
static int post_all(struct load *load, uint64_t *turn, uint64_t all, double begin, double apart)
{
	while (*turn < all && (apart > 0 || load->under_way < load->under_way_max)) {
		unsigned next = (unsigned)(*turn % load->senders_len);
		double left;

		if (load->senders[next].waits)
			break;
		left = begin + apart * (double)*turn - now();
		if (apart > 0 && left > 0)
			return left < 1 ? (int)(left * 1e3) + 1 : 1000;
		post(load, next);
		++*turn;
	}
	return PATIENCE_MS;
}

/* The senders take turns; one that still waits is waited for. */
static void run(struct load *load, unsigned rounds, unsigned interval)
{
	uint64_t all = (uint64_t)load->senders_len * rounds, turn = 0;
	double begin = now(), apart = (double)interval / load->senders_len;
	int wait;

	do {
		int retry;

		wait = post_all(load, &turn, all, begin, apart);
		retry = retry_all(load);
		wait = wait < retry ? wait : retry;
	} while ((turn < all || load->under_way > 0) && hear_all(load, wait));
}

/* --- The program --------------------------------------------------------- */

static void use_tls(struct load *load, const char *authority)
{
	int rc;

	gnutls_certificate_allocate_credentials(&load->credentials);
	rc = gnutls_certificate_set_x509_trust_file(load->credentials, authority,
						    GNUTLS_X509_FMT_PEM);
	if (rc <= 0)
		errx(1, "%s: no certificate in it", authority);
}

static void read_arguments(struct load *load, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "akst:c:i:r:w:")) != -1) {
		switch (option) {
		case 'a':
			load->again = true;
			break;
		case 'k':
			load->keeps = true;
			break;
		case 's':
			load->stops = true;
			break;
		case 't':
			use_tls(load, optarg);
			break;
		case 'c':
			load->senders_len = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'i':
			load->interval = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'r':
			load->rounds = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'w':
			load->under_way_max = (unsigned)strtoul(optarg, NULL, 10);
			break;
		default:
			exit(64);
		}
	}
	if (argc - optind != 2)
		errx(64, "a port and a file are needed");
	load->port = (int)strtol(argv[optind], NULL, 10);
	read_template(&load->template, argv[optind + 1]);
}

static void tell(const struct load *load, double begin)
{
	printf("sent=%llu taken=%llu refused=%llu closed=%llu unanswered=%u "
	       "repeated=%llu resumed=%llu seconds=%.3f\n",
	       (unsigned long long)load->sent, (unsigned long long)load->taken,
	       (unsigned long long)load->refused, (unsigned long long)load->closed, load->under_way,
	       (unsigned long long)load->repeated, (unsigned long long)load->resumed,
	       now() - begin);
	if (!load->stops)
		return;
	fflush(stdout);
	for (int byte = 0; byte != '\n' && byte != EOF;)
		byte = getchar();
}

int main(int argc, char **argv)
{
	static struct load load = { .senders_len = 1000, .rounds = 12, .under_way_max = 64 };
	struct rlimit files;
	double begin;

	read_arguments(&load, argc, argv);
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	load.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	load.senders = calloc(load.senders_len, sizeof(*load.senders));
	load.retries = calloc(load.senders_len, sizeof(*load.retries));
	if (load.epoll_fd < 0 || load.senders == NULL || load.retries == NULL)
		err(1, "cannot begin");
	begin = now();
	if (load.stops || load.interval > 0) {
		run(&load, 1, 0);
		load.rounds--;
	}
	if (load.stops)
		tell(&load, begin);
	run(&load, load.rounds, load.interval);
	tell(&load, begin);
	return 0;
}
