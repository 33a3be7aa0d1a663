#pragma once

#include "wire/credentials.h"
#include "wire/send.h"

/* -ENOENT: none is configured. -EINVAL: the file holds no token. The caller frees. */
int enroll_token_read(const struct sender_options *options, char **ret_token);
