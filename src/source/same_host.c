#include "same_host.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procfile.h"

#define TABLE_MAX     (4u << 20) /* bytes of /proc/net/tcp: some 25,000 sockets */
#define STATUS_MAX    8192       /* bytes of /proc/PID/status */
#define ADDRESSES_MAX 16
#define HEX_MAX       33         /* an IPv6 address and NUL */
#define LISTEN        0x0Au      /* the state in /proc/net/tcp */

/* ---- which addresses ---- */

struct addresses {
	char hex[ADDRESSES_MAX][HEX_MAX];
	const char *list[ADDRESSES_MAX + 1];
	unsigned n;
};

/* As the kernel prints it: the words of the address in the byte order of this machine. */
static void add_words(struct addresses *a, const void *address, unsigned words)
{
	const unsigned char *p = address;
	size_t at = 0;

	if (a->n == ADDRESSES_MAX)
		return;
	for (unsigned i = 0; i < words; i++, at += 8) {
		uint32_t word;

		memcpy(&word, p + (size_t)i * 4, sizeof(word));
		snprintf(a->hex[a->n] + at, HEX_MAX - at, "%08X", word);
	}
	a->list[a->n] = a->hex[a->n];
	a->n++;
	a->list[a->n] = NULL;
}

/* An IPv4 address may also be listened on by a socket of IPv6, as a mapped one. */
static void add_address(struct addresses *a, const struct sockaddr *sa)
{
	if (sa->sa_family == AF_INET) {
		struct sockaddr_in in;
		struct in6_addr mapped = {.s6_addr = {[10] = 0xff, [11] = 0xff}};

		memcpy(&in, sa, sizeof(in));
		memcpy(mapped.s6_addr + 12, &in.sin_addr, 4);
		add_words(a, &in.sin_addr, 1);
		add_words(a, &mapped, 4);
	} else if (sa->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;

		memcpy(&in6, sa, sizeof(in6));
		add_words(a, &in6.sin6_addr, 4);
	}
}

static bool is_same_address(const struct sockaddr *a, const struct sockaddr *b)
{
	struct sockaddr_in in[2];
	struct sockaddr_in6 in6[2];

	if (!a || a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET) {
		memcpy(&in[0], a, sizeof(in[0]));
		memcpy(&in[1], b, sizeof(in[1]));
		return in[0].sin_addr.s_addr == in[1].sin_addr.s_addr;
	}
	if (a->sa_family != AF_INET6)
		return false;
	memcpy(&in6[0], a, sizeof(in6[0]));
	memcpy(&in6[1], b, sizeof(in6[1]));
	return memcmp(&in6[0].sin6_addr, &in6[1].sin6_addr, sizeof(struct in6_addr)) == 0;
}

/* The whole of 127.0.0.0/8 is this host, though only 127.0.0.1 stands at an interface. */
static bool is_loopback(const struct sockaddr *sa)
{
	struct sockaddr_in in;

	if (sa->sa_family != AF_INET)
		return false;
	memcpy(&in, sa, sizeof(in));
	return ntohl(in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

static bool is_local(const struct sockaddr *sa, const struct ifaddrs *all)
{
	for (; all; all = all->ifa_next)
		if (is_same_address(all->ifa_addr, sa))
			return true;
	return is_loopback(sa);
}

/* What of the name's addresses is this host's, and "any", which covers all of them. */
static void find_addresses(const char *host, struct addresses *a)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
	struct sockaddr_in any = {.sin_family = AF_INET};
	struct sockaddr_in6 any6 = {.sin6_family = AF_INET6};
	struct ifaddrs *all = NULL;

	*a = (struct addresses){.n = 0};
	if (getaddrinfo(host, NULL, &hints, &found) != 0)
		return;
	if (getifaddrs(&all) != 0)
		all = NULL;
	for (const struct addrinfo *i = found; i; i = i->ai_next)
		if (is_local(i->ai_addr, all))
			add_address(a, i->ai_addr);
	if (a->n) {
		add_address(a, (const struct sockaddr *)&any);
		add_address(a, (const struct sockaddr *)&any6);
	}
	freeifaddrs(all);
	freeaddrinfo(found);
}

/* ---- who listens ---- */

static bool is_listed(const char *const *list, const char *text, size_t len)
{
	for (; *list; list++)
		if (strlen(*list) == len && strncmp(*list, text, len) == 0)
			return true;
	return false;
}

unsigned same_host_listeners(const char *text, const char *const *addresses, uint16_t port,
	uint64_t inodes[SAME_HOST_INODES], unsigned n)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char address[HEX_MAX];
		unsigned local_port, state;
		unsigned long long inode;

		/* "sl local rem st tx:rx tr:when retransmits uid timeout inode ..." */
		if (sscanf(line,
			    " %*u: %32[0-9A-F]:%4X %*[0-9A-F]:%*4X %2X %*s %*s %*s %*u %*u %llu",
			    address, &local_port, &state, &inode) != 4)
			continue;
		if (state == LISTEN && local_port == port && inode && n < SAME_HOST_INODES &&
			is_listed(addresses, address, strlen(address)))
			inodes[n++] = inode;
	}
	return n;
}

static unsigned find_listeners(
	const struct addresses *a, uint16_t port, uint64_t inodes[SAME_HOST_INODES])
{
	static const char *const tables[] = {"/proc/net/tcp", "/proc/net/tcp6"};
	char *text = malloc(TABLE_MAX);
	struct err err;
	unsigned n = 0;
	size_t len;

	for (unsigned i = 0; text && i < 2; i++)
		if (procfile_read("", tables[i], text, TABLE_MAX, &len, &err))
			n = same_host_listeners(text, a->list, port, inodes, n);
	free(text);
	return n;
}

/* ---- whose socket it is ---- */

uint64_t same_host_inner_pid(const char *status)
{
	const char *line = strstr(status, "\nNSpid:");
	unsigned long long pid = 0;

	if (!line) /* kernels before 4.1: no namespaces to tell apart */
		line = strstr(status, "\nPid:");
	if (!line)
		return 0;
	line = strchr(line, ':') + 1;
	for (char *end; *line != '\n' && *line; line = end) {
		unsigned long long v = strtoull(line, &end, 10);

		if (end == line)
			break;
		pid = v;
	}
	return pid;
}

static bool has_inner_pid(const char *pid, uint64_t server_pid)
{
	char path[64], status[STATUS_MAX];
	struct err err;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%.20s/status", pid);
	return procfile_read("", path, status, sizeof(status), &len, &err) &&
	       same_host_inner_pid(status) == server_pid;
}

static bool is_socket(int dir, const char *name, const uint64_t *inodes, unsigned n)
{
	char link[64];
	unsigned long long inode;
	ssize_t len = readlinkat(dir, name, link, sizeof(link) - 1);

	if (len <= 0)
		return false;
	link[len] = '\0';
	if (sscanf(link, "socket:[%llu]", &inode) != 1)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (inodes[i] == inode)
			return true;
	return false;
}

/* Whether one of the sockets is among the process' files; *denied: its files may not be seen. */
static bool holds_socket(const char *pid, const uint64_t *inodes, unsigned n, bool *denied)
{
	struct dirent *entry;
	bool found = false;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	dir = opendir(path);
	*denied = !dir && errno == EACCES;
	while (dir && !found && (entry = readdir(dir)))
		found = is_socket(dirfd(dir), entry->d_name, inodes, n);
	if (dir)
		closedir(dir);
	return found;
}

/* Only processes that could be the server are looked into: the others' files are not our matter. */
static enum reason find_owner(
	const uint64_t *inodes, unsigned n, uint64_t server_pid, pid_t *out)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool any_denied = false;
	unsigned owners = 0;

	while (proc && (entry = readdir(proc))) {
		bool denied;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
			!has_inner_pid(entry->d_name, server_pid))
			continue;
		if (holds_socket(entry->d_name, inodes, n, &denied)) {
			*out = (pid_t)strtol(entry->d_name, NULL, 10);
			owners++;
		}
		any_denied = any_denied || denied;
	}
	if (proc)
		closedir(proc);
	if (owners == 1)
		return REASON_OK;
	return any_denied && owners == 0 ? REASON_NO_PERMISSION : REASON_NOT_SAME_HOST;
}

enum reason same_host_prove(const char *host, uint16_t port, uint64_t server_pid, pid_t *pid)
{
	uint64_t inodes[SAME_HOST_INODES];
	struct addresses a;
	unsigned n;

	if (!server_pid)
		return REASON_NOT_SAME_HOST;
	find_addresses(host, &a);
	n = a.n ? find_listeners(&a, port, inodes) : 0;
	return n ? find_owner(inodes, n, server_pid, pid) : REASON_NOT_SAME_HOST;
}
