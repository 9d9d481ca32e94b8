/*
 * A ring of pointers under a mutex. It cannot grow: a worker has at most one sample under way, and
 * there are at most ENDPOINTS_MAX workers. The eventfd is readable exactly while a sample waits,
 * since both change under the mutex.
 */
#include "hotset/worker.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "hotset/model.h"

struct mailbox {
	pthread_mutex_t lock;
	int fd;
	unsigned head, n;
	struct sample *ring[ENDPOINTS_MAX];
};

struct mailbox *mailbox_create(struct err *err)
{
	struct mailbox *b = calloc(1, sizeof(*b));

	if (!b) {
		err_set(err, ERR_SYSTEM, "no memory for the mailbox");
		return NULL;
	}
	b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->fd < 0) {
		err_sys(err, "cannot create an eventfd");
		free(b);
		return NULL;
	}
	pthread_mutex_init(&b->lock, NULL);
	return b;
}

void mailbox_destroy(struct mailbox *b)
{
	if (!b)
		return;
	for (unsigned i = 0; i < b->n; i++)
		sample_destroy(b->ring[(b->head + i) % ENDPOINTS_MAX]);
	close(b->fd);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

int mailbox_fd(const struct mailbox *b)
{
	return b->fd;
}

void mailbox_give(struct mailbox *b, struct sample *s_give)
{
	uint64_t one = 1;

	pthread_mutex_lock(&b->lock);
	if (b->n < ENDPOINTS_MAX) {
		b->ring[(b->head + b->n++) % ENDPOINTS_MAX] = s_give;
		s_give = NULL;
		if (b->n == 1)
			(void)!write(b->fd, &one, sizeof(one));
	}
	pthread_mutex_unlock(&b->lock);
	sample_destroy(s_give);
}

struct sample *mailbox_take(struct mailbox *b)
{
	struct sample *s = NULL;
	uint64_t count;

	pthread_mutex_lock(&b->lock);
	if (b->n) {
		s = b->ring[b->head];
		b->head = (b->head + 1) % ENDPOINTS_MAX;
		if (--b->n == 0)
			(void)!read(b->fd, &count, sizeof(count));
	}
	pthread_mutex_unlock(&b->lock);
	return s;
}
