#!/bin/sh
# Installs the command `gdl` into $GDL_INSTALL, by default ~/.local/bin:
#
#     curl -LsSf @FROM@/gdl-installer.sh | sh
set -eu

say() { printf 'gdl-installer: %s\n' "$*" >&2; }

fetch() {
    if command -v curl >/dev/null; then
        curl --location --silent --show-error --fail --output "$1" "$from/$1"
    else
        wget --quiet --output-document "$1" "$from/$1"
    fi
}

# A function, so that nothing runs if the script arrives in part.
install_gdl() {
    from='@FROM@'
    into="${GDL_INSTALL:-$HOME/.local/bin}"
    case "$(uname -s) $(uname -m)" in
    'Linux x86_64') target=x86_64-unknown-linux-gnu ;;
    'Linux aarch64') target=aarch64-unknown-linux-gnu ;;
    'Darwin x86_64') target=x86_64-apple-darwin ;;
    'Darwin arm64') target=aarch64-apple-darwin ;;
    *)
        say "there is no program for $(uname -s) $(uname -m): build it by" \
            '`cargo install gdl-cli --features full`'
        exit 1
        ;;
    esac
    mkdir -p "$into"
    into=$(cd "$into" && pwd)
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cd "$folder"
    fetch SHA256SUMS
    fetch "gdl-$target.tar.gz"
    grep "[ /]gdl-$target\.tar\.gz\$" SHA256SUMS >sum
    if command -v sha256sum >/dev/null; then sha256sum --status --check sum; else shasum --status -a 256 --check sum; fi || {
        say "gdl-$target.tar.gz is damaged: try again"
        exit 1
    }
    tar -xzf "gdl-$target.tar.gz"
    # A program that runs is replaced, not overwritten.
    mv "gdl-$target/gdl" "$into/gdl.new"
    mv "$into/gdl.new" "$into/gdl"
    "$into/gdl" --version | sed 1q
    case ":$PATH:" in
    *":$into:"*) ;;
    *) say "add $into to the path" ;;
    esac
}

install_gdl
