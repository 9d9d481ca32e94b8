/* Targets: every form that people type, and no error that shows a password. */
#include "support.h"

#include "hotset/clock.h"
#include "hotset/source.h"

static struct target parse(const char *text)
{
	struct target t;
	struct err err;

	if (!target_parse(text, &t, &err))
		fail_msg("%s: %s", text, err.msg);
	return t;
}

static void refused(const char *text, const char *says)
{
	struct target t;
	struct err err;

	if (target_parse(text, &t, &err))
		fail_msg("%s is accepted", text);
	assert_int_equal(err.code, ERR_USAGE);
	if (!strstr(err.msg, says))
		fail_msg("%s: '%s' does not say '%s'", text, err.msg, says);
	if (strstr(err.msg, "secret") || strstr(err.msg, "s3c"))
		fail_msg("%s: '%s' shows the password", text, err.msg);
}

static void each_scheme_has_its_parts(void **state)
{
	static const struct {
		const char *text, *id, *address, *host;
		uint16_t port;
		bool tls;
	} cases[] = {
		{"redis://127.0.0.1:6390", "redis@127.0.0.1:6390", "127.0.0.1:6390", "127.0.0.1",
			6390, false},
		{"redis://cache.example.test", "redis@cache.example.test:6379",
			"cache.example.test:6379", "cache.example.test", 6379, false},
		{"rediss://a_b-c.example.test", "redis@a_b-c.example.test:6379",
			"a_b-c.example.test:6379", "a_b-c.example.test", 6379, true},
		{"memcached://h", "memcached@h:11211", "h:11211", "h", 11211, false},
		{"MEMCACHEDS://h:1", "memcached@h:1", "h:1", "h", 1, true},
		{"mongodb://h/", "mongo@h:27017", "h:27017", "h", 27017, false},
		{"mongodb://h:1/admin?tls=true", "mongo@h:1", "h:1", "h", 1, true},
		{"mongodb://a:1,b:2,c:3/?replicaSet=rs", "mongo@a:1 +2", "a:1 +2", "a", 1, false},
		{"mongodb+srv://cluster.example.test/", "mongo@cluster.example.test",
			"cluster.example.test", "cluster.example.test", 27017, true},
		{"http://h:9100/metrics", "http@h:9100", "h:9100", "h", 9100, false},
		{"https://h", "http@h:443", "h:443", "h", 443, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target t = parse(cases[i].text);

		assert_string_equal(t.id, cases[i].id);
		assert_string_equal(t.address, cases[i].address);
		assert_string_equal(t.host, cases[i].host);
		assert_int_equal(t.port, cases[i].port);
		assert_int_equal(t.tls, cases[i].tls);
		target_finish(&t);
	}
}

static void ports_are_guessed(void **state)
{
	static const char *const cases[][2] = {{"h:27017", "mongo"}, {"h:6379", "redis"},
		{"127.0.0.1:11211", "memcached"}, {"[2001:db8::1]:27017", "mongo"},
		{"[::ffff:192.0.2.1]:6379", "redis"}, {"[2001:db8::1]", "mongo"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target t = parse(cases[i][0]);

		assert_string_equal(t.ops->name, cases[i][1]);
		target_finish(&t);
	}
	refused("h:1234", "write a scheme");
	refused("h", "write a scheme");
	refused("user:secret@h:6379", "whole URI");
}

static void ipv6_needs_brackets(void **state)
{
	struct target t = parse("mongodb://[2001:db8::1]:27017");

	(void)state;
	assert_string_equal(t.host, "2001:db8::1");
	assert_string_equal(t.address, "[2001:db8::1]:27017");
	target_finish(&t);
	t = parse("redis://[fe80::1%25eth0]:27017");
	assert_string_equal(t.host, "fe80::1%eth0");
	assert_int_equal(t.port, 27017);
	target_finish(&t);
	refused("2001:db8::1:27017", "brackets");
	refused("redis://2001:db8::1:27017", "brackets");
	refused("mongodb://2001:db8::1", "brackets");
	refused("redis://[2001:db8::1", "]");
	refused("redis://[2001:db8::zz]:1", "not an IPv6 address");
	refused("redis://[2001:db8::1]x", "may follow");
}

static void credentials_are_decoded(void **state)
{
	struct target t = parse("redis://us%40er:p%3as%2fs@h:1/7");

	(void)state;
	assert_string_equal(t.user, "us@er");
	assert_string_equal(t.password, "p:s/s");
	assert_int_equal(t.db, 7);
	target_finish(&t);
	t = parse("redis://:only@h");
	assert_string_equal(t.user, "");
	assert_string_equal(t.password, "only");
	target_set_credentials(&t, "a", "b");
	assert_string_equal(t.user, "a");
	assert_string_equal(t.password, "b");
	target_finish(&t);
	t = parse("mongodb://u:p%40w@h/?authSource=admin");
	assert_string_equal(t.user, "u");
	assert_string_equal(t.password, "p@w");
	target_finish(&t);
}

static void sockets_and_directories(void **state)
{
	struct target t = parse("redis+unix:///run/redis/redis.sock");

	(void)state;
	assert_string_equal(t.path, "/run/redis/redis.sock");
	assert_string_equal(t.address, "/run/redis/redis.sock");
	assert_string_equal(t.host, "");
	target_finish(&t);
	t = parse("memcached+unix://u:p@/tmp/m%20m");
	assert_string_equal(t.user, "u");
	target_finish(&t);
	t = parse("mongodb://%2Ftmp%2Fmongodb-27017.sock");
	assert_string_equal(t.address, "/tmp/mongodb-27017.sock");
	target_finish(&t);
	t = parse("proc:");
	assert_string_equal(t.id, "proc:");
	assert_string_equal(t.address, "this host");
	target_finish(&t);
	t = parse("box=proc:/srv/copy");
	assert_string_equal(t.name, "box");
	assert_string_equal(t.path, "/srv/copy");
	assert_string_equal(t.id, "proc:/srv/copy");
	target_finish(&t);
	refused("redis+unix://run/redis.sock", "three slashes");
	refused("redis+unix://", "path of the socket");
	refused("proc:relative", "absolute");
}

static void names_and_options(void **state)
{
	struct target t = parse(
		"orders-db=rediss://h?tlsCAFile=/etc/my%20ca.pem&tlsAllowInvalidCertificates=true");

	(void)state;
	assert_string_equal(t.name, "orders-db");
	assert_string_equal(t.ca_file, "/etc/my ca.pem");
	assert_true(t.tls_insecure);
	target_finish(&t);
	t = parse("http://u:p@h:9100/metrics?collect[]=cpu&tlsCAFile=/ca");
	assert_string_equal(t.path, "/metrics?collect[]=cpu");
	assert_string_equal(t.ca_file, "/ca");
	target_finish(&t);
	t = parse("http://h:9100");
	assert_string_equal(t.path, "/metrics");
	target_finish(&t);
	refused("=redis://h", "name");
	refused("redis://h?what=1", "known options");
	refused("redis://h?tlsAllowInvalidCertificates=maybe", "known options");
}

static void nonsense_is_refused_without_the_password(void **state)
{
	(void)state;
	refused("ftp://user:secret@h", "known are mongodb");
	refused("redis://user:secret@h:0", "1 to 65535");
	refused("redis://user:secret@h:65536", "1 to 65535");
	refused("redis://user:secret@h:6379x", "1 to 65535");
	refused("redis://user:s3c/ret@h", "");
	refused("redis://user:s3c@ret/x@h", "");
	refused("redis://user:secret%zz@h", "hexadecimal");
	refused("redis://user:secret@", "host is missing");
	refused("redis://user:secret@h o", "host name");
	refused("redis://user:secret@h/db1", "number of a database");
	refused("mongodb://user:secret@h/?maxPoolSize=x", "");
	refused("mongodb://user:secret@h,,i/", "host is missing");
	refused("mongodb://user:s3c:ret@h/", "");
	refused("memcached://user:secret@h/1", "");
}

static void redaction_hides_every_secret(void **state)
{
	static const char *const cases[][2] = {
		{"redis://h:1", "redis://h:1"},
		{"redis://u:p@h:1/2", "redis://u:***@h:1/2"},
		{"redis://:p@h", "redis://:***@h"},
		{"x=redis://u:p/q@r@h", "x=redis://u:***@h"},
		{"u:p@h:1", "u:***@h:1"},
		{"mongodb://u@h/?tlsCertificateKeyFilePassword=abc&tls=true",
			"mongodb://u@h/?tlsCertificateKeyFilePassword=***&tls=true"},
		{"mongodb://h/?authMechanismProperties=AWS_SESSION_TOKEN:abc",
			"mongodb://h/?authMechanismProperties=***"},
		/* an '@' that was forgotten, and what only looks like it */
		{"redis://u:secret/h", "redis://u:***"},
		{"redis://u:secret", "redis://u:***"},
		{"x=u:secret", "x=u:***"},
		{"mongodb://h:27017,u:secret,h:1/?a=b", "mongodb://h:27017,u:***"},
		{"mongodb://h:27017,i:27018/?a=b", "mongodb://h:27017,i:27018/?a=b"},
		{"mongodb://[2001:db8::1]:27017", "mongodb://[2001:db8::1]:27017"},
		{"2001:db8::1:27017", "2001:db8::1:27017"},
		{"proc:/dir", "proc:/dir"},
	};
	char out[256], small[8];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		target_redact(cases[i][0], out, sizeof(out));
		assert_string_equal(out, cases[i][1]);
	}
	target_redact("redis://user:password@host", small, sizeof(small));
	assert_string_equal(small, "redis:/");
}

static void long_names_stay_apart(void **state)
{
	char a[400], b[400];
	struct target t, u;

	(void)state;
	memset(a, 'x', 200);
	snprintf(b, sizeof(b), "redis://%.200s2:1", a);
	snprintf(a + 200, sizeof(a) - 200, "1:1");
	memmove(a + 8, a, 204);
	memcpy(a, "redis://", 8);
	t = parse(a);
	u = parse(b);
	assert_string_not_equal(t.id, u.id);
	assert_string_not_equal(t.address, u.address);
	target_finish(&t);
	target_finish(&u);
	memset(a, 'y', 399);
	memcpy(a, "redis://", 8);
	a[399] = '\0';
	refused(a, "too long");
}

/* ---- the hosts of one URI ---- */

static void each_host_of_a_uri_is_a_target(void **state)
{
	static const char *const ids[] = {"mongo@a:1", "mongo@[2001:db8::1]:27017", "mongo@/s.sock"};
	struct target t = parse("db=mongodb://u:p@a:1,[2001:db8::1],%2Fs.sock/?replicaSet=rs");

	(void)state;
	assert_true(t.learns);
	assert_int_equal(target_host_count(&t), 3);
	for (unsigned i = 0; i < 3; i++) {
		struct target one;
		struct err err;

		assert_true(target_at_host(&t, i, &one, &err));
		assert_string_equal(one.id, ids[i]);
		assert_string_equal(one.user, "u");
		assert_string_equal(one.password, "p");
		assert_memory_equal(one.name, "db/", 3);
		assert_false(one.learned);
		target_finish(&one);
	}
	target_finish(&t);
}

static void a_member_shares_credentials_and_options(void **state)
{
	struct target t = parse("db=mongodb+srv://cluster.example.test/?tlsCAFile=/ca"), one, two;
	struct err err;

	(void)state;
	target_set_credentials(&t, "user", "from a file");
	assert_true(target_at_member(&t, "c.example.test:27018", &one, &err));
	assert_string_equal(one.id, "mongo@c.example.test:27018");
	assert_string_equal(one.name, "db/c.example.test:27018");
	assert_string_equal(one.password, "from a file");
	assert_string_equal(one.uri, t.uri);
	assert_true(one.learned && one.learns && one.tls);
	assert_true(target_at_member(&one, "d:1", &two, &err));
	assert_string_equal(two.name, "db/d:1");
	assert_false(target_at_member(&t, "", &(struct target){0}, &err));
	assert_false(target_at_member(&t, "a:0:b", &(struct target){0}, &err));
	target_finish(&t);
	target_finish(&one);
	target_finish(&two);
}

static void only_who_asks_for_a_set_gets_its_members(void **state)
{
	static const struct {
		const char *uri;
		bool learns;
	} cases[] = {{"mongodb://h", false}, {"mongodb://h/?replicaSet=rs", true},
		{"mongodb://h,i", true}, {"mongodb+srv://h.example.test", true},
		{"mongodb://h/?replicaSet=rs&directConnection=true", false},
		{"mongodb://h/?loadBalanced=true", false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target t = parse(cases[i].uri);

		if (t.learns != cases[i].learns)
			fail_msg("%s", cases[i].uri);
		target_finish(&t);
	}
}

/* Whatever listens here, this host is among the answers and the time is kept. */
static void discovery_ends_with_this_host(void **state)
{
	int64_t begin = clock_mono_ns();
	struct target found[4];
	unsigned n = target_discover(found, 4, 200);

	(void)state;
	assert_true(clock_mono_ns() - begin < 5 * NS_PER_SEC);
	assert_in_range(n, 1, 4);
	assert_string_equal(found[n - 1].id, "proc:");
	for (unsigned i = 0; i < n; i++)
		target_finish(&found[i]);
	assert_int_equal(target_discover(found, 0, 200), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_scheme_has_its_parts),
		cmocka_unit_test(ports_are_guessed),
		cmocka_unit_test(ipv6_needs_brackets),
		cmocka_unit_test(credentials_are_decoded),
		cmocka_unit_test(sockets_and_directories),
		cmocka_unit_test(names_and_options),
		cmocka_unit_test(nonsense_is_refused_without_the_password),
		cmocka_unit_test(redaction_hides_every_secret),
		cmocka_unit_test(long_names_stay_apart),
		cmocka_unit_test(each_host_of_a_uri_is_a_target),
		cmocka_unit_test(a_member_shares_credentials_and_options),
		cmocka_unit_test(only_who_asks_for_a_set_gets_its_members),
		cmocka_unit_test(discovery_ends_with_this_host),
	};

	source_global_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
