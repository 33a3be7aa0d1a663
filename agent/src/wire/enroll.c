#include "wire/enroll.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file_io.h"

#define TOKEN_MAX_BYTES 256

static bool is_token(const char *text)
{
	if (*text == '\0')
		return false;
	for (; *text; text++) {
		if ((unsigned char)*text <= ' ' || (unsigned char)*text >= 0x7f)
			return false;
	}
	return true;
}

int enroll_token_read(const struct sender_options *options, char **ret_token)
{
	cleanup(freep) char *token = NULL;
	int r;

	if (options->enroll_token) {
		token = strdup(options->enroll_token);
		if (!token)
			return -ENOMEM;
	} else if (options->enroll_token_file) {
		r = file_read(AT_FDCWD, options->enroll_token_file, TOKEN_MAX_BYTES, &token, NULL);
		if (r < 0)
			return r == -ENOENT ? -ENXIO : r;
		token[strcspn(token, "\r\n")] = '\0';
	} else {
		return -ENOENT;
	}
	if (!is_token(token))
		return -EINVAL;
	*ret_token = take_ptr(token);
	return 0;
}
