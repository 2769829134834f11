/* SPDX-License-Identifier: MIT */
/* A request is a piece for each reader and host whose values went into it, and
 * these come in any order: so each piece has a form.  It is learnt when one of
 * that size, with that head, comes from that sender for the second time.  While
 * a piece is read by it, it is out of the table: so it needs no lock. */
#include "form.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* There may be none for now alone: when a series is refused. */
#define PAUSE 64

struct key {
	uint64_t sender, head; /* Sums; what is in the form is compared. */
	uint64_t size;
};

struct form {
	struct names_node node;
	struct mc_otlp_form *learnt; /* NULL: not yet, or it is in use. */
	unsigned pause; /* Requests until it is tried again to learn it. */
	size_t bytes;   /* Of memory, as it is counted. */
	struct key key; /* Its bytes are the name. */
};

void form_init(struct forms *forms, size_t bytes_max)
{
	*forms = (struct forms){ .bytes_max = bytes_max };
	names_init(&forms->names);
	pthread_mutex_init(&forms->lock, NULL);
}

static void free_form(struct form *form)
{
	mc_otlp_form_free(form->learnt);
	free(form);
}

void form_done(struct forms *forms)
{
	struct names_node *next;

	for (struct names_node *n = forms->names.oldest; n != NULL; n = next) {
		next = n->newer;
		free_form((struct form *)n);
	}
	names_done(&forms->names);
	pthread_mutex_destroy(&forms->lock);
}

/* Needs the lock. */
static void count_bytes(struct forms *forms, struct form *form)
{
	forms->bytes -= form->bytes;
	form->bytes = sizeof(*form);
	if (form->learnt != NULL)
		form->bytes += mc_otlp_form_size(form->learnt);
	forms->bytes += form->bytes;
}

/* Needs the lock. */
static void make_room(struct forms *forms)
{
	while (forms->bytes > forms->bytes_max && forms->names.len > 0) {
		struct form *oldest = (struct form *)forms->names.oldest;

		forms->bytes -= oldest->bytes;
		names_remove(&forms->names, &oldest->node);
		free_form(oldest);
	}
}

/* Needs the lock. */
static struct form *find(const struct forms *forms, const struct key *key)
{
	return (struct form *)names_find(&forms->names, (const char *)key,
					 sizeof(*key));
}

/* Needs the lock. */
static void add(struct forms *forms, const struct key *key)
{
	struct form *form = calloc(1, sizeof(*form));

	if (form == NULL)
		return;
	form->key = *key;
	form->node.name = (const char *)&form->key;
	form->node.name_size = sizeof(form->key);
	if (!names_add(&forms->names, &form->node)) {
		free(form);
		return;
	}
	count_bytes(forms, form);
	make_room(forms);
}

/* Takes the form out of the table; or NULL, and *learn says whether it is to be
 * learnt. */
static struct mc_otlp_form *take(struct forms *forms, const struct key *key,
				 bool *learn)
{
	struct mc_otlp_form *learnt = NULL;
	struct form *form;

	*learn = false;
	pthread_mutex_lock(&forms->lock);
	form = find(forms, key);
	if (form == NULL) {
		add(forms, key);
	} else {
		names_use(&forms->names, &form->node);
		learnt = form->learnt;
		form->learnt = NULL;
		*learn = learnt == NULL && form->pause == 0;
		form->pause -= form->pause > 0;
	}
	pthread_mutex_unlock(&forms->lock);
	return learnt;
}

/* Puts it into the table, for the next; NULL: there is none. */
static void give(struct forms *forms, const struct key *key,
		 struct mc_otlp_form *learnt)
{
	struct mc_otlp_form *other = learnt;
	struct form *form;

	pthread_mutex_lock(&forms->lock);
	form = find(forms, key);
	if (form != NULL) {
		other = form->learnt;
		form->learnt = learnt;
		form->pause = learnt == NULL ? PAUSE : 0;
		count_bytes(forms, form);
		make_room(forms);
	}
	pthread_mutex_unlock(&forms->lock);
	mc_otlp_form_free(other);
}

static bool put_learning(struct forms *forms, const struct key *key,
			 struct mc_batch *batch,
			 const struct mc_otlp_request *piece,
			 struct mc_otlp_result *result)
{
	if (!mc_otlp_put_learn(batch, piece, result))
		return false;
	give(forms, key, result->form);
	result->form = NULL;
	return true;
}

static bool put_piece(struct forms *forms, const struct key *key,
		      struct mc_batch *batch,
		      const struct mc_otlp_request *piece,
		      struct mc_otlp_result *result)
{
	struct mc_otlp_form *form;
	bool learn;

	form = take(forms, key, &learn);
	if (form != NULL) {
		if (mc_otlp_put_as(batch, form, piece->bytes, piece->size,
				   result)) {
			atomic_fetch_add(&forms->used, 1);
			give(forms, key, form);
			return true;
		}
		mc_otlp_form_free(form); /* Others of that size come now. */
	}
	if (learn)
		return put_learning(forms, key, batch, piece, result);
	return mc_otlp_put(batch, piece, result);
}

static void add_result(struct mc_otlp_result *sum,
		       const struct mc_otlp_result *one)
{
	sum->samples += one->samples;
	sum->rejected += one->rejected;
	if (sum->why == NULL)
		sum->why = one->why;
	if (one->newest > sum->newest)
		sum->newest = one->newest;
	if (one->interval > 0 &&
	    (sum->interval == 0 || one->interval < sum->interval))
		sum->interval = one->interval;
}

bool form_put(struct forms *forms, const char *sender, struct mc_batch *batch,
	      const struct mc_otlp_request *request,
	      struct mc_otlp_result *result)
{
	struct mc_otlp_request one = *request;
	struct mc_otlp_span rest = { .at = request->bytes };
	struct mc_otlp_result part;
	struct mc_otlp_piece piece;
	struct key key;
	bool fine = true;

	if (forms->bytes_max == 0)
		return mc_otlp_put(batch, request, result);
	rest.end = rest.at + request->size;
	key.sender = XXH3_64bits(sender, strlen(sender));
	*result = (struct mc_otlp_result){ 0 };
	while (fine && mc_otlp_next_piece(&rest, &piece)) {
		one.bytes = piece.all.at;
		one.size = key.size = (size_t)(piece.all.end - piece.all.at);
		key.head = XXH3_64bits(piece.head.at, (size_t)(piece.head.end -
							       piece.head.at));
		fine = put_piece(forms, &key, batch, &one, &part);
		add_result(result, &part);
	}
	return fine;
}
