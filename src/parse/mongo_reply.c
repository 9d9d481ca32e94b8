/*
 * Failed commands: what a code means for the endpoint, in words that say what to do. Codes, not
 * names or messages, since only the codes are the same in all versions and emulations.
 */
#include "hotset/parse.h"

#include "bdoc.h"
#include "hotset/text.h"
#include "mongo_status.h"

struct meaning {
	int code;
	enum err_code err;
	const char *text;
};

static const char needs_role[] = "up, not authorised: needs the role clusterMonitor";
static const char bad_login[] = "authentication failed: check user, password and authSource";
static const char stopping[] = "the server is shutting down";
static const char recovering[] = "the server is starting, recovering or changing its role";
static const char too_slow[] = "the server gave up: time limit exceeded";
static const char no_command[] = "the server does not have this command";

static const struct meaning meanings[] = {
	{11, ERR_AUTH, bad_login},          /* UserNotFound */
	{13, ERR_AUTH, needs_role},         /* Unauthorized */
	{18, ERR_AUTH, bad_login},          /* AuthenticationFailed */
	{50, ERR_TIMEOUT, too_slow},        /* MaxTimeMSExpired */
	{59, ERR_UNSUPPORTED, no_command},  /* CommandNotFound */
	{89, ERR_TIMEOUT, too_slow},        /* NetworkTimeout */
	{91, ERR_REFUSED, stopping},        /* ShutdownInProgress */
	{94, ERR_LOADING, recovering},      /* NotYetInitialized */
	{115, ERR_UNSUPPORTED, no_command}, /* CommandNotSupported */
	{189, ERR_LOADING, recovering},     /* PrimarySteppedDown */
	{202, ERR_TIMEOUT, too_slow},       /* NetworkInterfaceExceededTimeLimit */
	{238, ERR_UNSUPPORTED, no_command}, /* NotImplemented */
	{262, ERR_TIMEOUT, too_slow},       /* ExceededTimeLimit */
	{323, ERR_UNSUPPORTED, no_command}, /* APIStrictError */
	{8000, ERR_AUTH, needs_role},       /* AtlasError */
	{10107, ERR_LOADING, recovering},   /* NotWritablePrimary */
	{11600, ERR_REFUSED, stopping},     /* InterruptedAtShutdown */
	{11602, ERR_LOADING, recovering},   /* InterruptedDueToReplStateChange */
	{13435, ERR_LOADING, recovering},   /* NotPrimaryNoSecondaryOk */
	{13436, ERR_LOADING, recovering},   /* NotPrimaryOrSecondary */
};

enum status parse_mongo_error(int code, const char *text, struct err *err)
{
	char clean[128];
	const char *says = text ? text : "";

	text_sanitize(clean, sizeof(clean), says, strlen(says));
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		const struct meaning *m = &meanings[i];

		if (m->code != code)
			continue;
		err_set(err, m->err, clean[0] ? "%s (%s)" : "%s", m->text, clean);
		return status_from_err(m->err);
	}
	err_set(err, ERR_PROTOCOL, "command failed with code %d%s%s", code, clean[0] ? ": " : "",
		clean);
	return STATUS_ERROR;
}

bool parse_mongo_rejects_option(int code)
{
	return code == 40415  /* unknown field */
	       || code == 9   /* FailedToParse */
	       || code == 72  /* InvalidOptions */
	       || code == 14; /* TypeMismatch */
}

bool mongo_reply_ok(const bson_t *doc, struct err *err)
{
	char text[128] = "";
	size_t len;
	const char *msg;
	int64_t code = 0;

	if (!bson_has_field(doc, "ok") || bdoc_find_true(doc, "ok"))
		return true;
	msg = bdoc_find_text(doc, "errmsg", &len);
	if (msg)
		text_sanitize(text, sizeof(text), msg, len);
	if (!bdoc_find_i64(doc, "code", &code) || code < 0 || code > INT32_MAX)
		code = 0;
	parse_mongo_error((int)code, text, err);
	return false;
}
