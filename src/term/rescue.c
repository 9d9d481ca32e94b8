/*
 * A signal handler can reach static data only, so this file holds the one mutable global of the
 * terminal: what is to be written and to which descriptor. It is filled before `armed` is set. The
 * handler runs on a stack of its own, for the case that the stack is what overflowed.
 */
#include "rescue.h"

#include "hotset/err.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static struct {
	atomic_bool    armed;
	int            fd;
	struct termios modes;
	char           bytes[RESCUE_BYTES_MAX];
	size_t         len;
} rescue;

static char handler_stack[16384];

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGSYS,
	SIGTRAP, SIGXCPU, SIGXFSZ};

static void on_fatal(int sig)
{
	if (atomic_exchange(&rescue.armed, false)) {
		ssize_t ignored = write(rescue.fd, rescue.bytes, rescue.len);
		(void)ignored;
		tcsetattr(rescue.fd, TCSANOW, &rescue.modes);
	}
	/* SA_RESETHAND put the default action back: this ends the process as if uncaught */
	raise(sig);
}

void rescue_arm(int fd, const struct termios *modes, const char *bytes, size_t len)
{
	struct sigaction sa = {.sa_handler = on_fatal};
	stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};

	atomic_store(&rescue.armed, false);
	rescue.fd = fd;
	rescue.modes = *modes;
	rescue.len = len < RESCUE_BYTES_MAX ? len : RESCUE_BYTES_MAX;
	memcpy(rescue.bytes, bytes, rescue.len);
	atomic_store(&rescue.armed, true);
	sigaltstack(&stack, NULL);
	sa.sa_flags = (int)(SA_RESETHAND | (unsigned)SA_ONSTACK);
	sigfillset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof fatal_signals / sizeof fatal_signals[0]; i++)
		sigaction(fatal_signals[i], &sa, NULL);
}

void rescue_disarm(void)
{
	atomic_store(&rescue.armed, false);
}
