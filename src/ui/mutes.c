#include "hotset/mutes.h"

#include <string.h>

static unsigned find(const struct mutes *mutes, const struct verdict *v)
{
	unsigned i = 0;

	while (i < mutes->n && (mutes->list[i].endpoint != v->endpoint ||
				       strcmp(mutes->list[i].code, v->code) != 0))
		i++;
	return i;
}

bool mutes_has(const struct mutes *mutes, const struct verdict *v)
{
	unsigned i = find(mutes, v);

	return i < mutes->n && v->level <= mutes->list[i].level;
}

bool mutes_add(struct mutes *mutes, const struct verdict *v)
{
	unsigned i = find(mutes, v);

	if (i == MUTES_MAX)
		return false;
	mutes->list[i].code = v->code;
	mutes->list[i].endpoint = v->endpoint;
	mutes->list[i].level = v->level;
	mutes->n = i == mutes->n ? i + 1 : mutes->n;
	return true;
}

unsigned mutes_count(const struct mutes *mutes, const struct model *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->nverdicts; i++)
		n += mutes_has(mutes, &m->verdicts[i]);
	return n;
}

const struct verdict *mutes_first(const struct mutes *mutes, const struct model *m)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (!mutes_has(mutes, &m->verdicts[i]))
			return &m->verdicts[i];
	return NULL;
}
