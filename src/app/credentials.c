/* Passwords that are not in a URI: a private file, the environment, or a question to the user. */
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static void wipe(char *buf, size_t n)
{
	explicit_bzero(buf, n);
}

/* ---- the file: "ENDPOINT-NAME-or-host user password" per line ---- */

/* Cuts the next word off *s; the rest stays in *s without its leading blanks. */
static char *cut_word(char **s)
{
	char *word = *s + strspn(*s, " \t");
	char *end = word + strcspn(word, " \t");

	*s = end + strspn(end, " \t");
	*end = '\0';
	return word;
}

static bool is_about(const char *who, const struct target *t)
{
	return strcmp(who, t->name) == 0 || strcmp(who, t->host) == 0 ||
		strcmp(who, t->address) == 0 || strcmp(who, t->id) == 0;
}

static bool apply_line(char *line, const char *path, unsigned number, struct target *t, unsigned n,
	struct err *err)
{
	line[strcspn(line, "\r\n")] = '\0';
	char *rest = line;
	char *who = cut_word(&rest);

	if (*who == '\0' || *who == '#')
		return true;
	char *user = cut_word(&rest);
	if (*user == '\0' || *rest == '\0')
		return err_set(err, ERR_USAGE,
			"%s:%u: a line is: name or host, user (- for none), password",
			path, number);
	for (unsigned i = 0; i < n; i++)
		if (is_about(who, &t[i]))
			target_set_credentials(&t[i], strcmp(user, "-") == 0 ? "" : user, rest);
	return true;
}

bool credentials_read(const char *path, struct target *t, unsigned n, struct err *err)
{
	char line[1024];
	struct stat st;
	bool ok = true;
	FILE *f = fopen(path, "re");

	if (!f)
		return err_sys(err, "cannot open the credentials %s", path);
	if (fstat(fileno(f), &st) != 0 || (st.st_mode & 077) != 0) {
		fclose(f);
		return err_set(err, ERR_USAGE,
			"others can read the credentials %s: chmod 600 it first",
			path);
	}
	setvbuf(f, NULL, _IONBF, 0); /* no copy of the passwords is left in a buffer */
	for (unsigned number = 1; ok && fgets(line, sizeof line, f); number++) {
		if (!strchr(line, '\n') && strlen(line) == sizeof line - 1)
			ok = err_set(err, ERR_USAGE, "%s:%u: the line is too long", path, number);
		else
			ok = apply_line(line, path, number, t, n, err);
	}
	wipe(line, sizeof line);
	fclose(f);
	return ok;
}

/* ---- the environment ---- */

void credentials_from_env(struct target *t, unsigned n, const char *(*env)(const char *name))
{
	const char *redis = env("REDISCLI_AUTH"), *any = env("HOTSET_PASSWORD");

	for (unsigned i = 0; i < n; i++) {
		if (t[i].password[0] != '\0')
			continue;
		if (t[i].user[0] != '\0' && any && *any)
			target_set_credentials(&t[i], t[i].user, any);
		else if (t[i].ops->kind == KIND_REDIS && redis && *redis)
			target_set_credentials(&t[i], t[i].user, redis);
	}
}

/* ---- the terminal ---- */

/*
 * Asks without echo; signals are off, so Ctrl-C is a byte and the mode is always restored. The
 * question comes after the change of mode, which throws away what was typed before.
 */
static bool ask_secret(int fd, const struct target *t, char *buf, size_t cap)
{
	struct termios old, quiet;
	size_t n = 0;
	bool ok = false;
	char c;

	if (tcgetattr(fd, &old) != 0)
		return false;
	quiet = old;
	quiet.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
	quiet.c_cc[VMIN] = 1;
	quiet.c_cc[VTIME] = 0;
	if (tcsetattr(fd, TCSAFLUSH, &quiet) != 0)
		return false;
	dprintf(fd, "Password for %s at %s: ", t->user, t->address);
	while (read(fd, &c, 1) == 1 && c != '\003' && c != '\004') {
		if (c == '\n' || c == '\r') {
			ok = true;
			break;
		}
		if (c == '\177' || c == '\b')
			n -= n > 0;
		else if (n + 1 < cap)
			buf[n++] = c;
	}
	buf[n] = '\0';
	tcsetattr(fd, TCSAFLUSH, &old);
	return ok;
}

/* Certificates, Kerberos and cloud identities need no password. */
static bool needs_password(const struct target *t)
{
	const char *mech = t->uri ? strstr(t->uri, "authMechanism=") : NULL;

	if (t->user[0] == '\0' || t->password[0] != '\0')
		return false;
	return !mech || strncmp(mech + 14, "SCRAM", 5) == 0 || strncmp(mech + 14, "PLAIN", 5) == 0;
}

static bool prompt(int fd, struct target *t, struct err *err)
{
	char secret[256];

	bool ok = ask_secret(fd, t, secret, sizeof secret);
	dprintf(fd, "\n");
	if (ok)
		target_set_credentials(t, t->user, secret);
	wipe(secret, sizeof secret);
	return ok || err_set(err, ERR_USAGE, "no password for %s", t->address);
}

bool credentials_prompt(struct target *t, unsigned n, struct err *err)
{
	bool ok = true;
	int fd = -1;

	if (!isatty(STDIN_FILENO))
		return true;
	for (unsigned i = 0; ok && i < n; i++) {
		if (!needs_password(&t[i]))
			continue;
		if (fd < 0)
			fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
		if (fd < 0)
			return true; /* the server will say that it wants one */
		ok = prompt(fd, &t[i], err);
	}
	if (fd >= 0)
		close(fd);
	return ok;
}
