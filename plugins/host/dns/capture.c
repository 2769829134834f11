/* SPDX-License-Identifier: MIT */
/* Facts: packet(7); the kernel's Documentation/networking/filter.rst. */
#include "capture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER_SIZE (1 << 20)

/* The kernel passes on UDP from or to port 53 over IPv4 or IPv6. */
static int set_filter(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),                   /* 0: version */
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf0),               /* 1 */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x60, 9, 0),         /* 2: to 12 */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x40, 0, 14),        /* 3: to 18 */
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9),                   /* 4: protocol */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 12), /* 5: to 18 */
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 6),                   /* 6: offset */
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x1fff, 10, 0),     /* 7: to 18 */
		BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),                  /* 8: size of head */
		BPF_STMT(BPF_LD | BPF_H | BPF_IND, 0),                   /* 9: from */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 53, 8, 0),           /* 10: to 19 */
		BPF_JUMP(BPF_JMP | BPF_JA, 4, 0, 0),                     /* 11: to 16 */
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 6),                   /* 12: protocol */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 4),  /* 13: to 18 */
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 40),                  /* 14: both ports */
		BPF_JUMP(BPF_JMP | BPF_JA, 4, 0, 0),                     /* 15: to 20 */
		BPF_STMT(BPF_LD | BPF_H | BPF_IND, 2),                   /* 16: to */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 53, 1, 0),           /* 17: to 19 */
		BPF_STMT(BPF_RET | BPF_K, 0),                            /* 18 */
		BPF_STMT(BPF_RET | BPF_K, CAPTURE_SIZE),                 /* 19 */
		BPF_STMT(BPF_MISC | BPF_TAX, 0),                         /* 20 */
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xffff),             /* 21: to */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 53, 3, 0),           /* 22: to 26 */
		BPF_STMT(BPF_MISC | BPF_TXA, 0),                         /* 23 */
		BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 16),                 /* 24: from */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 53, 0, 1),           /* 25: to 26, 27 */
		BPF_STMT(BPF_RET | BPF_K, CAPTURE_SIZE),                 /* 26 */
		BPF_STMT(BPF_RET | BPF_K, 0),                            /* 27 */
	};
	const struct sock_fprog program = {
		.len = sizeof(code) / sizeof(code[0]),
		.filter = code,
	};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

int capture_open(const char *interface)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
	};
	int size = BUFFER_SIZE, fd, error;

	if (interface != NULL) {
		address.sll_ifindex = (int)if_nametoindex(interface);
		if (address.sll_ifindex == 0)
			return -ENODEV;
	}
	/* Nothing comes before it is bound, with its filter. */
	fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (set_filter(fd) == 0 &&
	    bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

ssize_t capture_next(int fd, uint8_t packet[CAPTURE_SIZE])
{
	struct sockaddr_ll from = { 0 };
	socklen_t size = sizeof(from);
	ssize_t got = recvfrom(fd, packet, CAPTURE_SIZE, 0, (struct sockaddr *)&from, &size);

	if (got < 0)
		return errno == EINTR ? 0 : -errno;
	/* A packet to this host itself comes when it is sent and when it is received. */
	if (from.sll_hatype == ARPHRD_LOOPBACK && from.sll_pkttype == PACKET_OUTGOING)
		return 0;
	return got;
}
