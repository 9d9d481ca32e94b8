#include "server.h"

#include "commands.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG     256
#define STACK_BYTES (1024 * 1024) /* of a connection's thread */
#define FULL_MS     50            /* pause when the process has no descriptor left */

/* The sockets of the running connections, to end them at a stop. */
struct server {
	struct node *node;
	pthread_mutex_t lock;
	pthread_cond_t idle; /* running became 0 */
	unsigned running;
	int fds[OPS_SLOTS]; /* by slot, -1 = none */
};

struct client {
	struct server *server;
	struct conn conn;
};

int server_bind(uint16_t port, uint16_t *bound, struct fail *fail)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(port)};
	socklen_t len = sizeof(addr);
	int one = 1;

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) != 0 ||
		bind(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0 ||
		getsockname(fd, (struct sockaddr *)&addr, &len) != 0) {
		fail_set(fail, FAIL_INTERNAL, "cannot use port %u: %s", port, strerror(errno));
		if (fd >= 0) {
			close(fd);
		}
		return -1;
	}
	*bound = ntohs(addr.sin_port);
	return fd;
}

bool server_listen(int listener, struct fail *fail)
{
	if (listen(listener, BACKLOG) != 0) {
		return fail_set(fail, FAIL_INTERNAL, "cannot listen: %s", strerror(errno));
	}
	return true;
}

/* Answers the message in the buffer; false ends the connection. */
static bool serve_message(struct conn *conn, const struct wire_buffer *buf)
{
	struct request req;
	struct fail fail;
	bson_t out;

	ops_count(&conn->node->ops, OPS_REQUESTS, 1);
	ops_count(&conn->node->ops, OPS_BYTES_IN, (int64_t)buf->len);
	bool sound = wire_parse(buf, &req, &fail);
	bson_init(&out);
	if (sound) {
		commands_run(conn, &req, &out);
	} else {
		commands_append_fail(&out, &fail);
	}
	bool sent = true;
	if (req.reply_wanted) {
		sent = wire_reply(conn->fd, &req, &out);
		ops_count(&conn->node->ops, OPS_BYTES_OUT, out.len);
	}
	bson_destroy(&out);
	if (conn->end_node) {
		eventfd_write(conn->node->stop_fd, 1);
	}
	return sound && sent;
}

static void *client_main(void *arg)
{
	struct client *client = arg;
	struct conn *conn = &client->conn;
	struct server *server = client->server;
	struct wire_buffer buf = {0};

	while (!atomic_load(&conn->node->stopping) && wire_receive(conn->fd, &buf) &&
		serve_message(conn, &buf)) {
		wire_buffer_trim(&buf);
	}
	wire_buffer_finish(&buf);
	if (conn->session != NULL) {
		conn->session->close(conn->session, NULL);
	}
	pthread_mutex_lock(&server->lock);
	server->fds[conn->slot] = -1;
	close(conn->fd);
	ops_disconnect(&conn->node->ops, conn->op);
	server->running--;
	pthread_cond_signal(&server->idle);
	pthread_mutex_unlock(&server->lock);
	free(client);
	return NULL;
}

/* Starts the thread of a connection and hands it the client; false leaves all to the caller. */
static bool start_thread(struct client *client)
{
	struct server *server = client->server;
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_mutex_lock(&server->lock);
	bool ok = pthread_create(&thread, &attr, client_main, client) == 0;
	if (ok) {
		server->fds[client->conn.slot] = client->conn.fd;
		server->running++;
	}
	pthread_mutex_unlock(&server->lock);
	pthread_attr_destroy(&attr);
	return ok;
}

static void take_client(struct server *server, int fd, const struct sockaddr_in *addr)
{
	struct client *client = calloc(1, sizeof(*client));
	struct op_slot *op = NULL;
	char ip[INET_ADDRSTRLEN] = "", name[64];
	int one = 1;

	inet_ntop(AF_INET, &addr->sin_addr, ip, sizeof(ip));
	snprintf(name, sizeof(name), "%s:%u", ip, ntohs(addr->sin_port));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (client != NULL) {
		op = ops_connect(&server->node->ops, name);
	}
	if (op != NULL) {
		client->server = server;
		client->conn = (struct conn){.node = server->node,
			.fd = fd,
			.op = op,
			.slot = (unsigned)(op - server->node->ops.slots)};
		if (start_thread(client)) {
			return;
		}
		ops_disconnect(&server->node->ops, op);
	}
	free(client);
	close(fd);
}

static void accept_clients(struct server *server, int listener)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	int fd;

	while ((fd = accept4(listener, (struct sockaddr *)&addr, &len, SOCK_CLOEXEC)) >= 0) {
		take_client(server, fd, &addr);
		len = sizeof(addr);
	}
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
		poll(NULL, 0, FULL_MS);
	}
}

/* Ends every connection and waits until their threads are gone. */
static void end_clients(struct server *server)
{
	pthread_mutex_lock(&server->lock);
	for (int i = 0; i < OPS_SLOTS; i++) {
		if (server->fds[i] >= 0) {
			shutdown(server->fds[i], SHUT_RDWR);
		}
	}
	while (server->running > 0) {
		pthread_cond_wait(&server->idle, &server->lock);
	}
	pthread_mutex_unlock(&server->lock);
}

void server_run(struct node *node, int listener, int signal_fd)
{
	struct server server = {.node = node};
	struct pollfd polled[] = {{.fd = listener, .events = POLLIN},
		{.fd = signal_fd, .events = POLLIN}, {.fd = node->stop_fd, .events = POLLIN}};

	pthread_mutex_init(&server.lock, NULL);
	pthread_cond_init(&server.idle, NULL);
	for (int i = 0; i < OPS_SLOTS; i++) {
		server.fds[i] = -1;
	}
	while (polled[1].revents == 0 && polled[2].revents == 0) {
		if (poll(polled, 3, -1) < 0 && errno != EINTR) {
			break;
		}
		if (polled[0].revents != 0) {
			accept_clients(&server, listener);
		}
	}
	atomic_store(&node->stopping, true);
	txns_stop(&node->txns);
	end_clients(&server);
	txns_close(&node->txns);
	pthread_cond_destroy(&server.idle);
	pthread_mutex_destroy(&server.lock);
}
