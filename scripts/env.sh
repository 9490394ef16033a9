# Sourced by the other scripts: a virtual environment of the checkout's own with tilewright in it.
# usage: . scripts/env.sh; tilewright_env EXTRA
tilewright_env() {
    extra=$1
    # Many scripts and tests run a Python of their own, which should not compile all modules anew.
    unset PYTHONDONTWRITEBYTECODE
    python=${PYTHON:-python3}
    if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        echo "tilewright needs Python 3.11 or later; set PYTHON to one" >&2
        exit 1
    fi
    venv=${TILEWRIGHT_VENV:-.venv}
    stamp="$venv/.tilewright-$extra"
    if [ ! -e "$stamp" ] || [ pyproject.toml -nt "$stamp" ]; then
        # pip of the Python at hand can install: to unpack and compile one for the environment takes seconds.
        if "$python" -c 'import sys, pip; sys.exit(tuple(map(int, pip.__version__.split(".")[:2])) < (22, 3))' 2>/dev/null; then
            [ -x "$venv/bin/python" ] || "$python" -m venv --without-pip "$venv"
            set -- "$python" -m pip --python "$venv/bin/python"
        else
            "$python" -m venv "$venv"
            set -- "$venv/bin/python" -m pip
        fi
        requirement=.
        [ "$extra" = none ] || requirement=".[$extra]"
        # Python compiles and keeps what is imported; pip would compile all modules of all packages.
        "$@" install --quiet --disable-pip-version-check --no-compile --editable "$requirement"
        touch "$stamp"
    fi
    venv=$(CDPATH= cd "$venv" && pwd)
}
