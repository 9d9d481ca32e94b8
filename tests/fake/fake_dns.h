/*
 * A name server for the test program alone: in a network and a mount namespace of its own, where
 * port 53 of 127.0.0.1 is free and /etc/resolv.conf names it. Needs root, or what gives the right
 * to make such namespaces.
 */
#ifndef HOTSET_TEST_FAKE_DNS_H
#define HOTSET_TEST_FAKE_DNS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum dns_type { DNS_A = 1, DNS_TXT = 16, DNS_SRV = 33 };

struct dns_record {
	const char *name;
	enum dns_type type;
	const char *data; /* an address, a text, or the name of the host that serves */
	uint16_t port;    /* of SRV */
};

struct fake_dns {
	const struct dns_record *records;
	unsigned count;
	bool silent;       /* queries are read and not answered */
	atomic_uint asked; /* queries so far */
	int fd;
	void *thread;
};

/*
 * Before any thread exists: moves this process into the namespaces, with a resolv.conf in that
 * directory. False where this is not allowed; nothing has changed then.
 */
bool fake_dns_enter(const char *dir);
/* Answers from the records until it is stopped; may be started again with others. */
void fake_dns_start(struct fake_dns *d);
void fake_dns_stop(struct fake_dns *d);

#endif
