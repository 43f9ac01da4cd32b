# shellcheck shell=bash
# Sourced by tests/run, bench/run and .ci/run: installs what is missing, says what it does, watches builds.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}
export CMAKE_BUILD_PARALLEL_LEVEL CTEST_PARALLEL_LEVEL

say() { printf '[weir] %s\n' "$*"; }

has_command() { command -v "$1" >/dev/null; }
has_header() { printf '#include <%s>\n' "$1" | c++ -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; }
has_cmake() { has_command cmake && [ "$(printf '3.25\n%s\n' "$(cmake --version | grep -o '[0-9][0-9.]*' | head -1)" | sort -V | head -1)" = 3.25 ]; }

missing=()
# need <Debian package> <test>...: remembers the package when the test fails.
need() {
  local package=$1
  shift
  "$@" || missing+=("$package")
}

need_libraries() {
  need g++ has_command g++
  need cmake has_cmake
  need ninja-build has_command ninja
  need libfmt-dev has_header fmt/format.h
  need nlohmann-json3-dev has_header nlohmann/json.hpp
  need libbenchmark-dev has_header benchmark/benchmark.h
  need libcli11-dev has_header CLI/CLI.hpp
}

need_tests() {
  need_libraries
  need libgtest-dev has_header gtest/gtest.h
}

need_clang() {
  need clang-19 has_command clang++-19
  need libclang-rt-19-dev test -n "$(ls /usr/lib/llvm-19/lib/clang/19/lib/*/*tsan* 2>/dev/null)"
}

# Installs what need() found missing, or says exactly what to install and ends with 2.
install_missing() {
  if [ ${#missing[@]} -gt 0 ]; then
    local apt=(apt-get install -y --no-install-recommends "${missing[@]}") as=()
    if ! has_command apt-get; then
      say "missing, by their Debian names: ${missing[*]}"
      say "please install them with this system's package manager (CMake >= 3.25, g++ >= 12) and call again"
      exit 2
    fi
    if [ "$(id -u)" != 0 ]; then
      if ! sudo -n true 2>/dev/null; then
        say "missing: ${missing[*]}"
        say "please run:  sudo ${apt[*]}"
        exit 2
      fi
      as=(sudo -n)
    fi
    say "installing ${missing[*]} (about a minute)"
    local log
    log=$(mktemp)
    if ! { "${as[@]}" apt-get update && "${as[@]}" env DEBIAN_FRONTEND=noninteractive "${apt[@]}"; } >"$log" 2>&1; then
      tail -20 "$log"
      say "the installation failed; please run by hand:  ${apt[*]}"
      exit 2
    fi
    rm -f "$log"
  fi
  export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}
}

# watched <log> <what> <command>...: runs it with its output in the log, and every 15 s a line with the build's
# own [done/all]. A failure shows the end of the log.
watched() {
  local log=$1 what=$2 start=$SECONDS beat=15 code=0
  shift 2
  say "$what"
  set -m  # a process group of its own, so that Ctrl-C ends the compilers too
  "$@" >"$log" 2>&1 &
  local pid=$!
  set +m
  trap 'kill -- -$pid; exit 130' INT TERM
  while kill -0 $pid 2>/dev/null; do
    sleep 1
    if ((SECONDS - start >= beat)); then
      say "  ... $((SECONDS - start)) s $(grep -o '^\[ *[0-9]*[/%][^]]*\]' "$log" | tail -1)"
      ((beat += 15))
    fi
  done
  wait $pid || code=$?
  trap - INT TERM
  if [ $code != 0 ]; then
    tail -60 "$log"
    say "failed (exit code $code); all of it is in $log"
  fi
  return $code
}

# workflow <preset> <what>: configure, build and test; the last line is CTest's own.
workflow() {
  local preset=$1 log=$root/build/$1.log
  mkdir -p "$root/build"
  (cd "$root" && watched "$log" "$2" cmake --workflow --preset "$preset") || { ctest_line "$log"; return 1; }
  ctest_line "$log"
}

ctest_line() { grep -E 'tests? passed, [0-9]+ tests? failed out of|No tests were found' "$1" | tail -1; }
