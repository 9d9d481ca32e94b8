#include "clockx.h"

#include <stdio.h>

void clockx_text(int64_t ms, char text[static CLOCKX_TEXT])
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm = {0};
	char day[32];

	gmtime_r(&seconds, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, CLOCKX_TEXT, "%s.%03d+00:00", day, (int)(ms % 1000));
}
