#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "hotset/clock.h"
#include "hotset/num.h"
#include "player.h"

#define ARGS_MAX   32
#define TEXT_MAX   4096
#define POLL_MS    10 /* between two looks at a server that starts */
#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

/* argv in the making */
struct args {
	char *v[ARGS_MAX + 1];
	int   n;
	char  text[TEXT_MAX];
	size_t used;
};

struct server_kind {
	const char        *name;
	const char        *scheme;
	const char        *package;    /* what to say when there is none */
	const char *const *programs;   /* names to look for, NULL-terminated */
	bool               has_socket; /* it can listen on a unix socket */
	bool               picks_port; /* it takes a free port itself, and says which in its log */
	/* a program with arguments, or a part of ours that plays a file */
	void (*arguments)(const struct server *s, const struct stage *stage, struct args *a);
	int (*play)(const char *path);
};

/* ---- arguments of each ---------------------------------------------------------------------- */

static void PRINTF_LIKE(2, 3) arg(struct args *a, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(a->text + a->used, sizeof(a->text) - a->used, fmt, ap);
	va_end(ap);
	if (a->n < ARGS_MAX && len >= 0 && (size_t)len < sizeof(a->text) - a->used) {
		a->v[a->n++] = a->text + a->used;
		a->v[a->n] = NULL;
		a->used += (size_t)len + 1;
	}
}

static void redis_arguments(const struct server *s, const struct stage *stage, struct args *a)
{
	/* the server's binary acts by the name that it is called by, see redis_programs */
	arg(a, "redis-server");
	arg(a, "--bind"), arg(a, "127.0.0.1");
	arg(a, "--port"), arg(a, "%u", (unsigned)s->port);
	if (s->socket[0]) {
		arg(a, "--unixsocket"), arg(a, "%s", s->socket);
		arg(a, "--unixsocketperm"), arg(a, "700");
	}
	arg(a, "--dir"), arg(a, "%s", stage->dir);
	arg(a, "--save"), arg(a, "%s", "");
	arg(a, "--databases"), arg(a, "1");
	arg(a, "--maxmemory"), arg(a, "64mb");
	arg(a, "--maxmemory-policy"), arg(a, "allkeys-lru");
}

static void memcached_arguments(const struct server *s, const struct stage *stage, struct args *a)
{
	arg(a, "memcached");
	if (geteuid() == 0) {
		/* it refuses to run as root unless told so; another user would undo PDEATHSIG */
		arg(a, "-u"), arg(a, "root");
	}
	if (s->socket[0]) {
		arg(a, "-s"), arg(a, "%s", s->socket);
		arg(a, "-a"), arg(a, "0700");
	} else {
		arg(a, "-l"), arg(a, "127.0.0.1");
		arg(a, "-p"), arg(a, "%u", (unsigned)s->port);
	}
	arg(a, "-U"), arg(a, "0");
	arg(a, "-m"), arg(a, "24");
	arg(a, "-t"), arg(a, "2");
	arg(a, "-c"), arg(a, "64");
	arg(a, "-o");
	arg(a, "ext_page_size=4,ext_wbuf_size=2,ext_item_size=512,ext_path=%s/extstore:64m",
		stage->dir);
}

static void wtnode_arguments(const struct server *s, const struct stage *stage, struct args *a)
{
	(void)s;
	arg(a, "wtnode");
	arg(a, "--dbpath"), arg(a, "%s/wtnode", stage->dir);
	arg(a, "--cache-size"), arg(a, "64MB");
	arg(a, "--port"), arg(a, "0");
}

/* Debian's redis-tools holds the server under the checker's name; redis-server only adds links. */
static const char *const redis_programs[] = {"redis-server", "redis-check-rdb", NULL};
static const char *const memcached_programs[] = {"memcached", NULL};
static const char *const wtnode_programs[] = {"wtnode", NULL};
static const char *const recordings[] = {"collscan-slow-cool.bson.gz", NULL};

const struct server_kind server_redis = {.name = "redis", .scheme = "redis",
	.package = "redis-tools", .programs = redis_programs, .has_socket = true,
	.arguments = redis_arguments};
const struct server_kind server_memcached = {.name = "memcached", .scheme = "memcached",
	.package = "memcached", .programs = memcached_programs, .has_socket = true,
	.arguments = memcached_arguments};
const struct server_kind server_wtnode = {.name = "wtnode", .scheme = "mongodb",
	.package = "libwiredtiger-dev (then make)", .programs = wtnode_programs, .picks_port = true,
	.arguments = wtnode_arguments};
const struct server_kind server_recorded = {.name = "recorded-node", .scheme = "mongodb",
	.package = "it with hotset", .programs = recordings, .picks_port = true,
	.play = player_run};

const char *server_name(const struct server_kind *kind)
{
	return kind->name;
}

/* ---- finding -------------------------------------------------------------------------------- */

/* Looks for the name in each directory of a colon-separated list. */
static bool search_list(const char *list, const char *name, int mode, char *out, size_t cap)
{
	while (*list) {
		size_t len = strcspn(list, ":");

		if (len > 0 && snprintf(out, cap, "%.*s/%s", (int)len, list, name) < (int)cap &&
			access(out, mode) == 0) {
			return true;
		}
		list += len + (list[len] == ':');
	}
	return false;
}

bool server_find(const struct server_kind *kind, char *out, size_t cap, struct err *err)
{
	char own[STAGE_PATH_MAX], list[4 * STAGE_PATH_MAX + 4096];
	const char *path = getenv("PATH");

	if (!stage_program_dir(own, sizeof(own), err)) {
		return false;
	}
	/* as built, in build/ or build/asan and the like, and as installed */
	if (kind->play) {
		snprintf(list, sizeof(list),
			"%s/../tests/fixtures/captures:%s/../../tests/fixtures/captures:"
			"%s/../share/hotset/recordings", own, own, own);
	} else {
		snprintf(list, sizeof(list), "%s:%s/deps/usr/bin:%s/../deps/usr/bin:"
			"%s/../libexec/hotset:%s", own, own, own, own, path ? path : DEFAULT_PATH);
	}
	for (const char *const *name = kind->programs; *name; name++) {
		if (search_list(list, *name, kind->play ? R_OK : X_OK, out, cap)) {
			return true;
		}
	}
	return err_set(err, ERR_UNSUPPORTED, "no %s here: contrib/setup installs %s", kind->name,
		kind->package);
}

/* ---- starting ------------------------------------------------------------------------------- */

/*
 * A free port. Another process could take it before the server does, in which case the server
 * ends at once and says so; the range that the kernel picks from is wide enough to make that rare.
 */
static bool pick_port(uint16_t *port, struct err *err)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(sin);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok = fd >= 0 && bind(fd, (struct sockaddr *)&sin, len) == 0 &&
		getsockname(fd, (struct sockaddr *)&sin, &len) == 0;

	if (!ok) {
		err_sys(err, "cannot find a free port on 127.0.0.1");
	}
	if (fd >= 0) {
		close(fd);
	}
	*port = ok ? ntohs(sin.sin_port) : 0;
	return ok;
}

static int play(const void *server)
{
	const struct server *s = server;

	return s->kind->play(s->program);
}

bool server_start(struct server *s, const struct server_kind *kind, struct stage *stage,
	struct err *err)
{
	struct args a = {.n = 0};
	int len;

	*s = (struct server){.kind = kind};
	if (!server_find(kind, s->program, sizeof(s->program), err)) {
		return false;
	}
	len = snprintf(s->socket, sizeof(s->socket), "%s/%s.sock", stage->dir, kind->name);
	if (!kind->has_socket || len >= (int)sizeof(s->socket)) {
		s->socket[0] = '\0'; /* a path too long for a socket: the port it is */
		if (!kind->picks_port && !pick_port(&s->port, err)) {
			return false;
		}
	}
	if (kind->play) {
		s->child = stage_fork(stage, STAGE_BACKGROUND, kind->name, play, s, err);
		return s->child != NULL;
	}
	kind->arguments(s, stage, &a);
	s->child = stage_exec(stage, STAGE_BACKGROUND, kind->name, s->program, a.v, err);
	return s->child != NULL;
}

/* ---- waiting -------------------------------------------------------------------------------- */

static bool connects(const struct server *s)
{
	union {
		struct sockaddr    any;
		struct sockaddr_in in;
		struct sockaddr_un un;
	} sa = {.un = {.sun_family = AF_UNIX}};
	socklen_t len = sizeof(sa.un);
	bool ok;
	int fd;

	if (s->socket[0]) {
		snprintf(sa.un.sun_path, sizeof(sa.un.sun_path), "%s", s->socket);
	} else {
		sa.in = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(s->port),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		len = sizeof(sa.in);
	}
	fd = socket(sa.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ok = fd >= 0 && connect(fd, &sa.any, len) == 0;
	if (fd >= 0) {
		close(fd);
	}
	return ok;
}

/* "listening on 127.0.0.1:PORT" is the first line of its output. */
static bool read_port(struct server *s, const struct stage *stage)
{
	static const char head[] = "listening on 127.0.0.1:";
	char path[STAGE_PATH_MAX + 64], line[128];
	uint64_t port = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.log", stage->dir, s->kind->name);
	f = fopen(path, "re");
	if (!f) {
		return false;
	}
	if (fgets(line, sizeof(line), f) && strncmp(line, head, sizeof(head) - 1) == 0 &&
		strchr(line, '\n')) {
		const char *digits = line + sizeof(head) - 1;

		num_parse_u64(digits, strcspn(digits, "\n"), &port);
	}
	fclose(f);
	s->port = port <= UINT16_MAX ? (uint16_t)port : 0;
	return s->port != 0;
}

static bool is_ready(struct server *s, const struct stage *stage)
{
	return (!s->kind->picks_port || s->port || read_port(s, stage)) && connects(s);
}

/* "redis+unix:///path", with %XX for what a URI cannot hold as it is. */
static void socket_uri(struct server *s)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-~";
	size_t used = (size_t)snprintf(s->uri, sizeof(s->uri), "%s+unix://", s->kind->scheme);

	for (const char *c = s->socket; *c && used + 4 < sizeof(s->uri); c++) {
		used += (size_t)snprintf(s->uri + used, sizeof(s->uri) - used,
			strchr(plain, *c) ? "%c" : "%%%02X", (unsigned char)*c);
	}
}

bool server_await(struct server *s, struct stage *stage, int64_t deadline_ns, struct err *err)
{
	char words[160];

	while (!is_ready(s, stage)) {
		if (stage->stopping) {
			return err_set(err, ERR_SYSTEM, "interrupted");
		}
		if (s->child->pid == 0 || clock_mono_ns() >= deadline_ns) {
			bool ended = s->child->pid == 0;

			stage_last_words(stage, s->kind->name, words, sizeof(words));
			return err_set(err, ended ? ERR_SYSTEM : ERR_TIMEOUT, "%s %s: %s",
				s->kind->name, ended ? "ended at once" : "does not answer",
				words[0] ? words : "it said nothing");
		}
		stage_wait(stage, POLL_MS);
	}
	if (s->socket[0]) {
		socket_uri(s);
	} else {
		snprintf(s->uri, sizeof(s->uri), "%s://127.0.0.1:%u", s->kind->scheme, s->port);
	}
	return true;
}
