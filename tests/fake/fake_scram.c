#include "fake_scram.h"

#include "fake_mongo.h"

#ifdef HAVE_OPENSSL

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITERATIONS 4096
#define FAILED     18 /* AuthenticationFailed */
#define KEY_MAX    EVP_MAX_MD_SIZE

static const uint8_t salt[] = "the salt of a test, long enough";

struct key {
	uint8_t b[KEY_MAX];
	unsigned len;
};

static const EVP_MD *digest_of(const struct fake_scram *s)
{
	return s->sha1 ? EVP_sha1() : EVP_sha256();
}

/* MongoDB's is shorter than the digest by the four bytes that PBKDF2 adds. */
static int salt_len(const struct fake_scram *s)
{
	return EVP_MD_get_size(digest_of(s)) - 4;
}

static void hmac(
	const struct fake_scram *s, const struct key *key, const char *text, struct key *out)
{
	HMAC(digest_of(s), key->b, (int)key->len, (const uint8_t *)text, strlen(text), out->b,
		&out->len);
}

static void hash(const struct fake_scram *s, const struct key *in, struct key *out)
{
	EVP_Digest(in->b, in->len, out->b, &out->len, digest_of(s), NULL);
}

/* With SHA-1 MongoDB hashes the password first, as in "user:mongo:password". */
static void salted_password(const struct fake_scram *s, struct key *out)
{
	char text[256];
	uint8_t md5[KEY_MAX];
	unsigned n = 0;

	snprintf(text, sizeof(text), "%s", s->password);
	if (s->sha1) {
		snprintf(text, sizeof(text), "%s:mongo:%s", s->user, s->password);
		EVP_Digest(text, strlen(text), md5, &n, EVP_md5(), NULL);
		for (unsigned i = 0; i < n; i++)
			snprintf(text + 2 * i, 3, "%02x", md5[i]);
	}
	out->len = (unsigned)EVP_MD_get_size(digest_of(s));
	PKCS5_PBKDF2_HMAC(text, (int)strlen(text), salt, salt_len(s), ITERATIONS, digest_of(s),
		(int)out->len, out->b);
}

static bool payload_of(const bson_t *cmd, char *out, size_t cap)
{
	bson_iter_t it;
	const uint8_t *data;
	uint32_t len;

	if (!bson_iter_init_find(&it, cmd, "payload") || !BSON_ITER_HOLDS_BINARY(&it))
		return false;
	bson_iter_binary(&it, NULL, &len, &data);
	if (len >= cap)
		return false;
	memcpy(out, data, len);
	out[len] = '\0';
	return true;
}

static void answer(bson_t *reply, const char *payload, bool done)
{
	BSON_APPEND_INT32(reply, "conversationId", 1);
	BSON_APPEND_BOOL(reply, "done", done);
	bson_append_binary(reply, "payload", -1, BSON_SUBTYPE_BINARY, (const uint8_t *)payload,
		(uint32_t)strlen(payload));
	BSON_APPEND_DOUBLE(reply, "ok", 1);
}

bool fake_scram_is_there(void)
{
	return true;
}

/* "n,,n=user,r=NONCE" */
void fake_scram_start(struct fake_scram *s, const bson_t *cmd, bson_t *reply)
{
	char payload[256], user[64], salt64[64];
	const char *nonce;

	snprintf(user, sizeof(user), "n,,n=%s,r=", s->user);
	if (!payload_of(cmd, payload, sizeof(payload)) ||
		strncmp(payload, user, strlen(user)) != 0) {
		fake_mongo_error(reply, FAILED, "Authentication failed.");
		return;
	}
	nonce = payload + strlen(user);
	EVP_EncodeBlock((uint8_t *)salt64, salt, salt_len(s));
	snprintf(s->client_first, sizeof(s->client_first), "%s", payload + 3);
	snprintf(s->server_first, sizeof(s->server_first), "r=%.128sSERVER,s=%s,i=%u", nonce,
		salt64, ITERATIONS);
	answer(reply, s->server_first, false);
}

/* ClientKey, made from the proof: its hash must be StoredKey. */
static bool proof_is_right(const struct fake_scram *s, const struct key *salted,
	const char *auth_message, const char *proof64)
{
	struct key client, stored, signature, given, rehashed;
	uint8_t proof[KEY_MAX + 4];
	int n = EVP_DecodeBlock(proof, (const uint8_t *)proof64, (int)strlen(proof64));

	hmac(s, salted, "Client Key", &client);
	hash(s, &client, &stored);
	hmac(s, &stored, auth_message, &signature);
	if (n < (int)signature.len)
		return false;
	given.len = signature.len;
	for (unsigned i = 0; i < given.len; i++)
		given.b[i] = proof[i] ^ signature.b[i];
	hash(s, &given, &rehashed);
	return memcmp(rehashed.b, stored.b, stored.len) == 0;
}

/* "c=biws,r=NONCE,p=PROOF" */
bool fake_scram_continue(struct fake_scram *s, const bson_t *cmd, bson_t *reply)
{
	char payload[512], message[1024], signature64[128], last[160];
	struct key salted, server, signature;
	char *proof;

	if (!payload_of(cmd, payload, sizeof(payload)) || !(proof = strstr(payload, ",p="))) {
		fake_mongo_error(reply, FAILED, "Authentication failed.");
		return false;
	}
	*proof = '\0';
	snprintf(message, sizeof(message), "%s,%s,%s", s->client_first, s->server_first, payload);
	salted_password(s, &salted);
	if (!proof_is_right(s, &salted, message, proof + 3)) {
		fake_mongo_error(reply, FAILED, "Authentication failed.");
		return false;
	}
	hmac(s, &salted, "Server Key", &server);
	hmac(s, &server, message, &signature);
	EVP_EncodeBlock((uint8_t *)signature64, signature.b, (int)signature.len);
	snprintf(last, sizeof(last), "v=%s", signature64);
	answer(reply, last, true);
	return true;
}

#else

bool fake_scram_is_there(void)
{
	return false;
}

void fake_scram_start(struct fake_scram *s, const bson_t *cmd, bson_t *reply)
{
	(void)s;
	(void)cmd;
	fake_mongo_error(reply, 18, "no OpenSSL");
}

bool fake_scram_continue(struct fake_scram *s, const bson_t *cmd, bson_t *reply)
{
	(void)s;
	(void)cmd;
	fake_mongo_error(reply, 18, "no OpenSSL");
	return false;
}

#endif
