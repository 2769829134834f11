/* SPDX-License-Identifier: MIT */
/* A request consists of pieces, one for each reader and host, in any order; so each piece has a
 * template of its own.  It is recorded when a piece of the same size and with the same head comes
 * from a sender for the second time.  While a thread uses a template, it is not in the table, so it
 * needs no lock. */
#include "kit/series/otlp_templates.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <collector/kit/alloc.h>

#include "formats/otlp/otlp.h"

/* Pieces to skip after one that could not be recorded, as when a series was rejected. */
#define PAUSE 64

/* A template that was not used for so long is of a sender or host that is gone:
 * where hosts come and go they would be all that the memory holds. */
#define UNUSED_MAX (10 * 60 * MC_SECOND)

struct key {
	uint64_t sender, head; /* Sums; the bytes of the template are compared. */
	uint64_t size;
};

struct template
{
	struct mc_lru_node node;
	struct mc_otlp_template *recorded; /* NULL: not yet, or it is in use. */
	unsigned pause;                    /* Requests until the next attempt to record it. */
	mc_time used;                      /* Last; mc_now(). */
	size_t bytes;                      /* Of memory, as it is counted. */
	struct key key;                    /* Its bytes are the name. */
};

void mc_otlp_templates_init(struct mc_otlp_templates *templates, size_t bytes_max)
{
	*templates = (struct mc_otlp_templates){ .bytes_max = bytes_max };
	pthread_mutex_init(&templates->lock, NULL);
}

static void free_template(struct template *template)
{
	mc_otlp_template_free(template->recorded);
	free(template);
}

void mc_otlp_templates_done(struct mc_otlp_templates *templates) MC_NO_LOCK
{
	struct mc_lru_node *next;

	for (struct mc_lru_node *n = templates->names.oldest; n != NULL; n = next) {
		next = n->newer;
		free_template((struct template *)n);
	}
	mc_lru_done(&templates->names);
	pthread_mutex_destroy(&templates->lock);
}

static void count_bytes(struct mc_otlp_templates *templates, struct template *template)
	MC_REQUIRES(templates->lock)
{
	templates->bytes -= template->bytes;
	template->bytes = sizeof(*template);
	if (template->recorded != NULL)
		template->bytes += mc_otlp_template_size(template->recorded);
	templates->bytes += template->bytes;
}

static void make_room(struct mc_otlp_templates *templates) MC_REQUIRES(templates->lock)
{
	mc_time unused = mc_now() - UNUSED_MAX;

	while (templates->names.map.len > 0) {
		struct template *oldest = (struct template *)templates->names.oldest;

		if (templates->bytes <= templates->bytes_max && oldest->used >= unused)
			break;
		templates->bytes -= oldest->bytes;
		mc_lru_remove(&templates->names, &oldest->node);
		free_template(oldest);
	}
}

static struct template *find(const struct mc_otlp_templates *templates, const struct key *key)
	MC_REQUIRES(templates->lock)
{
	return (struct template *)mc_lru_find(&templates->names, key, sizeof(*key));
}

static void add(struct mc_otlp_templates *templates, const struct key *key)
	MC_REQUIRES(templates->lock)
{
	struct template *template = mc_alloc_zero(sizeof(*template));

	template->key = *key;
	template->used = mc_now();
	mc_lru_add(&templates->names, &template->node, &template->key, sizeof(template->key));
	count_bytes(templates, template);
	make_room(templates);
}

/* Takes the template out of the table; or NULL, and *learn says whether it is to be recorded. */
static struct mc_otlp_template *take(struct mc_otlp_templates *templates, const struct key *key,
				     bool *record)
{
	struct mc_otlp_template *recorded = NULL;
	struct template *template;

	*record = false;
	pthread_mutex_lock(&templates->lock);
	template = find(templates, key);
	if (template == NULL) {
		add(templates, key);
	} else {
		mc_lru_use(&templates->names, &template->node);
		template->used = mc_now();
		recorded = template->recorded;
		template->recorded = NULL;
		*record = recorded == NULL && template->pause == 0;
		template->pause -= template->pause > 0;
	}
	pthread_mutex_unlock(&templates->lock);
	return recorded;
}

/* Puts it into the table, for the next; may be NULL. */
static void give(struct mc_otlp_templates *templates, const struct key *key,
		 struct mc_otlp_template *recorded)
{
	struct mc_otlp_template *other = recorded;
	struct template *template;

	pthread_mutex_lock(&templates->lock);
	template = find(templates, key);
	if (template != NULL) {
		other = template->recorded;
		template->recorded = recorded;
		template->pause = recorded == NULL ? PAUSE : 0;
		count_bytes(templates, template);
		make_room(templates);
	}
	pthread_mutex_unlock(&templates->lock);
	mc_otlp_template_free(other);
}

static bool put_and_record(struct mc_otlp_templates *templates, const struct key *key,
			   struct mc_batch *batch, const struct mc_otlp_request *piece,
			   struct mc_otlp_result *result)
{
	if (!mc_otlp_put_record(batch, piece, result))
		return false;
	give(templates, key, result->template);
	result->template = NULL;
	return true;
}

static bool put_piece(struct mc_otlp_templates *templates, const struct key *key,
		      struct mc_batch *batch, const struct mc_otlp_request *piece,
		      struct mc_otlp_result *result)
{
	struct mc_otlp_template *template;
	bool record;

	template = take(templates, key, &record);
	if (template != NULL) {
		if (mc_otlp_put_as(batch, template, piece->bytes, piece->size, result)) {
			atomic_fetch_add(&templates->used, 1);
			give(templates, key, template);
			return true;
		}
		mc_otlp_template_free(template); /* Others of that size come now. */
	}
	if (record)
		return put_and_record(templates, key, batch, piece, result);
	return mc_otlp_put(batch, piece, result);
}

bool mc_otlp_templates_put(struct mc_otlp_templates *templates, const char *sender,
			   struct mc_batch *batch, const struct mc_otlp_request *request,
			   struct mc_otlp_result *result)
{
	struct mc_otlp_request one = *request;
	struct mc_otlp_span rest = { .at = request->bytes };
	struct mc_otlp_result part;
	struct mc_otlp_piece piece;
	struct key key;
	bool fine = true;

	if (templates->bytes_max == 0)
		return mc_otlp_put(batch, request, result);
	rest.end = rest.at + request->size;
	key.sender = XXH3_64bits(sender, strlen(sender));
	*result = (struct mc_otlp_result){ 0 };
	while (fine && mc_otlp_next_piece(&rest, &piece)) {
		one.bytes = piece.all.at;
		one.size = key.size = (size_t)(piece.all.end - piece.all.at);
		key.head = XXH3_64bits(piece.head.at, (size_t)(piece.head.end - piece.head.at));
		fine = put_piece(templates, &key, batch, &one, &part);
		mc_otlp_add_result(result, &part);
	}
	return fine;
}
