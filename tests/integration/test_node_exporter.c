/*
 * A real node_exporter of this host: its figures are those of /proc, what it does not export is
 * said to be so, and TLS, certificates and passwords decide as they should.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fake/fake_tls.h"
#include "servers.h"
#include "watched.h"

#define MIB 1048576.0

static char *dir;
static struct fake_certs certs;
static bool has_certs;

static void figures_are_those_of_proc(void **state)
{
	static const enum metric_id same[] = {METRIC_HOST_MEM_FREE, METRIC_HOST_MEM_AVAILABLE,
		METRIC_HOST_MEM_FILE_CACHE, METRIC_HOST_MEM_CACHED, METRIC_HOST_MEM_SHMEM};
	struct server *s = server_node_exporter(NULL);
	struct watched far, near;

	(void)state;
	if (!s)
		skip();
	watch_begin(&far, server_uri(s), 5);
	watch_begin(&near, "proc:", 5);
	assert_status(watch_poll(&far), STATUS_OK);
	watch_poll(&near);
	test_near(sample_f64(far.last, METRIC_HOST_MEM_TOTAL),
		sample_f64(near.last, METRIC_HOST_MEM_TOTAL), 0);
	for (unsigned i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		if (!sample_has(near.last, same[i]))
			continue; /* of derive */
		test_near(sample_f64(far.last, same[i]), sample_f64(near.last, same[i]), 256 * MIB);
	}
	assert_true(sample_has(far.last, METRIC_HOST_VM_PGIN_TOTAL));
	assert_true(sample_has(far.last, METRIC_HOST_VM_MAJFAULT_TOTAL));
	/* its vmstat leaves these out by default */
	assert_int_equal(far.last->raw[METRIC_HOST_VM_REFAULT_TOTAL].why, REASON_NOT_EXPORTED);
	assert_int_equal(far.last->raw[METRIC_HOST_VM_SCAN_TOTAL].why, REASON_NOT_EXPORTED);
	watch_end(&far);
	watch_end(&near);
	server_stop(s);
}

static void more_fields_are_taken(void **state)
{
	const char *const args[] = {
		"--collector.vmstat.fields=^(oom_kill|pgpg|pswp|pg.*fault|workingset).*", NULL};
	struct server *s = server_node_exporter(args);
	struct watched w;

	(void)state;
	if (!s)
		skip();
	watch_begin(&w, server_uri(s), 5);
	assert_status(watch_poll(&w), STATUS_OK);
	assert_true(sample_has(w.last, METRIC_HOST_VM_REFAULT_TOTAL));
	watch_end(&w);
	server_stop(s);
}

/* The password is "hush". */
static struct server *start_with_tls(bool client)
{
	char path[600];
	const char *const args[] = {path, NULL};
	FILE *f;

	if (!has_certs)
		return NULL;
	snprintf(path, sizeof(path), "%s/web.yml", dir);
	f = fopen(path, "we");
	assert_non_null(f);
	fprintf(f, "tls_server_config:\n  cert_file: %s\n  key_file: %s\n", certs.server,
		certs.server);
	if (client)
		/* with 1.3 it refuses behind the handshake, and who is slower sees a reset */
		fprintf(f,
			"  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: %s\n"
			"  max_version: TLS12\n",
			certs.ca);
	else
		fprintf(f, "basic_auth_users:\n  watcher: "
			   "$2b$04$0YRckEjhUPu0tvaPSj4xveJKRYbMHrRoNKr2wFSovub2ZX7GnhPra\n");
	assert_int_equal(fclose(f), 0);
	snprintf(path, sizeof(path), "--web.config.file=%s/web.yml", dir);
	return server_node_exporter(args);
}

static void poll_one(const struct server *s, const char *scheme, const char *userinfo,
	const char *options, enum status want)
{
	char uri[1400];
	struct watched w;

	snprintf(uri, sizeof(uri), "%s://%s127.0.0.1:%u/metrics%s", scheme, userinfo,
		server_port(s), options);
	watch_begin(&w, uri, 5);
	assert_status(watch_poll(&w), want);
	assert_null(strstr(w.last->err.msg, "hush"));
	watch_end(&w);
}

static void passwords_and_tls_decide(void **state)
{
	struct server *s = start_with_tls(false);
	char ca[600];

	(void)state;
	if (!s)
		skip();
	snprintf(ca, sizeof(ca), "?tlsCAFile=%s", certs.ca);
	poll_one(s, "https", "watcher:hush@", ca, STATUS_OK);
	poll_one(s, "https", "watcher:wrong@", ca, STATUS_AUTH);
	poll_one(s, "https", "", ca, STATUS_AUTH);
	poll_one(s, "https", "watcher:hush@", "", STATUS_TLS);
	poll_one(s, "http", "watcher:hush@", "", STATUS_TLS);
	server_stop(s);
}

static void a_certificate_is_shown(void **state)
{
	struct server *s = start_with_tls(true);
	char options[1200];

	(void)state;
	if (!s)
		skip();
	snprintf(options, sizeof(options), "?tlsCAFile=%s&tlsCertificateKeyFile=%s", certs.ca,
		certs.client);
	poll_one(s, "https", "", options, STATUS_OK);
	snprintf(options, sizeof(options), "?tlsCAFile=%s", certs.ca);
	poll_one(s, "https", "", options, STATUS_TLS);
	server_stop(s);
}

static int setup(void **state)
{
	char *made = test_dir_create();

	(void)state;
	source_quiet();
	source_global_init();
	dir = realpath(made, NULL);
	assert_non_null(dir);
	free(made);
	has_certs = fake_certs_make(dir, &certs);
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
		cmocka_unit_test(figures_are_those_of_proc),
		cmocka_unit_test(more_fields_are_taken),
		cmocka_unit_test(passwords_and_tls_decide),
		cmocka_unit_test(a_certificate_is_shown),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
