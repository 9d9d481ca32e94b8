#include "hotset/text.h"
#include "hotset/strbuf.h"

#include <string.h>
#include <strings.h>

#define REPLACEMENT 0xFFFDu

size_t text_decode(const char *str, size_t len, char32_t *out)
{
	const unsigned char *s = (const unsigned char *)str;
	*out = REPLACEMENT;
	if (len == 0)
		return 0;
	if (s[0] < 0x80) {
		*out = s[0];
		return 1;
	}
	size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
	if (s[0] < 0xC2 || s[0] > 0xF4 || n > len)
		return 1;
	char32_t ch = s[0] & (0x7Fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return 1;
		ch = ch << 6 | (s[i] & 0x3F);
	}
	static const char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	if (ch < least[n] || ch > 0x10FFFF || (ch >= 0xD800 && ch <= 0xDFFF))
		return 1;
	*out = ch;
	return n;
}

size_t text_encode(char *dst, char32_t ch)
{
	if (ch > 0x10FFFF || (ch >= 0xD800 && ch <= 0xDFFF))
		ch = REPLACEMENT;
	if (ch < 0x80) {
		dst[0] = (char)ch;
		return 1;
	}
	size_t n = ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
	for (size_t i = n; i-- > 1; ch >>= 6)
		dst[i] = (char)(0x80 | (ch & 0x3F));
	dst[0] = (char)(lead[n] | ch);
	return n;
}

struct range {
	char32_t first, last;
};

static bool in_ranges(const struct range *r, size_t n, char32_t ch)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (ch > r[mid].last)
			lo = mid + 1;
		else if (ch < r[mid].first)
			hi = mid;
		else
			return true;
	}
	return false;
}

/* C0, DEL, C1, zero-width and bidi controls, line separators, interlinear and tag characters. */
static bool is_control(char32_t ch)
{
	static const struct range ranges[] = {{0x00, 0x1F}, {0x7F, 0x9F}, {0xAD, 0xAD},
		{0x061C, 0x061C}, {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},
		{0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
	return in_ranges(ranges, sizeof(ranges) / sizeof(ranges[0]), ch);
}

/* The blocks of combining marks, and the variation selectors. */
static bool is_combining(char32_t ch)
{
	static const struct range ranges[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},
		{0x05BF, 0x05BF}, {0x05C1, 0x05C2}, {0x05C4, 0x05C5}, {0x05C7, 0x05C7},
		{0x0610, 0x061A}, {0x064B, 0x065F}, {0x0670, 0x0670}, {0x06D6, 0x06DC},
		{0x06DF, 0x06E4}, {0x06E7, 0x06E8}, {0x06EA, 0x06ED}, {0x0711, 0x0711},
		{0x0730, 0x074A}, {0x07A6, 0x07B0}, {0x0816, 0x082D}, {0x0900, 0x0902},
		{0x093A, 0x093A}, {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D},
		{0x0951, 0x0957}, {0x0962, 0x0963}, {0x0981, 0x0981}, {0x09BC, 0x09BC},
		{0x09C1, 0x09C4}, {0x09CD, 0x09CD}, {0x0A01, 0x0A02}, {0x0A3C, 0x0A51},
		{0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x0EB1, 0x0EB1},
		{0x0EB4, 0x0EBC}, {0x0EC8, 0x0ECD}, {0x0F18, 0x0F19}, {0x0F35, 0x0F39},
		{0x0F71, 0x0F84}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20F0},
		{0x302A, 0x302D}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
		{0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF}};
	return in_ranges(ranges, sizeof(ranges) / sizeof(ranges[0]), ch);
}

/* East Asian wide and full-width characters, and emoji that terminals draw in two cells. */
static bool is_wide(char32_t ch)
{
	static const struct range ranges[] = {{0x1100, 0x115F}, {0x231A, 0x231B}, {0x2329, 0x232A},
		{0x23E9, 0x23EC}, {0x23F0, 0x23F0}, {0x23F3, 0x23F3}, {0x25FD, 0x25FE},
		{0x2614, 0x2615}, {0x2648, 0x2653}, {0x267F, 0x267F}, {0x2693, 0x2693},
		{0x26A1, 0x26A1}, {0x26AA, 0x26AB}, {0x26BD, 0x26BE}, {0x26C4, 0x26C5},
		{0x26CE, 0x26CE}, {0x26D4, 0x26D4}, {0x26EA, 0x26EA}, {0x26F2, 0x26F3},
		{0x26F5, 0x26F5}, {0x26FA, 0x26FA}, {0x26FD, 0x26FD}, {0x2705, 0x2705},
		{0x270A, 0x270B}, {0x2728, 0x2728}, {0x274C, 0x274C}, {0x274E, 0x274E},
		{0x2753, 0x2755}, {0x2757, 0x2757}, {0x2795, 0x2797}, {0x27B0, 0x27B0},
		{0x27BF, 0x27BF}, {0x2B1B, 0x2B1C}, {0x2B50, 0x2B50}, {0x2B55, 0x2B55},
		{0x2E80, 0x303E}, {0x3041, 0x33FF}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF},
		{0xA000, 0xA4CF}, {0xA960, 0xA97F}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF},
		{0xFE10, 0xFE19}, {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6},
		{0x16FE0, 0x16FE4}, {0x17000, 0x18CD5}, {0x1AFF0, 0x1B2FB}, {0x1F004, 0x1F004},
		{0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320},
		{0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA},
		{0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E},
		{0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E},
		{0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4},
		{0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2},
		{0x1F6D5, 0x1F6D7}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB},
		{0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF},
		{0x20000, 0x2FFFD}, {0x30000, 0x3FFFD}};
	return in_ranges(ranges, sizeof(ranges) / sizeof(ranges[0]), ch);
}

int text_cell_width(char32_t ch)
{
	if (ch < 0x300)
		return 1;
	return is_combining(ch) ? 0 : is_wide(ch) ? 2 : 1;
}

size_t text_sanitize(char *dst, size_t cap, const char *src, size_t len)
{
	size_t out = 0;
	if (cap == 0)
		return 0;
	for (size_t i = 0; i < len;) {
		char32_t ch;
		i += text_decode(src + i, len - i, &ch);
		if (is_control(ch))
			ch = REPLACEMENT;
		char enc[4];
		size_t n = text_encode(enc, ch);
		if (out + n >= cap)
			break;
		memcpy(dst + out, enc, n);
		out += n;
	}
	dst[out] = '\0';
	return out;
}

size_t text_fit(const char *s, int cells, int *used)
{
	size_t len = strlen(s), i = 0;
	int w = 0;
	while (i < len) {
		char32_t ch;
		size_t n = text_decode(s + i, len - i, &ch);
		int cw = text_cell_width(ch);
		if (w + cw > cells)
			break;
		w += cw;
		i += n;
	}
	if (used)
		*used = w;
	return i;
}

int text_width(const char *s)
{
	int w;
	(void)text_fit(s, 1 << 28, &w);
	return w;
}

static char32_t fold(char32_t ch)
{
	if ((ch >= U'A' && ch <= U'Z') || (ch >= U'À' && ch <= U'Þ' && ch != U'×') ||
		(ch >= U'Α' && ch <= U'Ω') || (ch >= U'А' && ch <= U'Я'))
		return ch + 0x20;
	if (ch >= U'Ѐ' && ch <= U'Џ')
		return ch + 0x50;
	/* a capital and its small letter stand side by side */
	if (ch >= 0x100 && ch <= 0x137 && ch % 2 == 0)
		return ch + 1;
	return ch;
}

static bool begins_with(const char *s, size_t len, const char *part, size_t part_len)
{
	while (part_len > 0) {
		char32_t a, b;
		size_t n = text_decode(s, len, &a), k = text_decode(part, part_len, &b);

		if (n == 0 || fold(a) != fold(b))
			return false;
		s += n;
		len -= n;
		part += k;
		part_len -= k;
	}
	return true;
}

bool text_contains(const char *s, const char *part)
{
	size_t len = strlen(s), part_len = strlen(part), n;
	char32_t ch;

	for (; len > 0 && part_len > 0; s += n, len -= n) {
		if (begins_with(s, len, part, part_len))
			return true;
		n = text_decode(s, len, &ch);
	}
	return part_len == 0;
}

bool text_base64(char *dst, size_t cap, const void *data, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = data;

	if (cap < TEXT_BASE64_MAX(len)) {
		if (cap > 0)
			dst[0] = '\0';
		return false;
	}
	for (size_t i = 0; i < len; i += 3, dst += 4) {
		size_t left = len - i;
		uint32_t v = (uint32_t)p[i] << 16;

		v |= left > 1 ? (uint32_t)p[i + 1] << 8 : 0;
		v |= left > 2 ? p[i + 2] : 0;
		dst[0] = digits[v >> 18];
		dst[1] = digits[v >> 12 & 63];
		dst[2] = left > 1 ? digits[v >> 6 & 63] : '=';
		dst[3] = left > 2 ? digits[v & 63] : '=';
	}
	*dst = '\0';
	return true;
}

void text_json(struct strbuf *out, const char *s)
{
	size_t len = strlen(s);
	strbuf_putc(out, '"');
	for (size_t i = 0; i < len;) {
		char32_t ch;
		size_t n = text_decode(s + i, len - i, &ch);
		char enc[4];
		if (ch == '"' || ch == '\\')
			strbuf_printf(out, "\\%c", (char)ch);
		else if (ch == '\n')
			strbuf_puts(out, "\\n");
		else if (ch < 0x20 || (ch >= 0x7F && ch < 0xA0))
			strbuf_printf(out, "\\u%04x", (unsigned)ch);
		else
			strbuf_add(out, enc, text_encode(enc, ch));
		i += n;
	}
	strbuf_putc(out, '"');
}

bool text_locale_is_utf8(const char *lc_all, const char *lc_ctype, const char *lang)
{
	const char *name = lc_all && *lc_all ? lc_all : lc_ctype && *lc_ctype ? lc_ctype : lang;
	const char *dot = name ? strchr(name, '.') : NULL;
	if (!dot)
		return false;
	size_t n = strcspn(dot + 1, "@");
	return (n == 5 && strncasecmp(dot + 1, "UTF-8", 5) == 0) ||
	       (n == 4 && strncasecmp(dot + 1, "utf8", 4) == 0);
}

uint64_t text_hash(uint64_t h, const void *data, size_t len)
{
	const unsigned char *p = data;
	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}
