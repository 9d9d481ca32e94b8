/* Texts inside Extended JSON that stand for bytes and times. */
#ifndef HOTSET_EJSON_TEXT_H
#define HOTSET_EJSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "2026-11-30T20:00:00.123Z", "...+01:00", "...+0100", or a date alone; milliseconds since 1970. */
bool ejson_parse_date(const char *s, size_t len, int64_t *out_ms);
/*
 * Decode into out, which has room for len bytes, more than either can need; *n gets the number of
 * bytes. Hexadecimal may be grouped by '-' (UUIDs).
 */
bool ejson_parse_base64(const char *s, size_t len, uint8_t *out, size_t *n);
bool ejson_parse_hex(const char *s, size_t len, uint8_t *out, size_t *n);

#endif
