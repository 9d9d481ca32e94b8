#include "fake_dns.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#define PACKET_MAX 512
#define NAME_LEN   256

/* ---- namespaces ---- */

static bool raise_loopback(void)
{
	struct ifreq r = {.ifr_flags = IFF_UP | IFF_RUNNING};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(r.ifr_name, "lo", 3);
	bool ok = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &r) == 0;
	if (fd >= 0)
		close(fd);
	return ok;
}

bool fake_dns_enter(const char *dir)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/resolv.conf", dir);
	f = fopen(path, "we");
	if (!f)
		return false;
	fputs("nameserver 127.0.0.1\n", f);
	if (fclose(f) != 0 || unshare(CLONE_NEWNS | CLONE_NEWNET) != 0)
		return false;
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		mount(path, "/etc/resolv.conf", NULL, MS_BIND, NULL) == 0 && raise_loopback())
		return true;
	perror("the namespaces are there, but no name server can be set up in them");
	exit(1);
}

/* ---- messages ---- */

struct packet {
	uint8_t b[PACKET_MAX];
	size_t len;
};

static void put16(struct packet *p, unsigned v)
{
	if (p->len + 2 > sizeof(p->b))
		abort();
	p->b[p->len++] = (uint8_t)(v >> 8);
	p->b[p->len++] = (uint8_t)v;
}

static void put_bytes(struct packet *p, const void *data, size_t len)
{
	if (p->len + len > sizeof(p->b))
		abort();
	memcpy(p->b + p->len, data, len);
	p->len += len;
}

static void put_string(struct packet *p, const char *s, size_t len)
{
	uint8_t n = (uint8_t)len;

	put_bytes(p, &n, 1);
	put_bytes(p, s, len);
}

static void put_name(struct packet *p, const char *name)
{
	while (*name) {
		size_t len = strcspn(name, ".");

		put_string(p, name, len);
		name += len + (name[len] == '.');
	}
	put_bytes(p, "", 1);
}

/* The question's name with dots; returns the length of the question, 0 if it makes no sense. */
static size_t read_question(const uint8_t *q, size_t len, char name[NAME_LEN], unsigned *type)
{
	size_t at = 0, out = 0;

	while (at < len && q[at] != 0) {
		size_t n = q[at++];

		if (n > 63 || at + n >= len || out + n + 2 > NAME_LEN)
			return 0;
		if (out > 0)
			name[out++] = '.';
		memcpy(name + out, q + at, n);
		out += n;
		at += n;
	}
	name[out] = '\0';
	if (at + 5 > len)
		return 0;
	*type = (unsigned)q[at + 1] << 8 | q[at + 2];
	return at + 5;
}

static void put_record(struct packet *p, const struct dns_record *r)
{
	size_t at;
	struct in_addr address;

	put16(p, 0xc00c); /* the name of the question */
	put16(p, r->type);
	put16(p, 1); /* internet */
	put16(p, 0), put16(p, 60);
	at = p->len;
	put16(p, 0);
	if (r->type == DNS_A) {
		if (inet_pton(AF_INET, r->data, &address) != 1)
			abort();
		put_bytes(p, &address, sizeof(address));
	} else if (r->type == DNS_TXT) {
		put_string(p, r->data, strlen(r->data));
	} else {
		put16(p, 0), put16(p, 0), put16(p, r->port);
		put_name(p, r->data);
	}
	p->b[at] = (uint8_t)((p->len - at - 2) >> 8);
	p->b[at + 1] = (uint8_t)(p->len - at - 2);
}

static bool answers(const struct dns_record *r, const char *name, unsigned type)
{
	return r->type == type && strcasecmp(r->name, name) == 0;
}

static void answer(const struct fake_dns *d, const uint8_t *query, size_t len, struct packet *out)
{
	char name[NAME_LEN];
	unsigned type = 0, found = 0, known = 0;
	size_t question = len > 12 ? read_question(query + 12, len - 12, name, &type) : 0;

	out->len = 0;
	if (question == 0)
		return;
	for (unsigned i = 0; i < d->count; i++) {
		found += answers(&d->records[i], name, type);
		known += strcasecmp(d->records[i].name, name) == 0;
	}
	put_bytes(out, query, 2);
	put16(out, known > 0 ? 0x8580 : 0x8583); /* an authority's answer, or no such name */
	put16(out, 1), put16(out, found), put16(out, 0), put16(out, 0);
	put_bytes(out, query + 12, question);
	for (unsigned i = 0; i < d->count; i++)
		if (answers(&d->records[i], name, type))
			put_record(out, &d->records[i]);
}

/* ---- the server ---- */

static void *serve(void *arg)
{
	struct fake_dns *d = arg;
	uint8_t query[PACKET_MAX];
	struct sockaddr_in from;
	struct packet out;

	for (;;) {
		socklen_t size = sizeof(from);
		ssize_t n =
			recvfrom(d->fd, query, sizeof(query), 0, (struct sockaddr *)&from, &size);

		if (n <= 0)
			return NULL;
		atomic_fetch_add(&d->asked, 1);
		if (d->silent)
			continue;
		answer(d, query, (size_t)n, &out);
		if (out.len > 0)
			(void)sendto(d->fd, out.b, out.len, 0, (struct sockaddr *)&from, size);
	}
}

void fake_dns_start(struct fake_dns *d)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(53)};
	pthread_t *thread = malloc(sizeof(*thread));

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	d->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	d->thread = thread;
	if (!thread || d->fd < 0 || bind(d->fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
		pthread_create(thread, NULL, serve, d) != 0) {
		perror("fake name server");
		exit(1);
	}
}

void fake_dns_stop(struct fake_dns *d)
{
	shutdown(d->fd, SHUT_RDWR);
	pthread_join(*(pthread_t *)d->thread, NULL);
	free(d->thread);
	close(d->fd);
}
