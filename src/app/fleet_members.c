/*
 * A set's URI means its members, whichever of them it lists. Each says who it is itself ("self" in
 * mongo.member), which tells that a listed address and a name in the set's configuration are the
 * same node. So nothing is added before all that may be such a node have answered, or failed to.
 */
#include "fleet_members.h"

#include "hotset/log.h"

#include <strings.h>

static const char *host_of(const struct cell_value *row)
{
	const char *host = row ? row[COL_MONGO_MEMBER_HOST].text : NULL;

	return host ? host : "";
}

static bool is_self(const struct cell_value *row)
{
	struct value self = row[COL_MONGO_MEMBER_SELF].num;

	return value_ok(self) && self.v != 0;
}

/* The endpoint's own name in its set; NULL while it is not known. */
static const char *own_name(const struct endpoint *ep)
{
	const struct cell_value *row;

	for (unsigned i = 0; (row = kept_row(ep, TABLE_MONGO_MEMBER, i)) != NULL; i++)
		if (is_self(row))
			return host_of(row);
	return NULL;
}

static bool names(const struct endpoint *ep, const char *host)
{
	const struct cell_value *row;

	for (unsigned i = 0; (row = kept_row(ep, TABLE_MONGO_MEMBER, i)) != NULL; i++)
		if (strcasecmp(host_of(row), host) == 0)
			return true;
	return false;
}

/* Members of one set name each other; a set's name alone, or localhost:27017, is used by many. */
static bool is_same_set(const struct endpoint *a, const struct endpoint *b)
{
	const char *set_a = frame_info(&a->frame, METRIC_MONGO_REPL_SET);
	const char *set_b = frame_info(&b->frame, METRIC_MONGO_REPL_SET);
	const char *own_a = own_name(a), *own_b = own_name(b);

	return set_a && set_b && strcmp(set_a, set_b) == 0 && own_a && own_b && names(a, own_b) &&
	       names(b, own_a);
}

/* By address, or by what the node calls itself. */
static bool is_watched(const struct fleet *f, const struct endpoint *by,
	const struct target *member, const char *host)
{
	for (unsigned i = 0; i < f->model->n; i++) {
		const struct endpoint *ep = f->model->ep[i];
		const char *own = ep->kind == KIND_MONGO ? own_name(ep) : NULL;

		if (strcasecmp(ep->id, member->id) == 0)
			return true;
		if (own && strcasecmp(own, host) == 0 && is_same_set(by, ep))
			return true;
	}
	return false;
}

static bool all_have_answered(const struct fleet *f)
{
	for (unsigned i = 0; i < f->model->n; i++)
		if (f->model->ep[i]->kind == KIND_MONGO && f->model->ep[i]->polls == 0)
			return false;
	return true;
}

/* How many endpoints there are of the set that names this host. */
static unsigned size_of_set(const struct fleet *f, const struct target *t)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->model->n; i++)
		n += f->targets[i]->uri && strcmp(f->targets[i]->uri, t->uri) == 0;
	return n;
}

static bool add_member(struct fleet *f, const struct endpoint *by, const char *host, int64_t now_ns,
	struct err *err)
{
	const struct target *t = f->targets[by->index];
	struct target *member = malloc(sizeof *member);

	if (!member)
		return err_set(err, ERR_SYSTEM, "no memory for a member of the set");
	if (!target_at_member(t, host, member, err)) {
		free(member);
		log_write("%s", err->msg);
		*err = (struct err){.code = ERR_NONE};
		return true; /* a name that is none is no reason to end */
	}
	if (is_watched(f, by, member, host) || size_of_set(f, t) >= FLEET_SET_MAX ||
		f->model->n >= ENDPOINTS_MAX) {
		target_finish(member);
		free(member);
		return true;
	}
	log_write("%s: the set names %s, watched from now on", t->id, member->address);
	return fleet_add(f, member, now_ns, err);
}

void fleet_learn(struct fleet *f, int64_t now_ns, struct err *err)
{
	const unsigned n = f->model->n; /* those that are added have named nobody yet */

	if (!all_have_answered(f))
		return;
	for (unsigned i = 0; i < n; i++) {
		const struct endpoint *ep = f->model->ep[i];
		const struct cell_value *row;

		if (!f->targets[i]->learns)
			continue;
		for (unsigned m = 0; (row = kept_row(ep, TABLE_MONGO_MEMBER, m)) != NULL; m++)
			if (*host_of(row) && !is_self(row) &&
				!add_member(f, ep, host_of(row), now_ns, err))
				return;
	}
}
