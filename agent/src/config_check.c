#include "config_check.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

#define WIRE_WINDOW_NS 10000000000ULL /* what the backend's tables are made for */

static void curl_url_cleanupp(CURLU **url)
{
	curl_url_cleanup(*url);
}

static void curl_freep(char **text)
{
	curl_free(*text);
}

static bool is_loopback(const char *host)
{
	struct in_addr v4;
	struct in6_addr v6;
	char bare[64];
	size_t length = strlen(host);

	if (strcmp(host, "localhost") == 0)
		return true;
	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	if (length < 3 || length >= sizeof(bare) || host[0] != '[')
		return false;
	memcpy(bare, host + 1, length - 2);
	bare[length - 2] = '\0';
	return inet_pton(AF_INET6, bare, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

static bool has_part(CURLU *url, CURLUPart part)
{
	cleanup(curl_freep) char *text = NULL;

	return curl_url_get(url, part, &text, 0) == CURLUE_OK && text[0] != '\0';
}

static int check_server(const struct config *config, struct config_error *error)
{
	cleanup(curl_url_cleanupp) CURLU *url = curl_url();
	cleanup(curl_freep) char *scheme = NULL;
	cleanup(curl_freep) char *host = NULL;

	if (!url || curl_url_set(url, CURLUPART_URL, config->server, 0) != CURLUE_OK ||
	    curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
	    curl_url_get(url, CURLUPART_HOST, &host, 0) != CURLUE_OK) {
		snprintf(error->message, sizeof(error->message),
			 "server: '%s' is no URL (allowed: https://HOST[:PORT])", config->server);
		return -EINVAL;
	}
	if (has_part(url, CURLUPART_USER) || has_part(url, CURLUPART_QUERY) ||
	    has_part(url, CURLUPART_FRAGMENT)) {
		snprintf(error->message, sizeof(error->message),
			 "server: no user name, query or fragment may be in it (allowed: "
			 "https://HOST[:PORT])");
		return -EINVAL;
	}
	if (strcmp(scheme, "https") == 0)
		return 0;
	if (strcmp(scheme, "http") != 0) {
		snprintf(error->message, sizeof(error->message),
			 "server: '%s' is neither https nor http", config->server);
		return -EINVAL;
	}
	if (is_loopback(host) || config->allow_plain_http)
		return 0;
	snprintf(error->message, sizeof(error->message),
		 "server: %s is another machine and http is not encrypted; use https, or "
		 "--allow-plain-http if you accept that the token can be read on the way",
		 host);
	return -EINVAL;
}

bool config_is_local(const char *url)
{
	cleanup(curl_url_cleanupp) CURLU *parsed = curl_url();
	cleanup(curl_freep) char *host = NULL;

	return parsed && curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK &&
	       curl_url_get(parsed, CURLUPART_HOST, &host, 0) == CURLUE_OK && is_loopback(host);
}

int config_check(const struct config *config, enum config_command command,
		 struct config_error *ret_error)
{
	if (config->state_dir[0] != '/') {
		snprintf(ret_error->message, sizeof(ret_error->message),
			 "state_dir: '%s' must be an absolute path", config->state_dir);
		return -EINVAL;
	}
	if (config->enroll_token && config->enroll_token_file) {
		snprintf(ret_error->message, sizeof(ret_error->message),
			 "enroll_token and enroll_token_file are both set: set one");
		return -EINVAL;
	}
	if (config->server && check_server(config, ret_error) < 0)
		return -EINVAL;
	if (command != CONFIG_RUN || config->to_stdout)
		return 0;
	if (!config->server) {
		snprintf(ret_error->message, sizeof(ret_error->message),
			 "server: not set; give --server URL, or --stdout to print without a "
			 "backend");
		return -EINVAL;
	}
	if (config->window_ns != WIRE_WINDOW_NS) {
		snprintf(ret_error->message, sizeof(ret_error->message),
			 "window: a backend takes windows of 10s only; another length goes with "
			 "--stdout");
		return -EINVAL;
	}
	return 0;
}
