/*
 * memcached with flash behind its memory, and with a class that starves beside one with room: what
 * real servers count for it, against what was done to them.
 */
#include "support.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hotset/model.h"
#include "../fake/fake_tls.h"
#include "servers.h"
#include "watched.h"

#define WAIT_MS 15000
#define ITEMS   6000
#define VALUE   2000 /* bytes */

struct stage {
	struct server *server;
	struct watched w;
	struct model *m;
	int fd; /* a client's connection */
};

static bool begin(struct stage *s, const char *const *args)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	struct timeval limit = {.tv_sec = 10};

	*s = (struct stage){.server = server_memcached(args)};
	if (!s->server)
		return false;
	watch_begin(&s->w, server_uri(s->server), 5);
	s->m = model_create();
	assert_non_null(model_add(s->m, KIND_MEMCACHED, "memcached@x", "x", "x", 600));
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	at.sin_port = htons(server_port(s->server));
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	assert_int_equal(connect(s->fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return true;
}

static void end(struct stage *s)
{
	close(s->fd);
	model_destroy(s->m);
	watch_end(&s->w);
	server_stop(s->server);
}

/* Sends a command and reads until the answer ends with one of the words; true for the first. */
static bool say(struct stage *s, const char *text, const char *yes, const char *no)
{
	static char reply[2 * VALUE + 256];
	size_t len = 0;

	assert_int_equal(send(s->fd, text, strlen(text), 0), strlen(text));
	for (;;) {
		ssize_t n = recv(s->fd, reply + len, sizeof(reply) - 1 - len, 0);

		assert_true(n > 0);
		len += (size_t)n;
		reply[len] = '\0';
		if (len >= strlen(no) && strcmp(reply + len - strlen(no), no) == 0)
			return strstr(reply, yes) != NULL;
	}
}

static void set(struct stage *s, const char *prefix, unsigned i, unsigned bytes)
{
	char text[VALUE + 128];

	snprintf(
		text, sizeof(text), "set %s%u 0 0 %u\r\n%0*u\r\n", prefix, i, bytes, (int)bytes, i);
	assert_true(say(s, text, "STORED", "\r\n"));
}

static bool get(struct stage *s, const char *prefix, unsigned i)
{
	char text[64];

	snprintf(text, sizeof(text), "get %s%u\r\n", prefix, i);
	return say(s, text, "VALUE ", "END\r\n");
}

static const struct frame *look(struct stage *s)
{
	watch_poll(&s->w);
	model_push(s->m, s->w.last);
	s->w.last = NULL; /* the model's now */
	return &s->m->ep[0]->frame;
}

static double total(const struct stage *s, enum metric_id id)
{
	return sample_f64(s->m->ep[0]->last, id);
}

static bool is_on_flash(void *arg)
{
	struct stage *s = arg;

	look(s);
	return total(s, METRIC_MEMCACHED_EXT_USED) > 1e6;
}

/* 12 MB of items before 8 MB of memory: the older ones lie on flash, and reads of them are told. */
static void flash_and_memory_are_told_apart(void **state)
{
	char *made = test_dir_create(), *dir = realpath(made, NULL), ext[400];
	const char *const args[] = {"-m", "8", "-o", ext, NULL};
	struct stage s;
	unsigned hits = 0, misses = 0;

	(void)state;
	snprintf(ext, sizeof(ext),
		"ext_page_size=4,ext_wbuf_size=2,ext_item_size=512,ext_path=%s/ext:64m", dir);
	bool there = begin(&s, args);
	if (there) {
		for (unsigned i = 0; i < ITEMS; i++)
			set(&s, "k", i, VALUE);
		assert_true(test_wait(is_on_flash, &s, WAIT_MS));
		double flash = total(&s, METRIC_MEMCACHED_EXT_HITS_TOTAL);
		double all = total(&s, METRIC_MEMCACHED_HITS_TOTAL);
		double missed = total(&s, METRIC_MEMCACHED_MISSES_TOTAL);
		for (unsigned i = 0; i < ITEMS; i += 20)
			get(&s, "k", i) ? hits++ : misses++;
		for (unsigned i = 0; i < 10; i++)
			misses += !get(&s, "absent", i);
		look(&s);
		/* the clients' own counts, exactly; some of them came from flash */
		test_near(total(&s, METRIC_MEMCACHED_HITS_TOTAL) - all, hits, 0);
		test_near(total(&s, METRIC_MEMCACHED_MISSES_TOTAL) - missed, misses, 0);
		assert_true(total(&s, METRIC_MEMCACHED_EXT_HITS_TOTAL) > flash);
		assert_true(total(&s, METRIC_MEMCACHED_EXT_HITS_TOTAL) - flash <= hits);
		test_near(s.m->ep[0]->frame.v[METRIC_MEMCACHED_HIT_RATIO].v,
			100.0 * hits / (hits + misses), 1e-6);
		/* `bytes` counts what is on flash as well; the fill is that of the memory */
		assert_true(s.m->ep[0]->frame.v[METRIC_MEMCACHED_MEM_FILL].v <= 100);
		end(&s);
	}
	free(dir);
	test_dir_remove(made);
	if (!there)
		skip();
}

static const struct verdict *imbalance(const struct model *m)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (strcmp(m->verdicts[i].code, "memcached.slab_imbalance") == 0)
			return &m->verdicts[i];
	return NULL;
}

/* Large items fill three quarters of the memory and are deleted; small ones then starve. */
static void a_class_that_starves_beside_room_is_found(void **state)
{
	const char *const args[] = {"-m", "8", "-o", "slab_automove=0,no_lru_crawler", NULL};
	struct stage s;
	char text[64];

	(void)state;
	if (!begin(&s, args))
		skip();
	for (unsigned i = 0; i < 2600; i++)
		set(&s, "large", i, VALUE);
	for (unsigned i = 0; i < 2600; i++) {
		snprintf(text, sizeof(text), "delete large%u\r\n", i);
		(void)say(&s, text, "DELETED", "\r\n");
	}
	look(&s);
	for (unsigned i = 0; i < 30000; i++)
		set(&s, "s", i, 100);
	look(&s);
	assert_true(s.m->ep[0]->frame.v[METRIC_MEMCACHED_EVICTIONS].v > 0);
	assert_non_null(imbalance(s.m));
	assert_int_equal(imbalance(s.m)->level, LEVEL_WARN);
	assert_true(s.m->ep[0]->frame.tables[TABLE_MEMCACHED_SLAB].n >= 2);
	end(&s);
}

/* ---- TLS ---- */

static void poll_one(const char *uri, enum status want)
{
	struct watched w;

	watch_begin(&w, uri, 5);
	assert_status(watch_poll(&w), want);
	watch_end(&w);
}

static void tls_is_spoken_and_verified(void **state)
{
	char *made = test_dir_create(), *dir = realpath(made, NULL), options[500], uri[400];
	struct fake_certs certs;
	struct server *s = NULL;

	(void)state;
	if (fake_certs_make(dir, &certs)) {
		snprintf(options, sizeof(options), "ssl_chain_cert=%s,ssl_key=%s", certs.server,
			certs.server);
		s = server_memcached((const char *const[]){"-Z", "-o", options, NULL});
	}
	if (s) {
		snprintf(uri, sizeof(uri), "memcacheds://127.0.0.1:%u?tlsCAFile=%s",
			server_port(s), certs.ca);
		poll_one(uri, STATUS_OK);
		snprintf(uri, sizeof(uri), "memcacheds://127.0.0.1:%u", server_port(s));
		poll_one(uri, STATUS_TLS);
		snprintf(uri, sizeof(uri), "memcached://127.0.0.1:%u", server_port(s));
		poll_one(uri, STATUS_TLS);
	}
	server_stop(s);
	free(dir);
	test_dir_remove(made);
	if (!s)
		skip();
}

static int setup(void **state)
{
	(void)state;
	source_quiet();
	source_global_init();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	source_global_finish();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flash_and_memory_are_told_apart),
		cmocka_unit_test(tls_is_spoken_and_verified),
		cmocka_unit_test(a_class_that_starves_beside_room_is_found),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
