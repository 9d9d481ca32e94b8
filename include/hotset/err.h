/*
 * Errors by value. A fallible function returns bool (true = done), takes `struct err *` last and
 * leaves its outputs alone when it fails:
 *
 *	return err_set(err, ERR_PROTO, "INFO line %d has no ':'", n);
 *
 * The message says what failed, the thing it failed on and what to do. It never holds a password.
 */
#ifndef HOTSET_ERR_H
#define HOTSET_ERR_H

#include <stdbool.h>

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define MUST_CHECK __attribute__((warn_unused_result))

enum err_code {
	ERR_NONE,
	ERR_USAGE,       /* the user's input is wrong */
	ERR_SYSTEM,      /* a system call failed; err.sys holds errno */
	ERR_FORMAT,      /* a file or reply is not what it should be */
	ERR_PROTOCOL,    /* the peer speaks something else, or the reply is damaged */
	ERR_TIMEOUT,     /* the deadline passed */
	ERR_REFUSED,     /* no connection, or too many clients */
	ERR_DNS,         /* the name does not resolve */
	ERR_TLS,         /* TLS failed, or is needed */
	ERR_AUTH,        /* credentials missing, wrong or without the privilege */
	ERR_LOADING,     /* the server is starting, loading or recovering */
	ERR_UNSUPPORTED, /* it answers but has nothing to watch here */
	ERR_LIMIT,       /* a bound of ours was reached */
};

struct err {
	enum err_code code;
	int           sys; /* errno, 0 if none */
	char          msg[256];
};

/* Fills err (NULL is allowed) and returns false. Control characters in the result become '?'. */
bool err_set(struct err *err, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The same for a failed system call: appends ": " and the text of errno, which it reads first. */
bool err_sys(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
