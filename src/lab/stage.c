#include "stage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "hotset/clock.h"
#include "hotset/text.h"

#define PREFIX       "stage-"
#define TERM_WAIT_MS 2000 /* from SIGTERM to SIGKILL */
#define KILL_WAIT_MS 2000 /* for the kernel to end what was killed */

/* ---- the directory ------------------------------------------------------------------------- */

bool stage_program_dir(char *out, size_t cap, struct err *err)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (len < 0) {
		return err_sys(err, "cannot read /proc/self/exe");
	}
	path[len] = '\0';
	slash = strrchr(path, '/');
	if (slash) {
		*slash = '\0';
	}
	if (snprintf(out, cap, "%s", path) >= (int)cap) {
		return err_set(err, ERR_LIMIT, "the path of the program is longer than %zu bytes",
			cap);
	}
	return true;
}

/* The build directory is known by its object files. */
static bool find_base(char *out, size_t cap, struct err *err)
{
	char objects[STAGE_PATH_MAX + 8];
	const char *dir;

	if (!stage_program_dir(out, cap, err)) {
		return false;
	}
	snprintf(objects, sizeof(objects), "%s/obj", out);
	if (access(objects, F_OK) == 0) {
		return true;
	}
	dir = getenv("XDG_RUNTIME_DIR");
	if (!dir || dir[0] != '/') {
		dir = getenv("TMPDIR");
	}
	snprintf(out, cap, "%s", dir && dir[0] == '/' ? dir : "/tmp");
	return true;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0; /* goes on: what cannot be removed now is for the next run */
}

static void remove_tree(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Opens and locks a directory that is ours alone; -1 if it is not, or if its owner lives. */
static int lock_own_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0) {
		return -1;
	}
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 077) == 0 &&
		flock(fd, LOCK_EX | LOCK_NB) == 0) {
		return fd;
	}
	close(fd);
	return -1;
}

static void remove_stale(const char *base)
{
	DIR *dir = opendir(base);
	struct dirent *entry;
	char path[STAGE_PATH_MAX + 300];

	if (!dir) {
		return;
	}
	while ((entry = readdir(dir))) {
		int fd;

		if (strncmp(entry->d_name, PREFIX, sizeof(PREFIX) - 1) != 0) {
			continue;
		}
		snprintf(path, sizeof(path), "%s/%s", base, entry->d_name);
		fd = lock_own_directory(path);
		if (fd >= 0) {
			remove_tree(path);
			close(fd);
		}
	}
	closedir(dir);
}

static bool make_directory(struct stage *s, const char *base, struct err *err)
{
	if (snprintf(s->dir, sizeof(s->dir), "%s/" PREFIX "XXXXXX", base) >= (int)sizeof(s->dir)) {
		return err_set(err, ERR_LIMIT, "the path %s is too long", base);
	}
	if (!mkdtemp(s->dir)) {
		return err_sys(err, "cannot make a directory in %s", base);
	}
	s->dir_fd = lock_own_directory(s->dir);
	if (s->dir_fd < 0) {
		err_sys(err, "cannot lock %s", s->dir);
		rmdir(s->dir);
		return false;
	}
	return true;
}

/* The lock on base keeps others from taking a directory for stale before its owner locks it. */
static bool prepare_directory(struct stage *s, struct err *err)
{
	char base[STAGE_PATH_MAX];
	bool ok;
	int lock;

	if (!find_base(base, sizeof(base), err)) {
		return false;
	}
	lock = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock < 0 || flock(lock, LOCK_EX) != 0) {
		ok = err_sys(err, "cannot open and lock %s", base);
	} else {
		remove_stale(base);
		ok = make_directory(s, base, err);
	}
	if (lock >= 0) {
		close(lock);
	}
	return ok;
}

static void signals_of_stage(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
}

bool stage_open(struct stage *s, struct err *err)
{
	sigset_t set;

	memset(s, 0, sizeof(*s));
	signals_of_stage(&set);
	sigprocmask(SIG_BLOCK, &set, &s->old_mask);
	if (!prepare_directory(s, err)) {
		sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
		return false;
	}
	return true;
}

/* ---- children ------------------------------------------------------------------------------ */

static void detach(const struct stage *s, const char *name)
{
	char path[STAGE_PATH_MAX + 64];
	int null = open("/dev/null", O_RDONLY), log;

	snprintf(path, sizeof(path), "%s/%s.log", s->dir, name);
	log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (null < 0 || log < 0) {
		_exit(127);
	}
	setpgid(0, 0);
	dup2(null, STDIN_FILENO);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	close(null);
	close(log);
}

struct stage_child *stage_fork(struct stage *s, enum stage_role role, const char *name,
	int (*run)(const void *arg), const void *arg, struct err *err)
{
	struct stage_child *child = &s->child[s->nchild];
	pid_t parent = getpid(), pid;
	int code;

	if (s->nchild == STAGE_CHILDREN_MAX) {
		err_set(err, ERR_LIMIT, "more than %d processes on the stage", STAGE_CHILDREN_MAX);
		return NULL;
	}
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		err_sys(err, "cannot start %s", name);
		return NULL;
	}
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, role == STAGE_FOREGROUND ? SIGTERM : SIGKILL);
		if (getppid() != parent) {
			_exit(127); /* it died before prctl() */
		}
		close(s->dir_fd);
		if (role == STAGE_BACKGROUND) {
			umask(077);
			detach(s, name);
		}
		sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
		code = run(arg);
		fflush(NULL);
		_exit(code); /* not exit(): what the parent registered is the parent's */
	}
	*child = (struct stage_child){.name = name, .pid = pid};
	s->nchild++;
	return child;
}

struct program {
	const char  *path;
	char *const *argv;
};

static int run_program(const void *arg)
{
	const struct program *p = arg;

	execv(p->path, p->argv);
	fprintf(stderr, "cannot run %s: %s\n", p->path, strerror(errno));
	return 127;
}

struct stage_child *stage_exec(struct stage *s, enum stage_role role, const char *name,
	const char *path, char *const argv[], struct err *err)
{
	const struct program p = {path, argv};

	return stage_fork(s, role, name, run_program, &p, err);
}

/*
 * A child that stops has been suspended from the keyboard: stop the whole job with it, so that the
 * shell takes the terminal back. Only the foreground child can (the others have no terminal).
 */
static void reap(struct stage *s)
{
	for (unsigned i = 0; i < s->nchild; i++) {
		struct stage_child *child = &s->child[i];
		int status;

		if (child->pid == 0 || waitpid(child->pid, &status, WNOHANG | WUNTRACED) <= 0) {
			continue;
		}
		if (WIFSTOPPED(status)) {
			kill(0, SIGTSTP);
		} else {
			child->pid = 0;
			child->status = status;
		}
	}
}

bool stage_wait(struct stage *s, int timeout_ms)
{
	const struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * NS_PER_MS};
	sigset_t set;
	int sig;

	signals_of_stage(&set);
	sig = sigtimedwait(&set, NULL, timeout_ms < 0 ? NULL : &timeout);
	if (sig == SIGINT || sig == SIGTERM || sig == SIGHUP) {
		s->stopping = true;
	}
	reap(s);
	return sig > 0;
}

static bool any_alive(const struct stage *s)
{
	for (unsigned i = 0; i < s->nchild; i++) {
		if (s->child[i].pid != 0) {
			return true;
		}
	}
	return false;
}

static void end_children(struct stage *s, int sig, int wait_ms)
{
	int64_t deadline = clock_mono_ns() + wait_ms * NS_PER_MS;

	for (unsigned i = 0; i < s->nchild; i++) {
		if (s->child[i].pid != 0) {
			kill(s->child[i].pid, sig);
		}
	}
	while (any_alive(s) && clock_mono_ns() < deadline) {
		stage_wait(s, 50);
	}
}

void stage_close(struct stage *s)
{
	end_children(s, SIGTERM, TERM_WAIT_MS);
	end_children(s, SIGKILL, KILL_WAIT_MS);
	remove_tree(s->dir);
	close(s->dir_fd);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

void stage_last_words(const struct stage *s, const char *name, char *out, size_t cap)
{
	char path[STAGE_PATH_MAX + 64], line[256];
	FILE *f;

	out[0] = '\0';
	snprintf(path, sizeof(path), "%s/%s.log", s->dir, name);
	f = fopen(path, "re");
	if (!f) {
		return;
	}
	while (fgets(line, sizeof(line), f)) {
		size_t len = strcspn(line, "\r\n");

		if (len > 0) {
			text_sanitize(out, cap, line, len);
		}
	}
	fclose(f);
}
