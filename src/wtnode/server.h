/*
 * The sockets: a listener on the loopback address and one thread per connection.
 */
#ifndef WTNODE_SERVER_H
#define WTNODE_SERVER_H

#include "node.h"

/* Binds the port (0: a free one) without listening yet, and says which it is. -1 on failure. */
int server_bind(uint16_t port, uint16_t *bound, struct fail *fail);

bool server_listen(int listener, struct fail *fail);

/*
 * Serves until signal_fd or node->stop_fd is readable; then ends every connection and returns when
 * the last is gone. Connections beyond OPS_SLOTS are closed at once.
 */
void server_run(struct node *node, int listener, int signal_fd);

#endif
