/*
 * Servers that misbehave: a listener on a free port of 127.0.0.1 and a thread for each connection,
 * which runs the function that the test gives. All waiting ends when the fake is stopped.
 */
#ifndef HOTSET_TEST_FAKE_H
#define HOTSET_TEST_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fake;

/* How a connection's bytes go, where not plainly: see fake_tls.h. */
struct fake_io {
	bool (*read)(void *ctx, void *buf, size_t len);
	bool (*write)(void *ctx, const void *data, size_t len);
};

struct fake_conn {
	struct fake *fake;
	int fd;
	unsigned number; /* 0 for the first connection */
	const void *arg;
	const struct fake_io *io; /* NULL: plain */
	void *io_ctx;
};

/* Serves one connection, which is closed when it returns. */
typedef void fake_fn(struct fake_conn *c);

struct fake *fake_start(fake_fn *serve, const void *arg);
void fake_stop(struct fake *f);
uint16_t fake_port(const struct fake *f);
/* "redis://127.0.0.1:PORT" and so on; with "user:password@" where userinfo is not NULL. */
const char *fake_uri(struct fake *f, const char *scheme, const char *userinfo);
unsigned fake_accepted(struct fake *f);  /* connections so far */
unsigned fake_open_most(struct fake *f); /* the most that were open at once */

/* A port where a connection is neither accepted nor refused: its queue is full. */
struct blackhole;
struct blackhole *blackhole_start(void); /* NULL where the system answers all the same */
void blackhole_stop(struct blackhole *b);
uint16_t blackhole_port(const struct blackhole *b);

/* ---- for the functions that serve ---- */
/* A line with its newline, NUL-terminated; false at the end of the connection. */
bool fake_read_line(struct fake_conn *c, char *buf, size_t cap);
bool fake_read(struct fake_conn *c, void *buf, size_t len);
/* The words of a RESP command, 0 at the end of the connection. */
#define FAKE_WORDS    8
#define FAKE_WORD_MAX 128
unsigned fake_read_command(struct fake_conn *c, char words[FAKE_WORDS][FAKE_WORD_MAX]);
bool fake_send(struct fake_conn *c, const void *data, size_t len);
bool fake_puts(struct fake_conn *c, const char *text);
void fake_send_bulk(struct fake_conn *c, const char *text); /* "$LEN\r\n...\r\n" */
/* `step` bytes every `pause_ms`, until the peer or the test has had enough. */
void fake_drip(struct fake_conn *c, const void *data, size_t len, size_t step, int pause_ms);
void fake_pause(struct fake_conn *c, int ms);
void fake_hold(struct fake_conn *c);  /* silent until the peer closes */
void fake_reset(struct fake_conn *c); /* the connection ends with RST instead of FIN */

#endif
