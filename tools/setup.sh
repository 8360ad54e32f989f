#!/usr/bin/env bash
# Installs what the build needs and says what it installs: Debian packages, and .venv at the root
# with what tools/requirements-dev.txt lists. Idempotent; with everything there it only looks.
#
#   tools/setup.sh              everything
#   tools/setup.sh --packages   the Debian packages alone
#   tools/setup.sh --browser    what tests look at pages with, nothing else
#
# NESTWISE_PYTHON names the interpreter that .venv is made from (default: python3).
set -euo pipefail
cd "$(dirname "$0")/.."

llvm_prefix=${LLVM_SYS_221_PREFIX:-/usr/lib/llvm-22}
python=${NESTWISE_PYTHON:-python3}

say() { printf 'setup: %s\n' "$*"; }
die() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}
any() { compgen -G "$1" >/dev/null; } # does any file match this glob?

# --- Debian packages: looked for by a file of each, so that hand-installed ones count too -------

any_lib() { # does any library folder hold this file?
    local dir
    for dir in /usr/lib /usr/lib64 /usr/lib/*-linux-gnu /usr/local/lib; do
        [[ -e $dir/$1 ]] && return
    done
    return 1
}

missing=()
command -v make >/dev/null || missing+=(make)
command -v cc >/dev/null || missing+=(gcc libc6-dev)
any '/usr/lib/gcc/*/*/libstdc++.a' || missing+=(g++)
[[ -x $llvm_prefix/bin/llvm-config && -e $llvm_prefix/lib/libLLVMCore.a ]] || missing+=(llvm-22-dev)
[[ -e $llvm_prefix/lib/libPolly.a ]] || missing+=(libpolly-22-dev)
any_lib libzstd.so || missing+=(libzstd-dev)
any_lib libz.so || missing+=(zlib1g-dev)
any_lib libffi.so || missing+=(libffi-dev)
command -v "$python" >/dev/null || missing+=(python3 python3-venv)
# Debian splits venv's ensurepip from its python3; other builds of CPython have it inside.
if [[ ! -x .venv/bin/python && $(command -v "$python") == /usr/bin/python3 ]] &&
    ! "$python" -c 'import ensurepip' 2>/dev/null; then
    missing+=(python3-venv)
fi

if [[ ${1:-} == --browser ]]; then
    missing=()
    if ! command -v chromium >/dev/null && ! command -v chrome >/dev/null; then
        # Without it tests of pages are skipped: no reason to end where nobody can install it.
        ((EUID == 0)) && command -v apt-get >/dev/null || {
            say "no Chromium, and nobody here who may install it: pages are not looked at"
            exit 0
        }
        missing+=(chromium)
    fi
fi

if ((${#missing[@]})); then
    command -v apt-get >/dev/null ||
        die "these packages are missing and there is no apt-get to install them: ${missing[*]} (Debian names)"
    ((EUID == 0)) ||
        die "these packages are missing and only root may install them: apt-get install ${missing[*]}"
    say "installing Debian packages: ${missing[*]}"
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    export DEBIAN_FRONTEND=noninteractive
    if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
        >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        die "apt-get could not install: ${missing[*]}"
    fi
fi
[[ ${1:-} == --packages || ${1:-} == --browser ]] && exit 0

PATH=$PATH:$HOME/.cargo/bin command -v cargo >/dev/null ||
    die "there is no cargo: install a Rust toolchain (1.89 or later, https://rustup.rs)"

# --- .venv ---------------------------------------------------------------------------------------

requirements=tools/requirements-dev.txt
stamp=.venv/requirements.installed # a copy of what was installed; differing means install again

if ! .venv/bin/python -c '' 2>/dev/null; then
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
        die "$python is $("$python" -V 2>&1): nestwise needs CPython 3.10 or later (NESTWISE_PYTHON=...)"
    say "creating .venv with $("$python" -V)"
    rm -rf .venv
    "$python" -m venv .venv 2>/dev/null || "$python" -m virtualenv -q .venv 2>/dev/null ||
        die "$python can make no virtual environment: install its venv module (Debian: python3-venv)"
fi
if ! cmp -s "$requirements" "$stamp"; then
    say "installing into .venv: $(sed '/^#/d; s/==.*//' "$requirements" | sort -u | xargs)"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$requirements" ||
        die "pip could not install $requirements"
    cp "$requirements" "$stamp"
fi
