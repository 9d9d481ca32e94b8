#include "redis_hotkeys.h"

#include <inttypes.h>
#include <string.h>

#include "hotset/clock.h"

#define LOOK_NS    (50 * NS_PER_MS) /* of one poll */
#define KEYS_MAX   400u             /* of one poll */
#define PAGE_COUNT "100"

void redis_hotkeys_settle(struct redis_hotkeys *h, struct sample *out)
{
	own_counter_settle(&h->hits, out, METRIC_REDIS_HITS_TOTAL);
}

void redis_hotkeys_end(struct redis_hotkeys *h)
{
	h->looking = false;
}

static void begin(struct redis_hotkeys *h)
{
	struct own_counter hits = h->hits;

	*h = (struct redis_hotkeys){.looking = true, .cursor = "0", .hits = hits};
}

static void keep(struct redis_hotkeys *h, const char *key, size_t len, uint64_t freq)
{
	unsigned at = h->n;

	while (at > 0 && h->top[at - 1].freq < freq)
		at--;
	if (at == HOT_KEYS_MAX)
		return;
	if (h->n < HOT_KEYS_MAX)
		h->n++;
	memmove(&h->top[at + 1], &h->top[at], (h->n - 1 - at) * sizeof(h->top[0]));
	h->top[at].len = len < HOT_KEY_LEN ? len : HOT_KEY_LEN;
	memcpy(h->top[at].key, key, h->top[at].len);
	h->top[at].freq = freq;
}

static void stop(struct redis_hotkeys *h, const redisReply *reply)
{
	h->done = true;
	if (!reply)
		snprintf(h->why, sizeof(h->why), "no answer");
	else if (reply->type != REDIS_REPLY_ERROR)
		snprintf(h->why, sizeof(h->why), "an answer of an unknown form");
	else if (strncmp(reply->str, "NOPERM", 6) == 0)
		snprintf(h->why, sizeof(h->why), "ACL rights would add it: +scan +object|freq");
	else
		snprintf(h->why, sizeof(h->why), "%.90s", reply->str);
}

/* resp_call() takes words without a NUL in them; such a key is passed over. */
static bool look_at(
	struct redis_hotkeys *h, struct transport *conn, const redisReply *key, int64_t deadline_ns)
{
	const char *const words[] = {"OBJECT", "FREQ", key->str};
	struct err err;
	redisReply *reply;
	bool ok;

	if (memchr(key->str, '\0', key->len))
		return true;
	reply = resp_call(conn, 3, words, deadline_ns, &err);
	ok = reply && (reply->type == REDIS_REPLY_INTEGER || reply->type == REDIS_REPLY_NIL);
	if (!ok)
		stop(h, reply);
	if (ok && reply->type == REDIS_REPLY_INTEGER) {
		h->hits.own++;
		h->looked++;
		keep(h, key->str, key->len, (uint64_t)reply->integer);
	}
	freeReplyObject(reply);
	return ok;
}

static bool is_page(const redisReply *r)
{
	return r && r->type == REDIS_REPLY_ARRAY && r->elements == 2 &&
	       r->element[0]->type == REDIS_REPLY_STRING &&
	       r->element[0]->len < sizeof(((struct redis_hotkeys *)0)->cursor) &&
	       r->element[1]->type == REDIS_REPLY_ARRAY;
}

/* Keys of a page that there is no time for are not looked at: it is a sample then. */
static void look_at_page(
	struct redis_hotkeys *h, struct transport *conn, int64_t end_ns, int64_t deadline_ns)
{
	const char *const words[] = {"SCAN", h->cursor, "COUNT", PAGE_COUNT};
	struct err err;
	redisReply *page = resp_call(conn, 4, words, deadline_ns, &err);

	if (!is_page(page)) {
		stop(h, page);
		freeReplyObject(page);
		return;
	}
	const redisReply *keys = page->element[1];
	for (size_t i = 0; i < keys->elements && !h->done && clock_mono_ns() < end_ns; i++)
		if (keys->element[i]->type == REDIS_REPLY_STRING)
			(void)look_at(h, conn, keys->element[i], deadline_ns);
	snprintf(h->cursor, sizeof(h->cursor), "%s", page->element[0]->str);
	if (strcmp(h->cursor, "0") == 0)
		h->done = true;
	freeReplyObject(page);
}

static void put(const struct redis_hotkeys *h, struct sample *out)
{
	char text[160];
	double keys = sample_f64(out, METRIC_REDIS_KEYS);

	out->tables[TABLE_REDIS_HOTKEY].asked = true;
	for (unsigned i = 0; i < h->n; i++) {
		struct raw *row = sample_add_row(out, TABLE_REDIS_HOTKEY);

		if (!row)
			break;
		raw_set_text(out, &row[COL_REDIS_HOTKEY_KEY], h->top[i].key, h->top[i].len);
		raw_set_u64(&row[COL_REDIS_HOTKEY_FREQ], h->top[i].freq);
	}
	snprintf(text, sizeof(text), "looked at %" PRIu64 " of %.0f keys%s%s%s", h->looked, keys,
		h->done ? "" : ", goes on", h->why[0] ? ": " : "", h->why);
	sample_set_text(out, METRIC_REDIS_HOTKEYS, text, strlen(text));
}

void redis_take_hotkeys(
	struct redis_hotkeys *h, struct transport *conn, int64_t deadline_ns, struct sample *out)
{
	static const char need[] =
		"needs an LFU policy: maxmemory-policy allkeys-lfu or volatile-lfu";
	const char *policy = sample_text(out, METRIC_REDIS_MEM_POLICY);
	int64_t end_ns = clock_mono_ns() + LOOK_NS;
	uint64_t before;

	if (!policy || !strstr(policy, "-lfu")) {
		sample_set_text(out, METRIC_REDIS_HOTKEYS, need, strlen(need));
		return;
	}
	if (!h->looking)
		begin(h);
	before = h->looked;
	while (!h->done && h->looked - before < KEYS_MAX && transport_is_open(conn) &&
		clock_mono_ns() < end_ns)
		look_at_page(h, conn, end_ns, deadline_ns);
	put(h, out);
}
