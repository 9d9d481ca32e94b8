/*
 * Logins and TLS of MongoDB: a right password and a wrong one with both kinds of SCRAM, a client's
 * certificate as the login, an authority of one's own, and names that no DNS knows. The server's
 * side is a fake that checks what it is given.
 */
#include "support.h"

#include "fake_mongo.h"
#include "fake_scram.h"
#include "program.h"
#include "watched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUBJECT "/O=hotset/OU=tests/CN=client"

static struct fake_certs certs;
static struct fake_tls *tls;
static char *dir;

struct node {
	struct fake_scram scram;
	bool x509;   /* takes certificates only */
	bool logged; /* the newest login was right */
};

static void check_certificate(struct node *n, bson_t *reply)
{
	char subject[256];

	fake_tls_peer(fake_mongo_conn(), subject, sizeof(subject));
	n->logged = n->x509 && strcmp(subject, SUBJECT) == 0;
	if (n->logged)
		BSON_APPEND_DOUBLE(reply, "ok", 1);
	else
		fake_mongo_error(reply, 18, "Authentication failed.");
}

static enum fake_mongo_act answer(void *arg, const char *name, const bson_t *cmd, bson_t *reply)
{
	struct node *n = arg;

	if (fake_mongo_is_hello(name))
		fake_mongo_hello(reply);
	else if (strcmp(name, "saslStart") == 0)
		fake_scram_start(&n->scram, cmd, reply);
	else if (strcmp(name, "saslContinue") == 0)
		n->logged = fake_scram_continue(&n->scram, cmd, reply);
	else if (strcmp(name, "authenticate") == 0)
		check_certificate(n, reply);
	else if (!n->logged)
		fake_mongo_error(reply, 13, "command requires authentication");
	else if (strcmp(name, "serverStatus") == 0)
		fake_mongo_status(reply);
	else
		BSON_APPEND_DOUBLE(reply, "ok", 1);
	return FAKE_REPLY;
}

/* ---- a node and what one poll of it gives ---- */

struct stage {
	struct node node;
	struct fake_mongo mongo;
	struct fake *fake;
	struct watched w;
};

static void serve(struct stage *s, struct node node, struct fake_tls *with)
{
	*s = (struct stage){.node = node};
	s->mongo = (struct fake_mongo){answer, &s->node, with};
	s->fake = fake_start(fake_mongo_serve, &s->mongo);
}

static const struct sample *poll_once(struct stage *s, const char *userinfo, const char *options)
{
	char uri[1024];

	snprintf(uri, sizeof(uri), "%s/?%s", fake_uri(s->fake, "mongodb", userinfo), options);
	watch_begin(&s->w, uri, 5);
	return watch_poll(&s->w);
}

static void end(struct stage *s)
{
	watch_end(&s->w);
	fake_stop(s->fake);
}

/* ---- passwords ---- */

static void check_scram(bool sha1, const char *mechanism)
{
	const struct node node = {.scram = {.user = "watcher", .password = "right", .sha1 = sha1}};
	struct stage s;

	serve(&s, node, NULL);
	assert_status(poll_once(&s, "watcher:right", mechanism), STATUS_OK);
	end(&s);
	serve(&s, node, NULL);
	assert_status(poll_once(&s, "watcher:wrong", mechanism), STATUS_AUTH);
	assert_null(strstr(s.w.last->err.msg, "wrong")); /* never said */
	end(&s);
}

static void passwords_decide(void **state)
{
	(void)state;
	if (!fake_scram_is_there())
		skip();
	check_scram(false, "authMechanism=SCRAM-SHA-256");
	check_scram(true, "authMechanism=SCRAM-SHA-1");
}

static void without_a_login_it_says_so(void **state)
{
	struct stage s;

	(void)state;
	serve(&s, (struct node){.logged = false}, NULL);
	assert_status(poll_once(&s, NULL, ""), STATUS_AUTH);
	end(&s);
}

/* The program itself, with a file of passwords, which must be private. */
static void a_file_of_credentials_logs_in(void **state)
{
	const struct node node = {.scram = {.user = "watcher", .password = "right"}};
	static const char *const passwords[] = {"right", "wrong"};

	(void)state;
	if (!fake_scram_is_there())
		skip();
	for (unsigned i = 0; i < 2; i++) {
		char path[512], line[1024];
		struct stage s;
		struct run r;
		FILE *f;

		serve(&s, node, NULL);
		snprintf(path, sizeof(path), "%s/credentials", dir);
		f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(fchmod(fileno(f), 0600), 0);
		fprintf(f, "node watcher %s\n", passwords[i]);
		assert_int_equal(fclose(f), 0);
		snprintf(line, sizeof(line),
			"check --credentials %s node=%s/?authMechanism=SCRAM-SHA-256", path,
			fake_uri(s.fake, "mongodb", "watcher"));
		r = program_run(line, NULL, 20000);
		assert_int_equal(r.code, i == 0 ? 0 : 3); /* ok, or unknown for want of a login */
		assert_null(strstr(r.out, passwords[i]));
		program_free(&r);
		fake_stop(s.fake);
	}
}

static enum fake_mongo_act hang_up(void *arg, const char *name, const bson_t *cmd, bson_t *reply)
{
	(void)arg;
	(void)name;
	(void)cmd;
	(void)reply;
	return FAKE_CLOSE;
}

/* It may have too many clients, or anything: nothing is said that was not seen. */
static void who_hangs_up_is_not_said_to_need_tls(void **state)
{
	struct fake_mongo mongo = {hang_up, NULL, NULL};
	struct fake *fake = fake_start(fake_mongo_serve, &mongo);
	struct watched w;

	(void)state;
	watch_begin(&w, fake_uri(fake, "mongodb", NULL), 5);
	watch_poll(&w);
	assert_status(w.last, STATUS_REFUSED);
	assert_null(strstr(w.last->err.msg, "tls"));
	watch_poll(&w);
	assert_int_equal(fake_accepted(fake), 3); /* asked about TLS once */
	watch_end(&w);
	fake_stop(fake);
}

/* ---- TLS and certificates ---- */

static void an_own_authority_is_enough(void **state)
{
	char options[256];
	struct stage s;

	(void)state;
	if (!tls)
		skip();
	snprintf(options, sizeof(options), "tls=true&tlsCAFile=%s", certs.ca);
	serve(&s, (struct node){.logged = true}, tls);
	assert_status(poll_once(&s, NULL, options), STATUS_OK);
	end(&s);
}

static void a_port_that_needs_tls_is_said_to(void **state)
{
	struct stage s;

	(void)state;
	if (!tls)
		skip();
	serve(&s, (struct node){.logged = true}, tls);
	assert_status(poll_once(&s, NULL, ""), STATUS_TLS);
	assert_says(s.w.last, "needs TLS: add tls=true");
	assert_status(watch_poll(&s.w), STATUS_TLS); /* and stays so */
	end(&s);
}

static void a_port_without_tls_is_said_to_be_one(void **state)
{
	struct stage s;

	(void)state;
	serve(&s, (struct node){.logged = true}, NULL);
	assert_status(poll_once(&s, NULL, "tls=true"), STATUS_TLS);
	assert_says(s.w.last, "speaks no TLS: leave out tls=true");
	end(&s);
}

static void an_unknown_authority_is_refused(void **state)
{
	struct stage s;

	(void)state;
	if (!tls)
		skip();
	serve(&s, (struct node){.logged = true}, tls);
	assert_status(poll_once(&s, NULL, "tls=true"), STATUS_TLS);
	end(&s);
	serve(&s, (struct node){.logged = true}, tls);
	assert_status(poll_once(&s, NULL, "tls=true&tlsAllowInvalidCertificates=true"), STATUS_OK);
	end(&s);
}

static void a_certificate_is_a_login(void **state)
{
	char options[640];
	struct stage s;

	(void)state;
	if (!tls)
		skip();
	snprintf(options, sizeof(options),
		"tls=true&tlsCAFile=%s&tlsCertificateKeyFile=%s&authMechanism=MONGODB-X509",
		certs.ca, certs.client);
	serve(&s, (struct node){.x509 = true}, tls);
	assert_status(poll_once(&s, NULL, options), STATUS_OK);
	end(&s);
	/* the server's own is of the same authority, but nobody's here */
	snprintf(options, sizeof(options),
		"tls=true&tlsCAFile=%s&tlsCertificateKeyFile=%s&authMechanism=MONGODB-X509",
		certs.ca, certs.server);
	serve(&s, (struct node){.x509 = true}, tls);
	assert_status(poll_once(&s, NULL, options), STATUS_AUTH);
	end(&s);
}

static void passwords_go_through_tls(void **state)
{
	const struct node node = {.scram = {.user = "watcher", .password = "right"}};
	char options[320];
	struct stage s;

	(void)state;
	if (!tls || !fake_scram_is_there())
		skip();
	snprintf(options, sizeof(options), "authMechanism=SCRAM-SHA-256&tls=true&tlsCAFile=%s",
		certs.ca);
	serve(&s, node, tls);
	assert_status(poll_once(&s, "watcher:right", options), STATUS_OK);
	end(&s);
}

/* ---- names ---- */

/* "invalid" is reserved for names that no DNS will ever have. */
static void a_service_name_that_nobody_has_is_dns(void **state)
{
	struct watched w;

	(void)state;
	watch_begin(&w, "mongodb+srv://cluster.hotset.invalid/", 5);
	watch_poll(&w);
	assert_status(w.last, STATUS_DNS);
	watch_end(&w);
}

static int setup(void **state)
{
	char *absolute;

	(void)state;
	source_quiet();
	source_global_init();

	dir = test_dir_create();
	absolute = realpath(dir, NULL);
	assert_non_null(absolute);
	if (fake_certs_make(absolute, &certs))
		tls = fake_tls_create(&certs);
	free(absolute);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_tls_destroy(tls);
	test_dir_remove(dir);
	source_global_finish();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passwords_decide),
		cmocka_unit_test(without_a_login_it_says_so),
		cmocka_unit_test(a_file_of_credentials_logs_in),
		cmocka_unit_test(who_hangs_up_is_not_said_to_need_tls),
		cmocka_unit_test(a_port_that_needs_tls_is_said_to),
		cmocka_unit_test(a_port_without_tls_is_said_to_be_one),
		cmocka_unit_test(an_own_authority_is_enough),
		cmocka_unit_test(an_unknown_authority_is_refused),
		cmocka_unit_test(a_certificate_is_a_login),
		cmocka_unit_test(passwords_go_through_tls),
		cmocka_unit_test(a_service_name_that_nobody_has_is_dns),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
