/*
 * The server's side of SCRAM as MongoDB speaks it (RFC 5802 and 7677), for one user and one login
 * at a time. Not there without OpenSSL.
 */
#ifndef HOTSET_TEST_FAKE_SCRAM_H
#define HOTSET_TEST_FAKE_SCRAM_H

#include <bson/bson.h>
#include <stdbool.h>

struct fake_scram {
	const char *user, *password;
	bool sha1; /* else SHA-256 */
	/* of the login that runs: the client's first message without its header, and our answer */
	char client_first[256], server_first[256];
};

bool fake_scram_is_there(void);
/* The replies to saslStart and saslContinue, "ok" included; an error where the login fails. */
void fake_scram_start(struct fake_scram *s, const bson_t *cmd, bson_t *reply);
/* True when the user is logged in. */
bool fake_scram_continue(struct fake_scram *s, const bson_t *cmd, bson_t *reply);

#endif
