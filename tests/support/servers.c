#include "servers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ftw.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARGS_MAX      48
#define START_TRIES   1000 /* x 10 ms */
#define START_STEP_NS (10 * 1000 * 1000)

struct server {
	pid_t pid;
	uint16_t port; /* 0: unix socket only */
	char dir[64], socket[96], uri[128], unix_uri[128];
};

struct args {
	const char *v[ARGS_MAX + 1];
	unsigned n;
};

static void add(struct args *a, const char *arg)
{
	if (a->n < ARGS_MAX)
		a->v[a->n++] = arg;
	a->v[a->n] = NULL;
}

static void add_all(struct args *a, const char *const *more)
{
	for (; more && *more; more++)
		add(a, *more);
}

static _Noreturn void give_up(const char *what, const char *dir)
{
	fprintf(stderr, "# %s did not start (see %s)\n", what, dir);
	abort();
}

uint16_t server_free_port(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 ||
		getsockname(fd, (struct sockaddr *)&a, &len) != 0)
		give_up("a socket", "-");
	close(fd);
	return ntohs(a.sin_port);
}

static bool can_connect(const struct server *s)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	bool tcp = s->port != 0;
	int fd = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int rc;

	if (fd < 0)
		return false;
	if (tcp) {
		in.sin_port = htons(s->port);
		rc = connect(fd, (struct sockaddr *)&in, sizeof(in));
	} else {
		memcpy(un.sun_path, s->socket, strlen(s->socket) + 1);
		rc = connect(fd, (struct sockaddr *)&un, sizeof(un));
	}
	close(fd);
	return rc == 0;
}

static pid_t spawn(const char *path, const struct args *a, const char *dir)
{
	pid_t parent = getpid(), pid = fork();
	char log[80];

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	snprintf(log, sizeof(log), "%s/log", dir);
	if (!freopen("/dev/null", "r", stdin) || !freopen(log, "a", stdout) ||
		dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
		_exit(126);
	execv(path, (char *const *)(uintptr_t)a->v);
	_exit(127);
}

/* Starts the program and waits until it accepts connections. */
static void start(struct server *s, const char *path, const struct args *a)
{
	struct timespec step = {.tv_nsec = START_STEP_NS};

	s->pid = spawn(path, a, s->dir);
	if (s->pid < 0)
		give_up(path, s->dir);
	for (unsigned i = 0; i < START_TRIES; i++) {
		if (can_connect(s))
			return;
		if (waitpid(s->pid, NULL, WNOHANG) == s->pid)
			break;
		nanosleep(&step, NULL);
	}
	give_up(path, s->dir);
}

static struct server *make(void)
{
	struct server *s = calloc(1, sizeof(*s));

	if (!s)
		give_up("memory", "-");
	snprintf(s->dir, sizeof(s->dir), "/tmp/hotset-test-XXXXXX");
	if (!mkdtemp(s->dir))
		give_up("a temporary directory", s->dir);
	snprintf(s->socket, sizeof(s->socket), "%s/s", s->dir);
	return s;
}

static const char *first_executable(const char *const *paths)
{
	for (; *paths; paths++)
		if (access(*paths, X_OK) == 0)
			return *paths;
	return NULL;
}

static const char *in_build(char *buf, size_t cap, const char *name)
{
	const char *b = getenv("HOTSET_BUILD");

	snprintf(buf, cap, "%s/%s", b && *b ? b : "build", name);
	return buf;
}

struct server *server_redis(const char *const *extra_args)
{
	/* Debian's redis-check-rdb is the server's own binary, which looks at argv[0]. */
	static const char *const paths[] = {"/usr/bin/redis-server", "/usr/local/bin/redis-server",
		"/usr/bin/valkey-server", "/usr/bin/redis-check-rdb", NULL};
	const char *path = first_executable(paths);
	struct args a = {.n = 0};
	struct server *s;
	char port[8];

	if (!path)
		return NULL;
	s = make();
	s->port = server_free_port();
	snprintf(port, sizeof(port), "%u", s->port);
	snprintf(s->uri, sizeof(s->uri), "redis://127.0.0.1:%u", s->port);
	snprintf(s->unix_uri, sizeof(s->unix_uri), "redis+unix://%s", s->socket);
	add_all(&a, (const char *const[]){"redis-server", "--port", port, "--bind", "127.0.0.1",
			    "--unixsocket", s->socket, "--dir", s->dir, "--save", "",
			    "--appendonly", "no", NULL});
	add_all(&a, extra_args);
	start(s, path, &a);
	return s;
}

static const char *memcached_path(char *buf, size_t cap)
{
	const char *const paths[] = {"/usr/bin/memcached", "/usr/local/bin/memcached",
		in_build(buf, cap, "deps/usr/bin/memcached"), "build/deps/usr/bin/memcached", NULL};

	return first_executable(paths);
}

static void add_user(struct args *a)
{
	if (geteuid() == 0)
		add_all(a, (const char *const[]){"-u", "root", NULL});
}

struct server *server_memcached(const char *const *extra_args)
{
	char buf[256], port[8];
	const char *path = memcached_path(buf, sizeof(buf));
	struct args a = {.n = 0};
	struct server *s;

	if (!path)
		return NULL;
	s = make();
	s->port = server_free_port();
	snprintf(port, sizeof(port), "%u", s->port);
	snprintf(s->uri, sizeof(s->uri), "memcached://127.0.0.1:%u", s->port);
	add_all(&a,
		(const char *const[]){"memcached", "-l", "127.0.0.1", "-p", port, "-U", "0", NULL});
	add_user(&a);
	add_all(&a, extra_args);
	start(s, path, &a);
	return s;
}

struct server *server_memcached_unix(void)
{
	char buf[256];
	const char *path = memcached_path(buf, sizeof(buf));
	struct args a = {.n = 0};
	struct server *s;

	if (!path)
		return NULL;
	s = make();
	snprintf(s->uri, sizeof(s->uri), "memcached+unix://%s", s->socket);
	snprintf(s->unix_uri, sizeof(s->unix_uri), "%s", s->uri);
	add_all(&a, (const char *const[]){"memcached", "-s", s->socket, NULL});
	add_user(&a);
	start(s, path, &a);
	return s;
}

struct server *server_node_exporter(const char *const *extra_args)
{
	char buf[256], address[64];
	const char *const paths[] = {"/usr/bin/prometheus-node-exporter",
		in_build(buf, sizeof(buf), "deps/usr/bin/prometheus-node-exporter"),
		"build/deps/usr/bin/prometheus-node-exporter", NULL};
	const char *path = first_executable(paths);
	struct args a = {.n = 0};
	struct server *s;

	if (!path)
		return NULL;
	s = make();
	s->port = server_free_port();
	snprintf(address, sizeof(address), "--web.listen-address=127.0.0.1:%u", s->port);
	snprintf(s->uri, sizeof(s->uri), "http://127.0.0.1:%u/metrics", s->port);
	add_all(&a, (const char *const[]){"prometheus-node-exporter", address, NULL});
	add_all(&a, extra_args);
	start(s, path, &a);
	return s;
}

struct server *server_wtnode(const char *const *extra_args)
{
	char path[256], port[8], data[80];
	struct args a = {.n = 0};
	struct server *s;

	if (access(in_build(path, sizeof(path), "wtnode"), X_OK) != 0)
		return NULL;
	s = make();
	s->port = server_free_port();
	snprintf(port, sizeof(port), "%u", s->port);
	snprintf(data, sizeof(data), "%s/db", s->dir);
	snprintf(s->uri, sizeof(s->uri), "mongodb://127.0.0.1:%u", s->port);
	add_all(&a, (const char *const[]){"wtnode", "--dbpath", data, "--port", port, NULL});
	add_all(&a, extra_args);
	start(s, path, &a);
	return s;
}

struct server *server_mongod(const char *const *extra_args)
{
	const char *path = getenv("MONGOD");
	struct args a = {.n = 0};
	char port[8], data[80];
	struct server *s;

	if (!path || !*path)
		return NULL;
	s = make();
	s->port = server_free_port();
	snprintf(port, sizeof(port), "%u", s->port);
	snprintf(data, sizeof(data), "%s/db", s->dir);
	snprintf(s->uri, sizeof(s->uri), "mongodb://127.0.0.1:%u", s->port);
	if (mkdir(data, 0700) != 0)
		give_up("a directory", data);
	add_all(&a, (const char *const[]){"mongod", "--dbpath", data, "--port", port, "--bind_ip",
			    "127.0.0.1", "--wiredTigerCacheSizeGB", "0.25", NULL});
	add_all(&a, extra_args);
	start(s, path, &a);
	return s;
}

const char *server_uri(const struct server *s)
{
	return s->uri;
}

const char *server_unix_uri(const struct server *s)
{
	return s->unix_uri;
}

const char *server_dir(const struct server *s)
{
	return s->dir;
}

uint16_t server_port(const struct server *s)
{
	return s->port;
}

pid_t server_pid(const struct server *s)
{
	return s->pid;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	(void)remove(path);
	return 0;
}

void server_stop(struct server *s)
{
	if (!s)
		return;
	kill(s->pid, SIGCONT);
	kill(s->pid, SIGKILL);
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
	nftw(s->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	free(s);
}
