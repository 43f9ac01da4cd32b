# Holds each header of cmake/headers.cmake to its ceiling in header_cost.txt.
#   cmake -DCOMPILER=g++ -DROOT=<tree> -P header_cost.cmake

cmake_minimum_required(VERSION 3.25)

include(${ROOT}/cmake/headers.cmake)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/header_cost.txt ceilings REGEX "^include")

set(faults 0)
foreach(header IN LISTS WEIR_CORE_HEADERS WEIR_JSON_HEADERS WEIR_GBENCH_HEADERS)
  # A header whose libraries are not installed is not this test's business: header verification has them.
  execute_process(
    COMMAND ${COMPILER} -std=c++20 -E -P -x c++ -w -I${ROOT}/include ${ROOT}/${header}
    COMMAND wc -l
    RESULTS_VARIABLE results OUTPUT_VARIABLE lines ERROR_QUIET)
  string(STRIP "${lines}" lines)
  if(NOT results STREQUAL "0;0")
    message("${header}: not counted, preprocessing failed")
    continue()
  endif()
  set(limit 0)
  foreach(ceiling IN LISTS ceilings)
    string(REGEX MATCHALL "[^ ]+" words "${ceiling}")
    list(GET words 0 pattern)
    if(header MATCHES "^${pattern}$")
      list(GET words 1 limit)
      break()
    endif()
  endforeach()
  if(lines GREATER limit)
    message("${header}: ${lines} lines, ceiling ${limit}")
    math(EXPR faults "${faults} + 1")
  else()
    message("${header}: ${lines} of ${limit}")
  endif()
endforeach()

if(faults GREATER 0)
  message(FATAL_ERROR "${faults} header(s) above their ceiling")
endif()
