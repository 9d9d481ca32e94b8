#include "fake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNS_MAX 256

struct slot {
	struct fake_conn conn;
	fake_fn *serve;
	pthread_t thread;
};

struct fake {
	int listener, stop_fd;
	uint16_t port;
	fake_fn *serve;
	const void *arg;
	pthread_t thread;
	pthread_mutex_t lock;
	unsigned accepted, open, open_most;
	struct slot slots[CONNS_MAX];
	char uri[256];
};

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

static int listen_somewhere(uint16_t *port, int backlog)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	must(fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 &&
			listen(fd, backlog) == 0 &&
			getsockname(fd, (struct sockaddr *)&a, &len) == 0,
		"listener");
	*port = ntohs(a.sin_port);
	return fd;
}

/* Waits for a descriptor; false when the fake is being stopped or the time is over. */
static bool wait_on(const struct fake *f, int fd, short events, int timeout_ms)
{
	struct pollfd p[2] = {{.fd = fd, .events = events}, {.fd = f->stop_fd, .events = POLLIN}};
	int n;

	do
		n = poll(p, 2, timeout_ms);
	while (n < 0 && errno == EINTR);
	return n > 0 && !p[1].revents;
}

static void *run_conn(void *arg)
{
	struct slot *s = arg;
	struct fake *f = s->conn.fake;

	s->serve(&s->conn);
	close(s->conn.fd);
	pthread_mutex_lock(&f->lock);
	f->open--;
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

static void begin_conn(struct fake *f, int fd)
{
	struct slot *s;
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	pthread_mutex_lock(&f->lock);
	must(f->accepted < CONNS_MAX, "too many connections");
	s = &f->slots[f->accepted];
	s->conn = (struct fake_conn){.fake = f, .fd = fd, .number = f->accepted, .arg = f->arg};
	s->serve = f->serve;
	f->accepted++;
	if (++f->open > f->open_most)
		f->open_most = f->open;
	must(pthread_create(&s->thread, NULL, run_conn, s) == 0, "thread");
	pthread_mutex_unlock(&f->lock);
}

static void *run_listener(void *arg)
{
	struct fake *f = arg;

	while (wait_on(f, f->listener, POLLIN, -1)) {
		int fd = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC);

		if (fd >= 0)
			begin_conn(f, fd);
	}
	return NULL;
}

struct fake *fake_start(fake_fn *serve, const void *arg)
{
	struct fake *f = calloc(1, sizeof(*f));

	must(f != NULL, "memory");
	f->serve = serve;
	f->arg = arg;
	f->listener = listen_somewhere(&f->port, 64);
	f->stop_fd = eventfd(0, EFD_CLOEXEC);
	must(f->stop_fd >= 0, "eventfd");
	pthread_mutex_init(&f->lock, NULL);
	must(pthread_create(&f->thread, NULL, run_listener, f) == 0, "thread");
	return f;
}

void fake_stop(struct fake *f)
{
	uint64_t one = 1;

	must(write(f->stop_fd, &one, sizeof(one)) == sizeof(one), "eventfd");
	pthread_join(f->thread, NULL);
	for (unsigned i = 0; i < f->accepted; i++)
		pthread_join(f->slots[i].thread, NULL);
	close(f->listener);
	close(f->stop_fd);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

uint16_t fake_port(const struct fake *f)
{
	return f->port;
}

const char *fake_uri(struct fake *f, const char *scheme, const char *userinfo)
{
	snprintf(f->uri, sizeof(f->uri), "%s://%s%s127.0.0.1:%u", scheme, userinfo ? userinfo : "",
		userinfo ? "@" : "", f->port);
	return f->uri;
}

unsigned fake_accepted(struct fake *f)
{
	unsigned n;

	pthread_mutex_lock(&f->lock);
	n = f->accepted;
	pthread_mutex_unlock(&f->lock);
	return n;
}

unsigned fake_open_most(struct fake *f)
{
	unsigned n;

	pthread_mutex_lock(&f->lock);
	n = f->open_most;
	pthread_mutex_unlock(&f->lock);
	return n;
}

/* ---- a port that swallows ---- */

#define FILLERS 8

struct blackhole {
	int listener, fillers[FILLERS];
	uint16_t port;
};

static int connect_to(uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	must(fd >= 0, "socket");
	(void)!connect(fd, (struct sockaddr *)&a, sizeof(a));
	return fd;
}

struct blackhole *blackhole_start(void)
{
	struct blackhole *b = calloc(1, sizeof(*b));
	struct pollfd p;
	bool swallows;

	must(b != NULL, "memory");
	b->listener = listen_somewhere(&b->port, 0);
	for (unsigned i = 0; i < FILLERS; i++)
		b->fillers[i] = connect_to(b->port);
	p = (struct pollfd){.fd = connect_to(b->port), .events = POLLOUT};
	swallows = poll(&p, 1, 100) == 0;
	close(p.fd);
	if (swallows)
		return b;
	blackhole_stop(b);
	return NULL;
}

void blackhole_stop(struct blackhole *b)
{
	for (unsigned i = 0; i < FILLERS; i++)
		close(b->fillers[i]);
	close(b->listener);
	free(b);
}

uint16_t blackhole_port(const struct blackhole *b)
{
	return b->port;
}

/* ---- serving ---- */

bool fake_read(struct fake_conn *c, void *buf, size_t len)
{
	char *p = buf;

	if (c->io)
		return c->io->read(c->io_ctx, buf, len);
	while (len) {
		ssize_t n;

		if (!wait_on(c->fake, c->fd, POLLIN, -1))
			return false;
		n = recv(c->fd, p, len, 0);
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

bool fake_read_line(struct fake_conn *c, char *buf, size_t cap)
{
	size_t n = 0;

	while (n + 1 < cap && (n == 0 || buf[n - 1] != '\n')) {
		if (!fake_read(c, buf + n, 1))
			return false;
		n++;
	}
	buf[n] = '\0';
	return true;
}

unsigned fake_read_command(struct fake_conn *c, char words[FAKE_WORDS][FAKE_WORD_MAX])
{
	char line[64], crlf[2];
	unsigned n;

	if (!fake_read_line(c, line, sizeof(line)) || line[0] != '*')
		return 0;
	n = (unsigned)strtoul(line + 1, NULL, 10);
	for (unsigned i = 0; i < n; i++) {
		char word[FAKE_WORD_MAX] = "";
		size_t len;

		if (!fake_read_line(c, line, sizeof(line)) || line[0] != '$')
			return 0;
		len = strtoul(line + 1, NULL, 10);
		if (len >= sizeof(word) || !fake_read(c, word, len) || !fake_read(c, crlf, 2))
			return 0;
		if (i < FAKE_WORDS)
			memcpy(words[i], word, sizeof(word));
	}
	return n;
}

bool fake_send(struct fake_conn *c, const void *data, size_t len)
{
	const char *p = data;

	if (c->io)
		return c->io->write(c->io_ctx, data, len);
	while (len) {
		ssize_t n;

		if (!wait_on(c->fake, c->fd, POLLOUT, -1))
			return false;
		n = send(c->fd, p, len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN)
			return false;
		p += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

bool fake_puts(struct fake_conn *c, const char *text)
{
	return fake_send(c, text, strlen(text));
}

void fake_send_bulk(struct fake_conn *c, const char *text)
{
	char head[32];

	snprintf(head, sizeof(head), "$%zu\r\n", strlen(text));
	(void)(fake_puts(c, head) && fake_puts(c, text) && fake_puts(c, "\r\n"));
}

void fake_pause(struct fake_conn *c, int ms)
{
	struct pollfd stop = {.fd = c->fake->stop_fd, .events = POLLIN};

	poll(&stop, 1, ms);
}

static bool is_closed(struct fake_conn *c)
{
	char byte;

	return recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void fake_drip(struct fake_conn *c, const void *data, size_t len, size_t step, int pause_ms)
{
	const char *p = data;

	while (len && fake_send(c, p, step < len ? step : len)) {
		p += step < len ? step : len;
		len -= step < len ? step : len;
		fake_pause(c, pause_ms);
		if (is_closed(c))
			return;
	}
}

void fake_hold(struct fake_conn *c)
{
	char sink[256];

	while (wait_on(c->fake, c->fd, POLLIN, -1))
		if (recv(c->fd, sink, sizeof(sink), 0) <= 0)
			return;
}

void fake_reset(struct fake_conn *c)
{
	struct linger l = {.l_onoff = 1};

	setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
}
