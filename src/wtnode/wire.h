/*
 * The wire protocol: one message in, one message out. OP_MSG in full, OP_QUERY for commands only
 * (drivers still say hello with it); anything else, and anything that breaks a bound, ends the
 * connection.
 */
#ifndef WTNODE_WIRE_H
#define WTNODE_WIRE_H

#include "fail.h"

#include <bson/bson.h>

#define WIRE_MESSAGE_MAX  48000000 /* bytes, as mongod announces it */
#define WIRE_DOCUMENT_MAX 16777216 /* bytes of one stored document */
#define WIRE_DB_MAX       63       /* bytes of a database's name */
#define WIRE_MESSAGE_MS   30000    /* a message that began must be whole after this */

/* The receive buffer of a connection; starts zeroed, ends with wire_buffer_finish. */
struct wire_buffer {
	uint8_t *data;
	size_t size; /* bytes allocated */
	size_t len;  /* bytes of the current message */
};

/* A request; everything in it borrows the buffer, and every document passed bsonx_check. */
struct request {
	int32_t id;
	bool legacy;       /* came as OP_QUERY, wants an OP_REPLY */
	bool reply_wanted; /* false for unacknowledged writes */
	char db[WIRE_DB_MAX + 1];
	bson_t body;
	const char *seq_name; /* the section of kind 1, or NULL */
	const uint8_t *seq;
	size_t seq_len;
};

/* Walks the documents of a request, wherever the client put them. */
struct doc_list {
	const uint8_t *next, *end; /* of a section */
	bool in_array;
	bson_iter_t it; /* of an array */
};

/*
 * Reads one message into the buffer, which grows with what has arrived, not with what the header
 * promises. Waits without limit for the first byte and WIRE_MESSAGE_MS for the rest. False at the
 * end of the stream and at a length out of bounds.
 */
bool wire_receive(int fd, struct wire_buffer *buf);

/* Gives back the memory of an unusually large message. */
void wire_buffer_trim(struct wire_buffer *buf);
void wire_buffer_finish(struct wire_buffer *buf);

/* Takes the message in the buffer apart. On false the connection cannot go on. */
bool wire_parse(const struct wire_buffer *buf, struct request *req, struct fail *fail);

/* Sends a reply in the form of the request; false when the client is gone or does not read. */
bool wire_reply(int fd, const struct request *req, const bson_t *doc);

/*
 * The documents that the request carries under the name, as a section or inline as an array.
 * False when there are none or when an element is no document.
 */
bool request_docs(
	const struct request *req, const char *name, struct doc_list *list, struct fail *fail);

/* The next document, a view of the request; false at the end. */
bool doc_list_next(struct doc_list *list, bson_t *doc);

#endif
