#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLAN_BYTES 262144UL

static int read_text(const char *path, char **ret)
{
	char *text = malloc(MAX_PLAN_BYTES);
	FILE *file = text ? fopen(path, "re") : NULL;
	size_t length;

	if (!file) {
		free(text);
		return -errno;
	}
	length = fread(text, 1, MAX_PLAN_BYTES, file);
	fclose(file);
	if (length == MAX_PLAN_BYTES) {
		free(text);
		return -E2BIG;
	}
	text[length] = '\0';
	*ret = text;
	return 0;
}

static int split(char *line, char *words[PLAN_MAX_WORDS], size_t *ret_n)
{
	char *rest;
	size_t n = 0;

	for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		if (n == PLAN_MAX_WORDS)
			return -E2BIG;
		words[n++] = word;
	}
	*ret_n = n;
	return 0;
}

static int number(const char *text, uint64_t *ret)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || end == text || *end != '\0' || text[0] == '-')
		return -EINVAL;
	*ret = value;
	return 0;
}

/* "key=N" into whichever of the group's figures it names. */
static int take_property(struct plan_group *group, char *word)
{
	char *equals = strchr(word, '=');

	if (!equals)
		return -EINVAL;
	*equals = '\0';
	if (strcmp(word, "shares") == 0)
		return number(equals + 1, &group->shares);
	if (strcmp(word, "quota_us") == 0)
		return number(equals + 1, &group->quota_us);
	if (strcmp(word, "period_us") == 0)
		return number(equals + 1, &group->period_us);
	return -EINVAL;
}

static int take_group(struct plan *plan, char **words, size_t n)
{
	struct plan_group *group = &plan->groups[plan->n_groups];
	int r = 0;

	if (n < 3 || plan->n_groups == PLAN_MAX_GROUPS)
		return -EINVAL;
	*group = (struct plan_group){.name = words[1], .path = words[2], .period_us = 100000};
	for (size_t i = 3; r == 0 && i < n; i++)
		r = take_property(group, words[i]);
	plan->n_groups++;
	return r;
}

static int take_load(struct plan *plan, char **words, size_t n)
{
	struct plan_load *load = &plan->loads[plan->n_loads];

	if (n < 2 || plan->n_loads == PLAN_MAX_LOADS)
		return -EINVAL;
	while (load->group < plan->n_groups &&
	       strcmp(plan->groups[load->group].name, words[1]) != 0)
		load->group++;
	if (load->group == plan->n_groups)
		return -ENOENT;
	load->n_arguments = n - 2;
	memcpy(load->arguments, words + 2, load->n_arguments * sizeof(*words));
	plan->n_loads++;
	return 0;
}

static int take_line(struct plan *plan, char *line)
{
	char *words[PLAN_MAX_WORDS];
	size_t n;
	int r = split(line, words, &n);

	if (r < 0 || n == 0)
		return r;
	if (strcmp(words[0], "group") == 0)
		return take_group(plan, words, n);
	if (strcmp(words[0], "load") == 0)
		return take_load(plan, words, n);
	if (n < 2)
		return -EINVAL;
	if (strcmp(words[0], "agent") == 0) {
		memcpy(plan->agent, words + 1, (n - 1) * sizeof(*words));
		return 0;
	}
	if (strcmp(words[0], "loader") == 0) {
		plan->loader = words[1];
		return 0;
	}
	if (strcmp(words[0], "warm_ms") == 0)
		return number(words[1], &plan->warm_ms);
	if (strcmp(words[0], "judge_ms") == 0)
		return number(words[1], &plan->judge_ms);
	if (strcmp(words[0], "ring_mib") == 0)
		return number(words[1], &plan->ring_mib);
	if (strcmp(words[0], "trace_mib") == 0)
		return number(words[1], &plan->trace_mib);
	return -EINVAL;
}

int plan_read(const char *path, struct plan *ret)
{
	char *rest;
	int line_number = 0, r = read_text(path, &ret->text);

	if (r < 0) {
		fprintf(stderr, "nwtruth: %s: %s\n", path, strerror(-r));
		return r;
	}
	ret->warm_ms = 3000;
	ret->judge_ms = 4000;
	ret->ring_mib = 64;
	ret->trace_mib = 2048;
	for (char *line = ret->text; line; line = rest) {
		rest = strchr(line, '\n');
		if (rest)
			*rest++ = '\0';
		line_number++;
		if (line[0] == '#')
			continue;
		r = take_line(ret, line);
		if (r < 0) {
			fprintf(stderr, "nwtruth: %s:%d: %s\n", path, line_number, strerror(-r));
			return r;
		}
	}
	return 0;
}
