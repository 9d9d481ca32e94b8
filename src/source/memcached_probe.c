#include "memcached_probe.h"

#include <stdlib.h>
#include <string.h>

#include "hotset/clock.h"

#define GETS       50u /* of each key and poll */
#define TIME_NS    (200 * NS_PER_MS)
#define ABSENT_KEY "hotset:probe:a-key-that-is-never-set"
#define REPLY_MAX                                                                                  \
	(2ul * 1024 * 1024) /* bytes of one item: more than memcached's limit by default */

void memcached_probe_settle(struct memcached_probe *p, struct sample *out)
{
	own_counter_settle(&p->hits, out, METRIC_MEMCACHED_HITS_TOTAL);
	own_counter_settle(&p->misses, out, METRIC_MEMCACHED_MISSES_TOTAL);
}

/* ---- one get ---- */

/* "END" alone, or "VALUE key flags bytes" with a value and END behind it. */
enum answer { ANSWER_MORE, ANSWER_MISS, ANSWER_HIT, ANSWER_BAD };

struct reading {
	char head[320]; /* the first line */
	size_t nhead;
	size_t body; /* bytes to come behind the first line */
	bool has_head;
};

static enum answer read_head(struct reading *r)
{
	char *bytes;

	r->has_head = true;
	if (strcmp(r->head, "END\r\n") == 0)
		return ANSWER_MISS;
	if (strncmp(r->head, "VALUE ", 6) != 0 || !(bytes = strrchr(r->head, ' ')))
		return ANSWER_BAD;
	r->body = strtoul(bytes + 1, NULL, 10);
	if (r->body > REPLY_MAX)
		return ANSWER_BAD;
	r->body += strlen("\r\nEND\r\n");
	return ANSWER_MORE;
}

static enum answer feed(struct reading *r, const char *data, size_t len)
{
	enum answer a = ANSWER_MORE;

	while (len > 0 && !r->has_head && a == ANSWER_MORE) {
		if (r->nhead + 1 >= sizeof(r->head))
			return ANSWER_BAD;
		r->head[r->nhead++] = *data++;
		r->head[r->nhead] = '\0';
		len--;
		if (r->head[r->nhead - 1] == '\n')
			a = read_head(r);
	}
	if (a != ANSWER_MORE)
		return len == 0 ? a : ANSWER_BAD;
	if (len > r->body)
		return ANSWER_BAD;
	r->body -= len;
	return r->has_head && r->body == 0 ? ANSWER_HIT : ANSWER_MORE;
}

static enum answer get(struct transport *conn, const char *command, int64_t deadline_ns)
{
	struct reading r = {.nhead = 0};
	enum answer a = ANSWER_MORE;
	struct err err;
	char buf[8192];
	size_t got;

	if (!transport_send(conn, command, strlen(command), deadline_ns, &err))
		return ANSWER_BAD;
	while (a == ANSWER_MORE) {
		if (!transport_recv(conn, buf, sizeof(buf), &got, deadline_ns, &err) || got == 0)
			return ANSWER_BAD;
		a = feed(&r, buf, got);
	}
	if (a == ANSWER_BAD)
		transport_close(conn);
	return a;
}

/* ---- a round ---- */

static int compare(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/* Nearest rank. */
static double percentile(const double *sorted, unsigned n, unsigned percent)
{
	unsigned rank = (n * percent + 99) / 100;

	return sorted[rank > 0 ? rank - 1 : 0];
}

static void put(double *us, unsigned n, enum metric_id p50, struct sample *out)
{
	static const unsigned percents[] = {50, 95, 99};

	if (n == 0)
		return;
	qsort(us, n, sizeof(*us), compare);
	for (unsigned i = 0; i < 3; i++)
		sample_set_f64(out, p50 + i, percentile(us, n, percents[i]));
}

static unsigned time_gets(struct memcached_probe *p, struct transport *conn, const char *key,
	int64_t deadline_ns, double us[GETS])
{
	char command[300];
	unsigned n = 0;
	int64_t end_ns = clock_mono_ns() + TIME_NS;

	snprintf(command, sizeof(command), "get %s\r\n", key);
	while (n < GETS && transport_is_open(conn)) {
		int64_t begin = clock_mono_ns();

		if (begin >= end_ns)
			break;
		enum answer a = get(conn, command, deadline_ns);
		if (a == ANSWER_BAD)
			break;
		us[n++] = (double)(clock_mono_ns() - begin) / 1e3;
		if (a == ANSWER_HIT)
			p->hits.own++;
		else
			p->misses.own++;
	}
	return n;
}

void memcached_probe_run(
	struct memcached_probe *p, struct transport *conn, int64_t deadline_ns, struct sample *out)
{
	double us[GETS];
	unsigned n = time_gets(p, conn, ABSENT_KEY, deadline_ns, us);

	put(us, n, METRIC_MEMCACHED_PROBE_P50, out);
	if (!p->key[0])
		return;
	n = time_gets(p, conn, p->key, deadline_ns, us);
	put(us, n, METRIC_MEMCACHED_PROBE_KEY_P50, out);
}
