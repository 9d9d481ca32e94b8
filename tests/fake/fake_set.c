#include "fake_set.h"

#include <stdio.h>
#include <string.h>

#define OPTIME_S 1700000000u
#define LAG_S    4u /* of every secondary */

static const char *state_name(enum fake_state s)
{
	switch (s) {
	case FAKE_STARTUP:
		return "STARTUP";
	case FAKE_PRIMARY:
		return "PRIMARY";
	case FAKE_SECONDARY:
		return "SECONDARY";
	case FAKE_RECOVERING:
		return "RECOVERING";
	case FAKE_STARTUP2:
		return "STARTUP2";
	case FAKE_ARBITER:
		return "ARBITER";
	case FAKE_ROLLBACK:
		return "ROLLBACK";
	}
	return "?";
}

static const struct fake_member *primary_of(const struct fake_set *s)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->m[i].state == FAKE_PRIMARY)
			return &s->m[i];
	return NULL;
}

static void append_names(bson_t *reply, const struct fake_set *s, const char *key, bool arbiters)
{
	unsigned n = 0;
	bson_t list;

	BSON_APPEND_ARRAY_BEGIN(reply, key, &list);
	for (unsigned i = 0; i < s->n; i++) {
		char index[12];

		if ((s->m[i].state == FAKE_ARBITER) != arbiters || s->m[i].hidden)
			continue;
		snprintf(index, sizeof(index), "%u", n++);
		BSON_APPEND_UTF8(&list, index, s->m[i].name);
	}
	bson_append_array_end(reply, &list);
}

static void answer_hello(struct fake_member *m, bson_t *reply)
{
	const struct fake_member *primary = primary_of(m->set);
	bson_t version;

	m->hellos++;
	BSON_APPEND_DOCUMENT_BEGIN(reply, "topologyVersion", &version);
	BSON_APPEND_OID(&version, "processId", &m->run);
	BSON_APPEND_INT64(&version, "counter", 1);
	bson_append_document_end(reply, &version);
	BSON_APPEND_BOOL(reply, "ismaster", m->state == FAKE_PRIMARY);
	BSON_APPEND_BOOL(reply, "secondary", m->state == FAKE_SECONDARY);
	if (m->state == FAKE_STARTUP) {
		BSON_APPEND_BOOL(reply, "isreplicaset", true);
		fake_mongo_limits(reply);
		return;
	}
	BSON_APPEND_UTF8(reply, "setName", "rs0");
	append_names(reply, m->set, "hosts", false);
	append_names(reply, m->set, "arbiters", true);
	BSON_APPEND_UTF8(reply, "me", m->name);
	if (m->state == FAKE_ARBITER)
		BSON_APPEND_BOOL(reply, "arbiterOnly", true);
	if (primary)
		BSON_APPEND_UTF8(reply, "primary", primary->name);
	fake_mongo_limits(reply);
}

static void append_member(bson_t *list, const struct fake_member *m, unsigned i, bool self)
{
	bson_t member, optime;
	char index[12];

	snprintf(index, sizeof(index), "%u", i);
	BSON_APPEND_DOCUMENT_BEGIN(list, index, &member);
	BSON_APPEND_INT32(&member, "_id", (int32_t)i);
	BSON_APPEND_UTF8(&member, "name", m->name);
	BSON_APPEND_DOUBLE(&member, "health", 1);
	BSON_APPEND_INT32(&member, "state", m->state);
	BSON_APPEND_UTF8(&member, "stateStr", state_name(m->state));
	if (m->state != FAKE_ARBITER) {
		BSON_APPEND_DOCUMENT_BEGIN(&member, "optime", &optime);
		BSON_APPEND_TIMESTAMP(
			&optime, "ts", OPTIME_S - (m->state == FAKE_PRIMARY ? 0 : LAG_S), 1);
		bson_append_document_end(&member, &optime);
	}
	if (self)
		BSON_APPEND_BOOL(&member, "self", true);
	bson_append_document_end(list, &member);
}

static void answer_set_status(struct fake_member *m, bson_t *reply)
{
	bson_t list;

	if (m->set_status_code) {
		fake_mongo_error(reply, m->set_status_code, "no");
		return;
	}
	BSON_APPEND_UTF8(reply, "set", "rs0");
	BSON_APPEND_INT32(reply, "myState", m->state);
	BSON_APPEND_ARRAY_BEGIN(reply, "members", &list);
	for (unsigned i = 0; i < m->set->n; i++)
		append_member(&list, &m->set->m[i], i, &m->set->m[i] == m);
	bson_append_array_end(reply, &list);
	BSON_APPEND_DOUBLE(reply, "ok", 1);
}

/* Each member counts for itself: whoever mixes two of them up gets absurd rates. */
static void answer_status(struct fake_member *m, bson_t *reply)
{
	int64_t place = m - m->set->m;
	bson_t counters;

	bson_copy_to_excluding_noinit(&m->set->status, reply, "opcounters", (char *)NULL);
	BSON_APPEND_DOCUMENT_BEGIN(reply, "opcounters", &counters);
	BSON_APPEND_INT64(&counters, "query",
		(place + 1) * FAKE_SET_APART + (int64_t)m->statuses * FAKE_SET_QUERIES);
	bson_append_document_end(reply, &counters);
}

static enum fake_mongo_act answer(void *arg, const char *name, const bson_t *cmd, bson_t *reply)
{
	struct fake_member *m = arg;

	(void)cmd;
	if (fake_mongo_is_hello(name)) {
		answer_hello(m, reply);
	} else if (strcmp(name, "serverStatus") == 0) {
		m->statuses++;
		if (m->status_code)
			fake_mongo_error(reply, m->status_code, "not now");
		else
			answer_status(m, reply);
	} else if (strcmp(name, "replSetGetStatus") == 0) {
		answer_set_status(m, reply);
	} else {
		BSON_APPEND_DOUBLE(reply, "ok", 1);
	}
	return FAKE_REPLY;
}

void fake_set_start(struct fake_set *s, unsigned n, const bson_t *status)
{
	memset(s, 0, sizeof(*s));
	s->n = n;
	bson_copy_to(status, &s->status);
	for (unsigned i = 0; i < n; i++) {
		struct fake_member *m = &s->m[i];

		m->set = s;
		m->state = i == 0 ? FAKE_PRIMARY : FAKE_SECONDARY;
		bson_oid_init(&m->run, NULL);
		m->mongo = (struct fake_mongo){answer, m, NULL};
		m->fake = fake_start(fake_mongo_serve, &m->mongo);
		snprintf(m->name, sizeof(m->name), "127.0.0.1:%u", fake_port(m->fake));
	}
}

void fake_set_stop(struct fake_set *s)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->m[i].fake)
			fake_stop(s->m[i].fake);
	bson_destroy(&s->status);
}

void fake_set_uri(const struct fake_set *s, unsigned listed, char *uri, size_t cap)
{
	size_t n = (size_t)snprintf(uri, cap, "mongodb://");

	for (unsigned i = 0; i < listed && n < cap; i++)
		n += (size_t)snprintf(uri + n, cap - n, "%s127.0.0.1:%u", i ? "," : "",
			fake_port(s->m[i].fake));
	if (n < cap)
		snprintf(uri + n, cap - n, "/?replicaSet=rs0");
}
