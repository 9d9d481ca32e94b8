#include "redis_extra.h"

#include "hotset/clock.h"
#include "hotset/parse.h"

#define NODES_EVERY_NS (10 * NS_PER_SEC)
#define BUCKETS_MAX    64u

/* The right as ACL SETUSER takes it, and what is missing without it. */
static const struct {
	const char *right, *what;
} parts[PART_COUNT] = {
	[PART_SLOW_LOG] = {"+slowlog|get", "slow commands"},
	[PART_LATENCY] = {"+latency|histogram", "latency percentiles"},
	[PART_NODES] = {"+cluster|nodes", "nodes of the cluster"},
};

void redis_extra_reset(struct redis_extra *x)
{
	*x = (struct redis_extra){0};
}

bool redis_extra_note(struct redis_extra *x, enum redis_part part, const redisReply *reply)
{
	if (!reply)
		return false;
	if (reply->type != REDIS_REPLY_ERROR)
		return true;
	x->gone |= 1u << part;
	if (strncmp(reply->str, "NOPERM", 6) == 0)
		x->denied |= 1u << part;
	return false;
}

static bool is_gone(const struct redis_extra *x, enum redis_part part)
{
	return x->gone & 1u << part;
}

void redis_say_denied(const struct redis_extra *x, struct sample *out)
{
	char list[160] = "";
	size_t n = 0;

	if (!x->denied || out->status != STATUS_OK)
		return;
	for (unsigned i = 0; i < PART_COUNT; i++)
		if (x->denied & 1u << i && n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s (%s)",
				n ? ", " : "", parts[i].right, parts[i].what);
	out->status = STATUS_PARTIAL;
	err_set(&out->err, ERR_AUTH, "ACL rights would add: %s", list);
}

/* ---- LATENCY HISTOGRAM ---- */

struct histogram {
	unsigned n;
	struct {
		uint64_t upto, calls;
	} bucket[BUCKETS_MAX];
};

static void add_calls(struct histogram *h, uint64_t upto, uint64_t calls)
{
	unsigned i = 0;

	while (i < h->n && h->bucket[i].upto != upto)
		i++;
	if (i == BUCKETS_MAX)
		return;
	if (i == h->n) {
		h->bucket[i].upto = upto;
		h->bucket[i].calls = 0;
		h->n++;
	}
	h->bucket[i].calls += calls;
}

/* What we and other monitors send would be most of it on a quiet server. */
static bool is_monitoring(const redisReply *command)
{
	static const char *const names[] = {"info", "ping", "auth", "hello", "select", "config|",
		"client|", "slowlog|", "latency|", "cluster|", "object|", "command", "acl|", NULL};

	for (const char *const *name = names; *name; name++)
		if (strncmp(command->str, *name, strlen(*name)) == 0)
			return true;
	return false;
}

/* Bounds and the calls up to each of them: cumulative. */
static void add_buckets(struct histogram *h, const redisReply *pairs)
{
	uint64_t below = 0;

	for (size_t i = 0; i + 1 < pairs->elements; i += 2) {
		const redisReply *upto = pairs->element[i], *calls = pairs->element[i + 1];

		if (upto->type != REDIS_REPLY_INTEGER || calls->type != REDIS_REPLY_INTEGER ||
			upto->integer <= 0 || calls->integer < 0 ||
			(uint64_t)calls->integer < below)
			return;
		add_calls(h, (uint64_t)upto->integer, (uint64_t)calls->integer - below);
		below = (uint64_t)calls->integer;
	}
}

/* {"calls", n, "histogram_usec", {bound, calls, ...}} */
static void add_command(struct histogram *h, const redisReply *fields)
{
	for (size_t i = 0; i + 1 < fields->elements; i += 2)
		if (fields->element[i]->type == REDIS_REPLY_STRING &&
			strcmp(fields->element[i]->str, "histogram_usec") == 0 &&
			fields->element[i + 1]->type == REDIS_REPLY_ARRAY)
			add_buckets(h, fields->element[i + 1]);
}

static void put_histogram(const struct histogram *h, struct sample *out)
{
	out->tables[TABLE_REDIS_LATENCY].asked = true;
	for (unsigned i = 0; i < h->n; i++) {
		struct raw *row = sample_add_row(out, TABLE_REDIS_LATENCY);

		if (!row)
			return;
		raw_set_u64(&row[COL_REDIS_LATENCY_MICROS], h->bucket[i].upto);
		raw_set_u64(&row[COL_REDIS_LATENCY_CALLS], h->bucket[i].calls);
	}
}

static void explain_latency(const struct redis_extra *x, struct sample *out)
{
	enum reason why = x->denied & 1u << PART_LATENCY ? REASON_NO_PRIVILEGE : REASON_NOT_SENT;

	for (enum metric_id id = METRIC_REDIS_LAT_P50; id <= METRIC_REDIS_LAT_P99; id++)
		sample_set_missing(out, id, why);
}

void redis_take_latency(
	struct redis_extra *x, struct transport *conn, int64_t deadline_ns, struct sample *out)
{
	const char *const words[] = {"LATENCY", "HISTOGRAM"};
	struct histogram h = {.n = 0};
	struct err err;

	if (!is_gone(x, PART_LATENCY) && transport_is_open(conn)) {
		redisReply *reply = resp_call(conn, 2, words, deadline_ns, &err);

		if (redis_extra_note(x, PART_LATENCY, reply) && reply->type == REDIS_REPLY_ARRAY) {
			for (size_t i = 0; i + 1 < reply->elements; i += 2)
				if (reply->element[i]->type == REDIS_REPLY_STRING &&
					reply->element[i + 1]->type == REDIS_REPLY_ARRAY &&
					!is_monitoring(reply->element[i]))
					add_command(&h, reply->element[i + 1]);
			put_histogram(&h, out);
		}
		freeReplyObject(reply);
	}
	if (is_gone(x, PART_LATENCY))
		explain_latency(x, out);
}

/* ---- CLUSTER NODES ---- */

void redis_take_nodes(struct redis_extra *x, struct transport *conn, bool always,
	int64_t deadline_ns, struct sample *out)
{
	const char *const words[] = {"CLUSTER", "NODES"};
	const char *mode = sample_text(out, METRIC_REDIS_MODE);
	int64_t now = clock_mono_ns();
	struct err err;

	if (!mode || strcmp(mode, "cluster") != 0 || is_gone(x, PART_NODES) ||
		!transport_is_open(conn) ||
		(!always && x->nodes_ns && now - x->nodes_ns < NODES_EVERY_NS))
		return;
	x->nodes_ns = now;
	redisReply *reply = resp_call(conn, 2, words, deadline_ns, &err);
	if (redis_extra_note(x, PART_NODES, reply) && reply->type == REDIS_REPLY_STRING)
		parse_redis_nodes(reply->str, reply->len, out);
	freeReplyObject(reply);
}
