/*
 * mongodb+srv:// with a name server of the test's own: what SRV and TXT say is followed, the member
 * that answered first is kept while it is listed, and a name server that is silent or knows nothing
 * is a status within the poll's time. Skipped where namespaces are not to be had.
 */
#include "../support/support.h"
#include "../support/watched.h"

#include <stdio.h>
#include <string.h>

#include "../fake/fake.h"
#include "../fake/fake_dns.h"
#include "../fake/fake_mongo.h"
#include "hotset/source.h"

#define URI "mongodb+srv://cluster.hotset.test/?tls=false"

static bool has_dns;
static char *dir;

/* ---- a member: says who it is by the number of its connections ---- */

struct member {
	int clients;
	char login_db[32]; /* where a login was tried */
	struct fake_mongo mongo;
	struct fake *fake;
};

static enum fake_mongo_act answer(void *arg, const char *name, const bson_t *cmd, bson_t *reply)
{
	struct member *m = arg;
	bson_t connections;
	bson_iter_t it;

	if (strcmp(name, "serverStatus") == 0) {
		fake_mongo_status(reply);
		BSON_APPEND_DOCUMENT_BEGIN(reply, "connections", &connections);
		BSON_APPEND_INT32(&connections, "current", m->clients);
		bson_append_document_end(reply, &connections);
		return FAKE_REPLY;
	}
	if (strcmp(name, "saslStart") == 0 && bson_iter_init_find(&it, cmd, "$db")) {
		snprintf(m->login_db, sizeof(m->login_db), "%s", bson_iter_utf8(&it, NULL));
		fake_mongo_error(reply, 18, "Authentication failed.");
		return FAKE_REPLY;
	}
	fake_mongo_hello(reply);
	return FAKE_REPLY;
}

static void serve(struct member *m, int clients)
{
	*m = (struct member){.clients = clients};
	m->mongo = (struct fake_mongo){answer, m, NULL};
	m->fake = fake_start(fake_mongo_serve, &m->mongo);
}

static double clients_of(const struct sample *s)
{
	return sample_f64(s, METRIC_MONGO_CONN_CURRENT);
}

/* ---- what the name server says ---- */

static void records_of(struct dns_record out[5], const struct member *a, const struct member *b,
	const char *options)
{
	out[0] = (struct dns_record){
		"_mongodb._tcp.cluster.hotset.test", DNS_SRV, "a.hotset.test", fake_port(a->fake)};
	out[1] = (struct dns_record){
		"_mongodb._tcp.cluster.hotset.test", DNS_SRV, "b.hotset.test", fake_port(b->fake)};
	out[2] = (struct dns_record){"a.hotset.test", DNS_A, "127.0.0.1", 0};
	out[3] = (struct dns_record){"b.hotset.test", DNS_A, "127.0.0.1", 0};
	out[4] = (struct dns_record){"cluster.hotset.test", DNS_TXT, options, 0};
}

static void a_service_name_is_followed(void **state)
{
	struct dns_record records[5];
	struct member a, b;
	struct watched w;

	(void)state;
	if (!has_dns)
		skip();
	serve(&a, 1000), serve(&b, 2000);
	records_of(records, &a, &b, "authSource=people");
	struct fake_dns d = {.records = records, .count = 5};
	fake_dns_start(&d);
	watch_begin(&w, URI, 5);
	assert_status(watch_poll(&w), STATUS_OK);
	double first = clients_of(w.last);
	assert_in_range((int)first, 1000, 2000);

	/* it stays with that one, also over a new connection */
	struct member *kept = first < 1500 ? &a : &b;
	fake_stop(kept->fake);
	assert_status(watch_poll(&w), STATUS_REFUSED);
	assert_status(watch_poll(&w), STATUS_REFUSED);
	fake_dns_stop(&d);

	/* until it is not listed any more */
	records[kept == &a ? 0 : 1] = records[kept == &a ? 1 : 0];
	fake_dns_start(&d);
	assert_status(watch_poll(&w), STATUS_OK);
	test_near(clients_of(w.last), kept == &a ? 2000 : 1000, 0);
	watch_end(&w);
	fake_dns_stop(&d);
	fake_stop(kept == &a ? b.fake : a.fake);
}

/* TXT may name the database of the users. */
static void options_of_the_txt_record_hold(void **state)
{
	struct dns_record records[5];
	struct member a;
	struct watched w;

	(void)state;
	if (!has_dns)
		skip();
	serve(&a, 1000);
	records_of(records, &a, &a, "authSource=people");
	struct fake_dns d = {.records = records, .count = 5};
	fake_dns_start(&d);
	watch_begin(&w,
		"mongodb+srv://watcher:secret@cluster.hotset.test/"
		"?tls=false&authMechanism=SCRAM-SHA-256",
		5);
	assert_status(watch_poll(&w), STATUS_AUTH);
	assert_string_equal(a.login_db, "people");
	assert_null(strstr(w.last->err.msg, "secret"));
	watch_end(&w);
	fake_dns_stop(&d);
	fake_stop(a.fake);
}

static void an_unknown_service_name_is_dns(void **state)
{
	static const struct dns_record other = {"other.hotset.test", DNS_A, "127.0.0.1", 0};
	struct fake_dns d = {.records = &other, .count = 1};
	struct watched w;

	(void)state;
	if (!has_dns)
		skip();
	fake_dns_start(&d);
	watch_begin(&w, URI, 5);
	assert_status(watch_poll(&w), STATUS_DNS);
	assert_true(d.asked > 0);
	watch_end(&w);
	fake_dns_stop(&d);
}

/* Also where no answer comes the worker is back in time; watch_poll() holds that. */
static void a_silent_name_server_is_dns_in_time(void **state)
{
	static const char *const uris[] = {URI, "mongodb://a.hotset.test:27017/"};
	struct fake_dns d = {.silent = true};
	struct watched w;

	(void)state;
	if (!has_dns)
		skip();
	fake_dns_start(&d);
	for (unsigned i = 0; i < 2; i++) {
		watch_begin(&w, uris[i], 5);
		assert_status(watch_poll(&w), STATUS_DNS);
		watch_end(&w);
	}
	fake_dns_stop(&d);
}

static int setup(void **state)
{
	char *absolute;

	(void)state;
	dir = test_dir_create();
	absolute = realpath(dir, NULL);
	assert_non_null(absolute);
	has_dns = fake_dns_enter(absolute);
	free(absolute);
	source_quiet();
	source_global_init();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	source_global_finish();
	test_dir_remove(dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_service_name_is_followed),
		cmocka_unit_test(options_of_the_txt_record_hold),
		cmocka_unit_test(an_unknown_service_name_is_dns),
		cmocka_unit_test(a_silent_name_server_is_dns_in_time),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
