/*
 * wtnode: a real WiredTiger engine behind a small part of the MongoDB wire protocol, for labs that
 * must show what a cache does without a mongod.
 *
 * A program of its own: it links libwiredtiger (GPL 2 or 3) and libbson and shares no code with the
 * dashboard, which links neither it nor WiredTiger.
 *
 * Threads: main accepts, one thread per connection serves, the engine has its own and a stamper.
 * The program never forks once the engine is open (a child's copy of it corrupts the directory).
 */
#include "node.h"
#include "server.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define DEFAULT_CACHE_BYTES (UINT64_C(64) << 20)
#define CACHE_BYTES_MIN     (UINT64_C(1) << 20) /* WiredTiger's */
#define CACHE_BYTES_MAX     (UINT64_C(10) << 40)
#define DEFAULT_WINDOW_S    0
#define WINDOW_S_MAX        86400
#define DEFAULT_LIFETIME_S  60 /* transactionLifetimeLimitSeconds of mongod */

#ifdef __SANITIZE_THREAD__
/* WiredTiger is not instrumented: its lock-free code would be reported, and hide ours. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "called_from_lib:libwiredtiger.so";
}
#endif

struct options {
	struct engine_options engine;
	uint16_t port;
	bool parent_death;
};

static const char usage[] =
	"usage: wtnode --dbpath DIR [option...]\n"
	"A WiredTiger engine behind a small part of the MongoDB wire protocol, for labs.\n"
	"\n"
	"  --dbpath DIR           where the data is kept; made when it is missing\n"
	"  --cache-size SIZE      the engine's cache: a number with KB, MB or GB (64MB)\n"
	"  --port N               on 127.0.0.1; 0 takes a free one (0)\n"
	"  --history-window SECS  how far the oldest timestamp stays behind the stable one (0)\n"
	"  --engine-config STRING more of the engine's configuration, as WiredTiger takes it\n"
	"  --direct-io            read data files past the kernel's page cache\n"
	"  --parent-death         end when the thread that started wtnode ends\n"
	"  --help, --version\n"
	"\n"
	"The first line of output is 'listening on 127.0.0.1:PORT', the second 'shutdown token "
	"HEX':\n"
	"{shutdown: 1, token: HEX} ends the node, as SIGTERM and SIGINT do.\n";

static bool usage_error(const char *what, const char *value)
{
	fprintf(stderr, "wtnode: %s '%s'; see wtnode --help\n", what, value);
	return false;
}

/* A whole decimal number within the bounds, with what follows it left in *rest. */
static bool parse_number(const char *s, uint64_t max, uint64_t *value, const char **rest)
{
	char *end;

	if (s[0] < '0' || s[0] > '9') {
		return false;
	}
	errno = 0;
	*value = strtoull(s, &end, 10);
	*rest = end;
	return errno == 0 && *value <= max;
}

static bool parse_plain(const char *s, uint64_t max, uint64_t *value)
{
	const char *rest;

	return parse_number(s, max, value, &rest) && *rest == '\0';
}

static bool parse_size(const char *s, uint64_t *bytes)
{
	static const struct {
		const char *unit;
		int shift;
	} units[] = {{"KB", 10}, {"MB", 20}, {"GB", 30}, {"K", 10}, {"M", 20}, {"G", 30}};
	const char *rest;
	uint64_t n;

	if (!parse_number(s, CACHE_BYTES_MAX, &n, &rest)) {
		return false;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcasecmp(rest, units[i].unit) == 0 &&
			n <= CACHE_BYTES_MAX >> units[i].shift) {
			*bytes = n << units[i].shift;
			return *bytes >= CACHE_BYTES_MIN;
		}
	}
	return false;
}

/* Takes one option with its value; false after a message. */
static bool set_option(struct options *opt, int which, const char *value)
{
	uint64_t n = 0;

	switch (which) {
	case 'd':
		opt->engine.dbpath = value;
		return value[0] != '\0' || usage_error("not a directory:", value);
	case 'c':
		return parse_size(value, &opt->engine.cache_bytes) ||
		       usage_error("not a size of at least 1MB:", value);
	case 'p':
		if (!parse_plain(value, UINT16_MAX, &n)) {
			return usage_error("not a port:", value);
		}
		opt->port = (uint16_t)n;
		return true;
	case 'w':
		if (!parse_plain(value, WINDOW_S_MAX, &n)) {
			return usage_error("not a number of seconds:", value);
		}
		opt->engine.window_s = (unsigned)n;
		return true;
	case 'e':
		opt->engine.config = value;
		return bson_utf8_validate(value, strlen(value), false) ||
		       usage_error("not text:", value);
	case 'i':
		opt->engine.direct_io = true;
		return true;
	default:
		opt->parent_death = true;
		return true;
	}
}

static void node_version(char *out, size_t size)
{
	int major = 0, minor = 0, patch = 0;

	wiredtiger_version(&major, &minor, &patch);
	snprintf(out, size, "wtnode (WiredTiger %d.%d.%d)", major, minor, patch);
}

/* False after a message on stderr; ends the program for --help and --version. */
static bool parse_options(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {{"dbpath", required_argument, NULL, 'd'},
		{"cache-size", required_argument, NULL, 'c'},
		{"port", required_argument, NULL, 'p'},
		{"history-window", required_argument, NULL, 'w'},
		{"engine-config", required_argument, NULL, 'e'},
		{"direct-io", no_argument, NULL, 'i'}, {"parent-death", no_argument, NULL, 'x'},
		{"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'v'},
		{NULL, 0, NULL, 0}};
	char version[64];
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		if (c == 'h') {
			fputs(usage, stdout);
			exit(0);
		}
		if (c == 'v') {
			node_version(version, sizeof(version));
			puts(version);
			exit(0);
		}
		if (c == '?') {
			return usage_error("unknown option", argv[optind - 1]);
		}
		if (c == ':') {
			return usage_error("a value is missing after", argv[optind - 1]);
		}
		if (!set_option(opt, c, optarg)) {
			return false;
		}
	}
	if (optind < argc) {
		return usage_error("unexpected argument", argv[optind]);
	}
	if (opt->engine.dbpath == NULL) {
		return usage_error("missing option", "--dbpath DIR");
	}
	return true;
}

static bool node_init(struct node *node, int argc, char **argv, const struct options *opt)
{
	uint8_t secret[NODE_TOKEN_BYTES];
	char name[256] = "localhost";

	node->argc = argc;
	node->argv = argv;
	node->dbpath = opt->engine.dbpath;
	node->engine_config = opt->engine.config;
	node->cache_bytes = opt->engine.cache_bytes;
	node->start_ns = ops_now_ns();
	node->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	node_version(node->version, sizeof(node->version));
	gethostname(name, sizeof(name) - 1);
	snprintf(node->host, sizeof(node->host), "%s:%u", name, node->port);
	atomic_store(&node->transaction_lifetime_s, DEFAULT_LIFETIME_S);
	pthread_mutex_init(&node->params_lock, NULL);
	ops_init(&node->ops);
	top_init(&node->top);
	logring_init(&node->log);
	if (node->stop_fd < 0 || getrandom(secret, sizeof(secret), 0) != sizeof(secret)) {
		return false;
	}
	for (size_t i = 0; i < sizeof(secret); i++) {
		snprintf(node->token + 2 * i, 3, "%02x", secret[i]);
	}
	return true;
}

static bool open_store(struct node *node, const struct options *opt, struct fail *fail)
{
	WT_SESSION *session;
	struct engine_options engine = opt->engine;
	struct fail ignored;

	engine.log = &node->log;
	if (!engine_open(&node->engine, &engine, fail)) {
		return false;
	}
	int ret = engine_session(&node->engine, &session);
	bool ok = ret == 0 ? catalog_open(&node->catalog, &node->engine, session, fail)
			   : fail_engine(fail, ret, "opening a session");
	if (ret == 0) {
		session->close(session, NULL);
	}
	if (!ok) {
		engine_close(&node->engine, &ignored);
	}
	return ok;
}

static bool close_store(struct node *node, struct fail *fail)
{
	WT_SESSION *session;
	struct fail close_fail;
	int ret = engine_session(&node->engine, &session);
	bool ok = ret == 0 ? catalog_save(&node->catalog, session, fail)
			   : fail_engine(fail, ret, "opening a session");

	catalog_finish(&node->catalog);
	if (!engine_close(&node->engine, &close_fail) && ok) {
		*fail = close_fail;
		ok = false;
	}
	return ok;
}

/* Blocks the signals that end the program, for all threads to come, and makes them readable. */
static int signals_fd(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* Every table is a descriptor. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static bool run(struct node *node, const struct options *opt, int listener, struct fail *fail)
{
	int signal_fd = signals_fd();
	bool ok = true;

	if (!open_store(node, opt, fail)) {
		return false;
	}
	if (server_listen(listener, fail) &&
		txns_open(&node->txns, &node->engine, &node->catalog, &node->ops,
			&node->transaction_lifetime_s, fail)) {
		printf("listening on 127.0.0.1:%u\nshutdown token %s\n", node->port, node->token);
		fflush(stdout);
		server_run(node, listener, signal_fd);
	} else {
		ok = false;
	}
	close(listener);
	close(signal_fd);
	struct fail close_fail;
	if (!close_store(node, &close_fail) && ok) {
		*fail = close_fail;
		ok = false;
	}
	return ok;
}

int main(int argc, char **argv)
{
	static struct node node;
	struct options opt = {
		.engine = {.cache_bytes = DEFAULT_CACHE_BYTES, .window_s = DEFAULT_WINDOW_S}};
	struct fail fail;
	pid_t parent = getppid();

	if (!parse_options(&opt, argc, argv)) {
		return 2;
	}
	if (opt.parent_death) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent) {
			return 1;
		}
	}
	raise_file_limit();
	int listener = server_bind(opt.port, &node.port, &fail);
	if (listener < 0) {
		fprintf(stderr, "wtnode: %s\n", fail.msg);
		return 1;
	}
	if (!node_init(&node, argc, argv, &opt)) {
		fprintf(stderr, "wtnode: %s\n", strerror(errno));
		return 1;
	}
	bool ok = run(&node, &opt, listener, &fail);
	if (!ok) {
		fprintf(stderr, "wtnode: %s\n", fail.msg);
	}
	close(node.stop_fd);
	logring_finish(&node.log);
	top_finish(&node.top);
	ops_finish(&node.ops);
	pthread_mutex_destroy(&node.params_lock);
	return ok ? 0 : 1;
}
