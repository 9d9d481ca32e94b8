/*
 * What the live screen costs: beside htop on a terminal of the same size in the same run, with four
 * endpoints under load; its first frame and its keys while servers hang; and a fleet of 250.
 */
#include <hotset/clock.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "fake.h"
#include "pty.h"
#include "support.h"

#define WARM_S    8
#define MEASURE_S 20
#define FLEET     250
#define KEYS      20

static char program[512];

static double now_s(void)
{
	return (double)clock_mono_ns() / (double)NS_PER_SEC;
}

/* ---- beside htop ----------------------------------------------------------------------------- */

struct cost {
	double cpu, bytes;
};

static void measure_two(pid_t ours, struct pty *screen, pid_t other, struct pty *reference,
	struct cost cost[2])
{
	struct pty *both[] = {screen, reference};
	int n = reference ? 2 : 1;
	double begin = now_s(), cpu[] = {process_cpu(ours), other ? process_cpu(other) : 0};
	uint64_t bytes[] = {screen->bytes, reference ? reference->bytes : 0};
	double seconds;

	pty_drain(both, n, MEASURE_S);
	seconds = now_s() - begin;
	cost[0] = (struct cost){(process_cpu(ours) - cpu[0]) / seconds,
		(double)(screen->bytes - bytes[0]) / seconds};
	if (reference) {
		cost[1] = (struct cost){(process_cpu(other) - cpu[1]) / seconds,
			(double)(reference->bytes - bytes[1]) / seconds};
	}
}

static void bench_beside_htop(void)
{
	const char *demo[] = {program, "lab", "demo", NULL}, *htop[] = {"htop", "-d", "10", NULL};
	struct pty screen, reference;
	struct pty *both[] = {&screen, &reference};
	struct cost cost[2];
	bool has_htop = system("command -v htop >/dev/null") == 0;
	pid_t ours;

	if (!pty_start(&screen, demo) || pty_await(&screen, "overview", 30) < 0 ||
		(ours = process_child_with(screen.pid, "proc:")) == 0) {
		fprintf(stderr, "the demo did not start\n");
		return;
	}
	if (has_htop && !pty_start(&reference, htop)) {
		has_htop = false;
	}
	pty_drain(both, has_htop ? 2 : 1, WARM_S);
	measure_two(
		ours, &screen, has_htop ? reference.pid : 0, has_htop ? &reference : NULL, cost);
	bench_report("cpu, four endpoints", cost[0].cpu * 100, "% of a core", 0);
	bench_report("terminal, four endpoints", cost[0].bytes / 1000, "kB/s", 3);
	bench_report("memory, four endpoints", process_resident(ours) / 1048576, "MiB", 20);
	if (has_htop) {
		bench_report("htop: cpu", cost[1].cpu * 100, "% of a core", 0);
		bench_report("htop: terminal", cost[1].bytes / 1000, "kB/s", 0);
		bench_report("htop: memory", process_resident(reference.pid) / 1048576, "MiB", 0);
		bench_report("cpu against htop",
			cost[0].cpu / (cost[1].cpu > 0 ? cost[1].cpu : 1e-3), "times", 1);
		pty_end(&reference);
	} else {
		fprintf(stderr, "no htop to compare with: run contrib/setup bench\n");
	}
	pty_end(&screen);
}

/* ---- servers that hang ----------------------------------------------------------------------- */

/* Takes connections and never says a word. */
static int start_silent(uint16_t *port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(sin);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&sin, len) != 0 || listen(fd, 64) != 0 ||
		getsockname(fd, (struct sockaddr *)&sin, &len) != 0) {
		return -1;
	}
	*port = ntohs(sin.sin_port);
	return fd;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void bench_keys(struct pty *p)
{
	double took[KEYS];

	for (int i = 0; i < KEYS; i++) {
		struct pty *one[] = {p};

		pty_drain(one, 1, 0.13); /* not in step with the refresh */
		took[i] = pty_key(p, '?', 2);
		if (took[i] < 0) {
			fprintf(stderr, "a key had no effect within 2 s\n");
			return;
		}
	}
	qsort(took, KEYS, sizeof(took[0]), by_size);
	bench_report("key while servers hang, median", took[KEYS / 2] * 1000, "ms", 50);
	bench_report("key while servers hang, worst", took[KEYS - 1] * 1000, "ms", 50);
}

static void bench_hung(void)
{
	char redis[64], memcached[64], mongodb[64];
	const char *argv[] = {program, redis, memcached, mongodb, NULL};
	uint16_t port = 0;
	int silent = start_silent(&port);
	struct pty p;
	struct pty *one[] = {&p};
	double first;

	snprintf(redis, sizeof(redis), "redis://127.0.0.1:%u", port);
	snprintf(memcached, sizeof(memcached), "memcached://127.0.0.1:%u", port);
	snprintf(mongodb, sizeof(mongodb), "mongodb://127.0.0.1:%u", port);
	if (silent < 0 || !pty_start(&p, argv)) {
		fprintf(stderr, "cannot start the screen on silent servers\n");
		return;
	}
	first = pty_await(&p, "overview", 10);
	bench_report("first frame, servers hang", first * 1000, "ms", 100);
	pty_drain(one, 1, 2);
	bench_keys(&p);
	pty_end(&p);
	close(silent);
}

/* ---- a fleet --------------------------------------------------------------------------------- */

/* A Redis that says the same each time. */
static void serve_info(struct fake_conn *c)
{
	char words[FAKE_WORDS][FAKE_WORD_MAX];

	while (fake_read_command(c, words) > 0) {
		if (strcasecmp(words[0], "INFO") == 0) {
			fake_send_bulk(c, c->arg);
		} else {
			fake_puts(c, "+OK\r\n");
		}
	}
}

static void measure_fleet(const char *const argv[])
{
	struct pty p;
	struct pty *one[] = {&p};
	double cpu, begin;

	if (!pty_start(&p, argv)) {
		fprintf(stderr, "cannot start the screen on a fleet\n");
		return;
	}
	pty_drain(one, 1, WARM_S);
	begin = now_s();
	cpu = process_cpu(p.pid);
	pty_drain(one, 1, MEASURE_S);
	bench_report("cpu, 250 endpoints", (process_cpu(p.pid) - cpu) / (now_s() - begin) * 100,
		"% of a core", 20);
	bench_report("memory, 250 endpoints", process_resident(p.pid) / 1048576, "MiB", 0);
	pty_end(&p);
}

static void bench_fleet(void)
{
	char *info = test_fixture("cases/A01.info", NULL);
	struct fake *fake[FLEET];
	const char *argv[FLEET + 2] = {program};

	for (int i = 0; i < FLEET; i++) {
		fake[i] = fake_start(serve_info, info);
		argv[i + 1] = fake_uri(fake[i], "redis", NULL);
	}
	measure_fleet(argv);
	for (int i = 0; i < FLEET; i++) {
		fake_stop(fake[i]);
	}
	free(info);
}

int main(void)
{
	snprintf(program, sizeof(program), "%s/hotset", test_build_dir());
	setenv("TERM", "xterm-256color", 1);
	bench_hung();
	bench_beside_htop();
	bench_fleet();
	return 0;
}
