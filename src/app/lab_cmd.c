/* hotset lab, in a build without labs. */
#include "hotset/app.h"

int app_lab(const struct options *o)
{
	(void)o;
	fprintf(stderr, "hotset: this build holds no labs yet\n");
	return 2;
}
