/* SPDX-License-Identifier: MIT */
#include "nft.h"

#include <arpa/inet.h>
#include <collector/kit/alloc.h>

#include <errno.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kit/net/netlink.h"

#define NAME_SIZE_MAX 256                 /* With '\0'; the kernel has no longer ones. */
#define BUFFER_SIZE (2 * MC_NETLINK_SIZE) /* A single attribute has 64 KiB at most. */
#define ATTRIBUTE_SIZE (NLA_HDRLEN + NAME_SIZE_MAX)

struct request {
	struct nlmsghdr header;
	struct nfgenmsg head;
	char attributes[3 * ATTRIBUTE_SIZE];
};

/* --- What is asked ------------------------------------------------------------------------ */

static void begin(struct request *request, uint16_t type, uint16_t flags, uint8_t family)
{
	*request = (struct request){
		.header.nlmsg_type = (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type),
		.header.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags),
		.header.nlmsg_len = NLMSG_LENGTH(sizeof(struct nfgenmsg)),
		.head = { .nfgen_family = family, .version = NFNETLINK_V0 },
	};
}

static void add(struct request *request, uint16_t type, const void *content, size_t size)
{
	struct nlattr header = { .nla_len = (uint16_t)(NLA_HDRLEN + size), .nla_type = type };
	char *at = (char *)request + request->header.nlmsg_len;

	memcpy(at, &header, sizeof(header));
	memcpy(at + NLA_HDRLEN, content, size);
	request->header.nlmsg_len += (uint32_t)NLA_ALIGN(header.nla_len);
}

/* False if nothing can have that name. */
static bool add_name(struct request *request, uint16_t type, const char *name)
{
	size_t size = name != NULL ? strlen(name) + 1 : 0;

	if (size > NAME_SIZE_MAX)
		return false;
	if (name != NULL)
		add(request, type, name, size);
	return true;
}

static int send_request(struct nft *nft, struct request *request)
{
	int fd;

	if (nft->buffer == NULL)
		nft->buffer = mc_alloc(BUFFER_SIZE);
	if (nft->socket == 0) {
		fd = mc_netlink_open(NETLINK_NETFILTER);
		if (fd < 0)
			return fd == -EPROTONOSUPPORT ? -ENOENT : fd;
		nft->socket = fd + 1;
	}
	request->header.nlmsg_seq = ++nft->sequence;
	return mc_netlink_send(nft->socket - 1, request, request->header.nlmsg_len);
}

/* --- What is answered --------------------------------------------------------------------- */

struct visitor {
	nft_visit_rule *rule;
	nft_visit_counter *counter;
	void *argument;
};

static int visit(void *argument, uint16_t type, struct mc_netlink_part body)
{
	const struct visitor *visitor = argument;
	struct nft_rule rule;
	struct nft_counter counter;

	if (type == (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWRULE) && visitor->rule != NULL) {
		if (!nft_message_rule(body, &rule))
			return -EBADMSG;
		visitor->rule(visitor->argument, &rule);
	} else if (type == (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWOBJ) &&
		   visitor->counter != NULL) {
		if (!nft_message_counter(body, &counter))
			return -EBADMSG;
		visitor->counter(visitor->argument, &counter);
	}
	return 0;
}

/* The rest of an answer that was given up goes with the socket. */
static int give_up(struct nft *nft, int rc)
{
	if (nft->socket != 0)
		close(nft->socket - 1);
	nft->socket = 0;
	/* EINVAL: no part of the kernel has these questions. */
	return rc == -EINVAL || rc == -EOPNOTSUPP ? -ENOENT : rc;
}

static int dump(struct nft *nft, struct request *request, const struct visitor *visitor)
{
	struct mc_netlink_buffer buffer = { NULL, BUFFER_SIZE };
	int rc = send_request(nft, request);

	buffer.bytes = nft->buffer;
	if (rc == 0)
		rc = mc_netlink_answer_whole(nft->socket - 1, buffer, nft->sequence, visit,
					     (void *)visitor);
	if (rc < 0)
		return give_up(nft, rc);
	return rc > 0 ? -EINTR : 0;
}

int nft_rules(struct nft *nft, const struct nft_place *place, nft_visit_rule *visit_rule,
	      void *argument)
{
	const struct visitor visitor = { .rule = visit_rule, .argument = argument };
	struct request request;

	begin(&request, NFT_MSG_GETRULE, NLM_F_DUMP, place->family);
	if (!add_name(&request, NFTA_RULE_TABLE, place->table) ||
	    !add_name(&request, NFTA_RULE_CHAIN, place->chain))
		return 0;
	return dump(nft, &request, &visitor);
}

int nft_counters(struct nft *nft, const struct nft_place *place, nft_visit_counter *visit_counter,
		 void *argument)
{
	const struct visitor visitor = { .counter = visit_counter, .argument = argument };
	const uint32_t type = htonl(NFT_OBJECT_COUNTER);
	struct request request;

	begin(&request, NFT_MSG_GETOBJ, NLM_F_DUMP, place->family);
	if (!add_name(&request, NFTA_OBJ_TABLE, place->table))
		return 0;
	add(&request, NFTA_OBJ_TYPE, &type, sizeof(type));
	return dump(nft, &request, &visitor);
}

int nft_find_chain(struct nft *nft, const struct nft_place *place)
{
	const struct visitor nothing = { 0 };
	struct request request;
	ssize_t size;
	int rc;

	begin(&request, NFT_MSG_GETCHAIN, 0, place->family);
	if (!add_name(&request, NFTA_CHAIN_TABLE, place->table) ||
	    !add_name(&request, NFTA_CHAIN_NAME, place->chain))
		return -ENOENT;
	rc = send_request(nft, &request);
	if (rc != 0)
		return give_up(nft, rc);
	size = mc_netlink_receive(nft->socket - 1, nft->buffer, BUFFER_SIZE);
	if (size < 0)
		return give_up(nft, (int)size);
	rc = mc_netlink_walk((struct mc_netlink_part){ nft->buffer, (size_t)size }, nft->sequence,
			     visit, (void *)&nothing);
	if (rc == -ENOENT)
		return rc;
	return rc < 0 ? give_up(nft, rc) : 0;
}

void nft_done(struct nft *nft)
{
	give_up(nft, 0);
	free(nft->buffer);
	*nft = (struct nft){ 0 };
}
