# Breaks a sound tree in each way that cmake/check_layers.cmake must catch, and wants it red with file and line.
#   cmake -DCHECK=<check_layers.cmake> -DWORK=<empty directory> -P check_layers_test.cmake

cmake_minimum_required(VERSION 3.25)

# header(<path below include/weir> <line>...): writes a header whose line 3 onwards is given.
function(header path)
  list(JOIN ARGN "\n" lines)
  file(WRITE ${WORK}/include/weir/${path} "#pragma once\n\n${lines}\n")
endfunction()

# list_headers(<set> <path>...): the FILE_SET of that name.
function(list_headers set)
  list(TRANSFORM ARGN PREPEND "include/weir/")
  list(JOIN ARGN "\n  " paths)
  file(APPEND ${WORK}/cmake/headers.cmake "set(WEIR_${set}_HEADERS\n  ${paths}\n)\n")
endfunction()

function(sound_tree)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${WORK}/cmake/layers.txt
    "# comment\nlow 0 posix@os.hpp\nleft 1\nright 1 intrinsics\nhigh 2 nlohmann@json.hpp thread@engine.hpp\nglue 3 benchmark\n")
  list_headers(CORE core.hpp low.hpp low/a.hpp low/os.hpp left/a.hpp left/b.hpp right/a.hpp high/a.hpp high/engine.hpp)
  list_headers(JSON weir.hpp high/json.hpp)
  list_headers(GBENCH glue/a.hpp)
  header(core.hpp "#include <weir/low.hpp>" "#include <weir/high/a.hpp>")
  header(low.hpp "#include <weir/low/a.hpp>  // IWYU pragma: export")
  header(low/a.hpp "#include <vector>" "// #include <iostream>")
  header(low/os.hpp "#include <sys/syscall.h>" "#include <time.h>")
  header(left/a.hpp "#include <weir/low/a.hpp>" "#include <weir/left/b.hpp>")
  header(left/b.hpp "int b[3];")
  header(right/a.hpp "#include <x86intrin.h>")
  header(high/a.hpp "#include <weir/left/a.hpp>" "#include <weir/right/a.hpp>")
  header(high/engine.hpp "#include <thread>")
  header(weir.hpp "#include <weir/core.hpp>" "#include <weir/high/json.hpp>")
  header(high/json.hpp "#include <nlohmann/json.hpp>")
  header(glue/a.hpp "#include <benchmark/benchmark.h>" "#include <weir/high/json.hpp>")
endfunction()

function(run)
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK} -P ${CHECK}
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(result ${result} PARENT_SCOPE)
  set(text "${text}" PARENT_SCOPE)
endfunction()

# must_fail(<expected text>): the tree as it stands is refused with one fault, this one; mends it afterwards.
function(must_fail expected)
  run()
  string(FIND "${text}" "${expected}" found)
  string(FIND "${text}" "1 fault(s)" alone)
  if(result EQUAL 0 OR found EQUAL -1 OR alone EQUAL -1)
    message(SEND_ERROR "wanted a single fault with '${expected}', got (exit ${result}):\n${text}")
  endif()
  sound_tree()
endfunction()

sound_tree()
run()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the sound tree is refused:\n${text}")
endif()

header(low/a.hpp "" "#include <vector>" "#include <weir/left/b.hpp>")
must_fail("include/weir/low/a.hpp:5: low (rank 0) must not include left (rank 1)")

# Brackets and semicolons mean something to CMake's lists, nothing to the line count.
file(WRITE ${WORK}/include/weir/left/a.hpp "int a[] = {1; 2}; // [\n;\n\n#include <weir/right/a.hpp>\n")
must_fail("include/weir/left/a.hpp:4: left (rank 1) must not include right (rank 1)")

header(high/a.hpp "#include <weir/attic/a.hpp>")
must_fail("include/weir/high/a.hpp:3: room 'attic' is not in cmake/layers.txt")

header(attic/a.hpp "")
must_fail("include/weir/attic/a.hpp:1: room 'attic' is not in cmake/layers.txt")

header(attic.hpp "")
must_fail("include/weir/attic.hpp:1: room 'attic' is not in cmake/layers.txt")

header(high/a.hpp "#include <nlohmann/json_fwd.hpp>")
must_fail("include/weir/high/a.hpp:3: nlohmann header <nlohmann/json_fwd.hpp> is not permitted")

header(high/json.hpp "#  include <fmt/format.h>")
must_fail("include/weir/high/json.hpp:3: fmt header <fmt/format.h> is not permitted")

header(low/a.hpp "#include <unistd.h>")
must_fail("include/weir/low/a.hpp:3: posix header <unistd.h> is not permitted")

header(left/b.hpp "#include <x86intrin.h>")
must_fail("include/weir/left/b.hpp:3: intrinsics header <x86intrin.h> is not permitted")

header(high/a.hpp "#include <thread>")
must_fail("include/weir/high/a.hpp:3: thread header <thread> is not permitted")

header(left/b.hpp "#include <iostream>")
must_fail("include/weir/left/b.hpp:3: banned header <iostream> is not permitted")

header(left/b.hpp "#include <boost/asio.hpp>")
must_fail("include/weir/left/b.hpp:3: unknown header <boost/asio.hpp> is not permitted")

header(left/a.hpp "#include \"b.hpp\"")
must_fail("include/weir/left/a.hpp:3: include as <weir/room/file.hpp>, not \"b.hpp\"")

header(core.hpp "#include <weir/high/json.hpp>")
must_fail("include/weir/core.hpp:3: <weir/high/json.hpp> is in a higher FILE_SET")

header(left/c.hpp "")
must_fail("include/weir/left/c.hpp:1: is in no FILE_SET")

file(APPEND ${WORK}/cmake/headers.cmake "list(APPEND WEIR_GBENCH_HEADERS include/weir/weir.hpp)\n")
must_fail("include/weir/weir.hpp is listed twice")

file(APPEND ${WORK}/cmake/headers.cmake "list(APPEND WEIR_CORE_HEADERS include/weir/left/gone.hpp)\n")
must_fail("include/weir/left/gone.hpp is listed but does not exist")
