# Sourced by ./run and ./test: sets $python to a Python that is new enough, installing one if it must.
# shellcheck shell=bash

python_is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    local candidate
    for candidate in /usr/bin/python3 python3 python3.14 python3.13 python3.12 python3.11; do
        python="$(command -v "$candidate")" && python_is_new_enough "$python" && return 0
    done
    return 1
}

stop() {
    printf '\n' >&2
    printf '%s\n' "$@" >&2
    exit 1
}

install_python() {
    local admin=() version packages
    case " $* " in *' --no-system '*) stop \
        'Benchwright needs Python 3.11 or newer, this machine has none, and --no-system forbids to install it.' \
        'Next step: install python3 (3.11 or newer) with its venv module, then start this command again.' ;;
    esac
    command -v apt-get >/dev/null || stop \
        'Benchwright needs Python 3.11 or newer, and this machine has none.' \
        'Next step: install python3 (3.11 or newer) with its venv module, then start this command again.'
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || stop \
            'Benchwright needs Python 3.11 or newer, and this account may not install packages.' \
            'Next step: ask an administrator to run:' \
            '    apt-get install --no-install-recommends python3 python3-venv debian-archive-keyring bubblewrap libseccomp2 g++ make' \
            '(on Ubuntu 22.04 with python3.11 and python3.11-venv in place of the first two),' \
            'then start this command again.'
        admin=(sudo)
        echo 'To install Python, sudo may ask for your password.'
    fi
    echo 'Installing Python …'
    "${admin[@]}" apt-get -qq update || true
    version="$(apt-cache show python3 2>/dev/null | sed -n 's/^Version: 3\.\([0-9]*\).*/\1/p' | sort -n | tail -n 1)"
    packages=(python3 python3-venv)
    if [ "${version:-0}" -lt 11 ]; then
        for version in 13 12 11; do
            packages=("python3.$version" "python3.$version-venv")
            apt-cache show "${packages[0]}" >/dev/null 2>&1 && break
        done
    fi
    "${admin[@]}" env DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes \
        apt-get -qq install -y --no-install-recommends "${packages[@]}" >/dev/null || stop \
        "Python 3.11 or newer could not be installed: the packages ${packages[*]} are not to be had from this machine's package sources." \
        'Next step: read the lines above. On Ubuntu 22.04, switch on the sources "universe" and "jammy-updates"; on an older system, install' \
        'Python 3.11 or newer yourself, so that python3.11 is on the PATH. Then start this command again.'
    find_python || stop \
        'Python was installed, but no python3 of version 3.11 or newer is on the PATH.' \
        'Next step: open a new terminal and start this command again.'
}

find_python || install_python "$@"
