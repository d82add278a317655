# Installs what is missing to build snekpy, and puts a new enough Rust first on PATH.
#
# Sourced by ./run, ./test and .ci/run, from the root of the repository. Does nothing when nothing is
# missing. For Debian 12 or 13 and Ubuntu 24.04 or newer; elsewhere it says what is needed.

RUST_MIN_MINOR=96 # Rust 1.96, see rust-version in Cargo.toml

# Linked into the binary: LLVM 22, and what LLVM itself needs. `cc` links, and LLVM is C++.
PACKAGES=(gcc g++ libc6-dev llvm-22-dev libpolly-22-dev zlib1g-dev libzstd-dev)

say() { echo "snekpy: $*" >&2; }
die() {
    say "$*"
    exit 1
}

# Is the package installed?
have_package() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Runs a command as root.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        # Without a terminal nobody can type a password.
        if [ -t 0 ]; then sudo "$@"; else sudo -n "$@"; fi
    else
        die "must be root (or have sudo) to run: $*"
    fi
}

apt_updated=
apt_update() {
    [ -n "$apt_updated" ] && return
    as_root apt-get update -q >&2 || say "apt-get update failed, going on with the lists there are"
    apt_updated=yes
}

apt_install() {
    command -v apt-get >/dev/null ||
        die "this is no Debian or Ubuntu: install the equivalents of $*, then start again"
    apt_update
    say "installing with apt-get: $*"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" >&2 ||
        die "apt-get could not install: $*"
}

# Can apt-get install this package?
apt_has() {
    command -v apt-cache >/dev/null || return 1
    local candidate
    candidate=$(apt-cache policy "$1" 2>/dev/null | awk '/Candidate:/ { print $2 }')
    [ -n "$candidate" ] && [ "$candidate" != "(none)" ]
}

# LLVM 22 where the distribution has none: the packages of the LLVM project.
add_llvm_source() {
    local codename
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    [ -n "$codename" ] || die "cannot tell which release this is: install llvm-22-dev by hand"
    have_package ca-certificates && command -v curl >/dev/null || apt_install ca-certificates curl
    say "adding apt.llvm.org to the package sources: $codename has no llvm-22-dev"
    as_root mkdir -p /etc/apt/keyrings
    local key
    key=$(mktemp)
    curl -fsSL --connect-timeout 20 https://apt.llvm.org/llvm-snapshot.gpg.key -o "$key" ||
        die "no llvm-22-dev: the distribution has none and apt.llvm.org does not answer"
    as_root install -m 644 "$key" /etc/apt/keyrings/apt.llvm.org.asc
    rm -f "$key"
    echo "deb [signed-by=/etc/apt/keyrings/apt.llvm.org.asc] https://apt.llvm.org/$codename/ llvm-toolchain-$codename-22 main" |
        as_root tee /etc/apt/sources.list.d/llvm-22.list >/dev/null
    apt_updated=
    apt_update
}

setup_packages() {
    local missing=() package
    for package in "${PACKAGES[@]}"; do
        have_package "$package" || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] && return
    command -v apt-get >/dev/null ||
        die "this is no Debian or Ubuntu: install the equivalents of ${missing[*]}, then start again"
    apt_update
    apt_has llvm-22-dev || add_llvm_source
    apt_install "${missing[@]}"
}

# The minor version of a 1.x rustc; 0 if it does not run.
rust_minor() {
    local version
    version=$("$1" --version 2>/dev/null) || version=
    version=${version#rustc 1.}
    version=${version%%.*}
    case $version in '' | *[!0-9]*) echo 0 ;; *) echo "$version" ;; esac
}

# Finds a folder with cargo and a new enough rustc and puts it first on PATH. An older one that comes
# earlier on PATH is stepped over.
find_rust() {
    local folder folders
    IFS=: read -ra folders <<<"$PATH:/usr/bin:${CARGO_HOME:-${HOME:-/root}/.cargo}/bin"
    for folder in "${folders[@]}"; do
        [ -x "$folder/cargo" ] && [ -x "$folder/rustc" ] || continue
        if [ "$(rust_minor "$folder/rustc")" -ge "$RUST_MIN_MINOR" ]; then
            export PATH="$folder:$PATH"
            return 0
        fi
    done
    return 1
}

# rustup's toolchain, where its server answers.
install_rustup() {
    command -v curl >/dev/null || apt_install ca-certificates curl
    curl -fsS --connect-timeout 10 --max-time 30 -o /dev/null https://static.rust-lang.org/rustup/release-stable.toml ||
        return 1
    local rustup=${CARGO_HOME:-${HOME:-/root}/.cargo}/bin/rustup
    if [ -x "$rustup" ]; then
        say "updating Rust with rustup"
        "$rustup" toolchain install stable --profile minimal -c clippy -c rustfmt >&2 && "$rustup" default stable >&2
    else
        say "installing Rust with rustup, into your home folder"
        curl -fsS --connect-timeout 20 https://sh.rustup.rs |
            sh -s -- -y -q --profile minimal -c clippy -c rustfmt --default-toolchain stable --no-modify-path >&2
    fi
}

setup_rust() {
    find_rust && return
    say "no Rust 1.$RUST_MIN_MINOR or newer here"
    install_rustup && find_rust && return
    apt_update
    local package
    for package in rust-web-all rust-all; do
        if apt_has "$package" && apt_offers_rust "$package"; then
            apt_install "$package"
            find_rust && return
        fi
    done
    die "needs Rust 1.$RUST_MIN_MINOR or newer: neither rustup nor apt-get could bring it"
}

# Is the distribution's Rust new enough?
apt_offers_rust() {
    local version
    version=$(apt-cache policy "$1" | awk '/Candidate:/ { print $2 }')
    command -v dpkg >/dev/null && dpkg --compare-versions "$version" ge "1.$RUST_MIN_MINOR"
}

setup_packages
setup_rust
