#include "signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static bool is_ignored(int sig)
{
	struct sigaction sa;

	return sigaction(sig, NULL, &sa) == 0 && sa.sa_handler == SIG_IGN;
}

int signals_open(struct err *err)
{
	static const int events[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
	sigset_t set;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
		/* one that is blocked would be delivered although it is ignored */
		if (!is_ignored(events[i]))
			sigaddset(&set, events[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0 ||
		(fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)) < 0) {
		err_sys(err, "cannot set up signals");
		return -1;
	}
	return fd;
}

int signals_take(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

bool signals_is_end(int sig)
{
	return sig == SIGINT || sig == SIGTERM || sig == SIGHUP;
}
