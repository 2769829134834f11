/* SPDX-License-Identifier: MIT */
#include "client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define HEAD_SIZE 4 /* The size of a pickle, before it. */

void client_done(struct client *client, struct client_room *room)
{
	room->kept -= client->kept_room;
	free(client->kept);
	client->kept = NULL;
	client->kept_size = client->kept_room = 0;
}

/* Makes room for 'size' bytes in what is kept.  False: all clients have too
 * much. */
static bool reserve(struct client *client, struct client_room *room, size_t size)
{
	size_t more;

	if (size <= client->kept_room)
		return true;
	more = size - client->kept_room;
	if (room->kept + more > room->kept_max)
		return false;
	client->kept = mc_alloc_resize(client->kept, size, 1);
	client->kept_room = size;
	room->kept += more;
	return true;
}

/* How much of it was received; 0: nothing now; -ENODATA: the client has ended;
 * another negative errno: its connection is broken. */
static ssize_t receive(struct client *client, void *to, size_t size)
{
	ssize_t got = mc_tls_stream_recv(&client->stream, to, size);

	if (got == -EAGAIN)
		return 0;
	return got != 0 ? got : -ENODATA;
}

/* The received part is incomplete: it does not count. */
static void refuse_rest(const struct client *client, struct intake *intake)
{
	if (client->kept_size > 0)
		intake_refuse(intake, REFUSED_SLOW);
}

/* --- Lines ---------------------------------------------------------------- */

/* Keeps the rest of the chunk. */
static enum client_outcome keep_line(struct client *client, struct client_room *room,
				     const char *text, size_t size)
{
	if (size == 0) {
		client_done(client, room);
		return CLIENT_GOES_ON;
	}
	if (!reserve(client, room, size))
		return CLIENT_IS_OVER;
	memcpy(client->kept, text, size);
	client->kept_size = size;
	return CLIENT_GOES_ON;
}

/* Moves over the end of a line that was too long. */
static size_t skip_line(struct client *client, const char *text, size_t size)
{
	const char *newline = memchr(text, '\n', size);

	if (newline == NULL)
		return size;
	client->skipping = false;
	return (size_t)(newline - text) + 1;
}

static enum client_outcome take_lines(struct client *client, struct client_room *room,
				      enum protocol protocol, struct intake *intake, mc_time now)
{
	char *chunk = room->chunk;
	size_t size = client->kept_size, done = 0;
	ssize_t got = receive(client, chunk + size, CLIENT_CHUNK);

	if (size > 0)
		memcpy(chunk, client->kept, size);
	if (got == 0)
		return CLIENT_GOES_ON;
	if (got < 0) {
		/* A last line needs no newline. */
		if (got == -ENODATA)
			intake_lines(intake, protocol, chunk, size, true);
		else
			refuse_rest(client, intake);
		return CLIENT_IS_OVER;
	}
	size += (size_t)got;
	atomic_fetch_add(&intake->refused->octets, (uint64_t)got);
	if (client->skipping)
		done = skip_line(client, chunk, size);
	done += intake_lines(intake, protocol, chunk + done, size - done, false);
	if (done > 0 || client->kept_size == 0)
		client->node.active = now;
	if (size - done > LINE_SIZE_MAX) {
		intake_refuse(intake, REFUSED_FORM);
		client->skipping = true;
		done = size;
	}
	if (keep_line(client, room, chunk + done, size - done) == CLIENT_GOES_ON)
		return CLIENT_GOES_ON;
	intake_refuse(intake, REFUSED_MEMORY);
	return CLIENT_IS_OVER;
}

/* --- Pickles -------------------------------------------------------------- */

static size_t frame_size(const char *head)
{
	const unsigned char *at = (const unsigned char *)head;

	return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
}

/* Takes the whole pickles at the start of what is kept. */
static enum client_outcome take_frames(struct client *client, const struct client_room *room,
				       struct intake *intake, mc_time now)
{
	size_t done = 0, size;

	while (client->kept_size - done >= HEAD_SIZE) {
		size = frame_size(client->kept + done);
		if (size > room->frame_max) {
			intake_refuse(intake, REFUSED_FRAME);
			return CLIENT_IS_OVER;
		}
		if (client->kept_size - done - HEAD_SIZE < size)
			break;
		if (!intake_pickle(intake, client->kept + done + HEAD_SIZE, size))
			return CLIENT_IS_OVER;
		done += HEAD_SIZE + size;
		client->node.active = now;
	}
	memmove(client->kept, client->kept + done, client->kept_size - done);
	client->kept_size -= done;
	return CLIENT_GOES_ON;
}

/* Room for the rest of the next pickle, but one more chunk at a time: a client that announces a
 * long one has to send it. */
static size_t frame_room(const struct client *client)
{
	return client->kept_size + CLIENT_CHUNK;
}

static enum client_outcome take_pickles(struct client *client, struct client_room *room,
					struct intake *intake, mc_time now)
{
	ssize_t got;

	if (client->kept_size == 0)
		client->node.active = now;
	if (!reserve(client, room, frame_room(client))) {
		intake_refuse(intake, REFUSED_MEMORY);
		return CLIENT_IS_OVER;
	}
	got = receive(client, client->kept + client->kept_size, CLIENT_CHUNK);
	if (got < 0) {
		refuse_rest(client, intake);
		return CLIENT_IS_OVER;
	}
	atomic_fetch_add(&intake->refused->octets, (uint64_t)got);
	client->kept_size += (size_t)got;
	if (take_frames(client, room, intake, now) == CLIENT_IS_OVER)
		return CLIENT_IS_OVER;
	if (client->kept_size == 0)
		client_done(client, room);
	return CLIENT_GOES_ON;
}

/* --- TLS ------------------------------------------------------------------ */

/* The output meanwhile is a few kilobytes: a socket that does not take them is not worth a
 * wait. */
static enum client_outcome shake_hands(struct client *client, struct intake *intake)
{
	char why[MC_TLS_WHY];
	int rc = mc_tls_stream_handshake(&client->stream, why);

	if (rc == -EAGAIN && !client->stream.wants_write)
		return CLIENT_GOES_ON;
	client->shaking = false;
	if (rc == 0)
		return CLIENT_GOES_ON;
	intake_refuse_client(intake, REFUSED_TLS, rc == -EAGAIN ? "it does not receive" : why);
	return CLIENT_IS_OVER;
}

enum client_outcome client_receive(struct client *client, struct client_room *room,
				   enum protocol protocol, struct intake *intake, mc_time now)
{
	intake_from(intake, client->sender, &client->address);
	if (client->shaking)
		return shake_hands(client, intake);
	return protocol == PROTOCOL_PICKLE ? take_pickles(client, room, intake, now)
					   : take_lines(client, room, protocol, intake, now);
}
