# One case of code that must not compile. Line 1 of the case is `// expect: <regex>`, the diagnostic; `#ifdef
# WEIR_CONTROL` holds its valid twin. Red when the twin fails, the case compiles, or the diagnostic is another.
#   cmake -DCOMPILER=g++ "-DFLAGS=-std=c++20;-I..." -DCASE=<file> -P check.cmake

cmake_minimum_required(VERSION 3.25)

file(STRINGS ${CASE} first LIMIT_COUNT 1)
if(NOT first MATCHES "^// expect: (.+)$")
  message(FATAL_ERROR "line 1 must read `// expect: <regex>` in ${CASE}")
endif()
set(expected "${CMAKE_MATCH_1}")

set(compile ${COMPILER} ${FLAGS} -fsyntax-only)
execute_process(COMMAND ${compile} -DWEIR_CONTROL ${CASE} RESULT_VARIABLE control ERROR_VARIABLE text)
if(NOT control EQUAL 0)
  message(FATAL_ERROR "the valid twin does not compile:\n${text}")
endif()

execute_process(COMMAND ${compile} ${CASE} RESULT_VARIABLE broken ERROR_VARIABLE text)
if(broken EQUAL 0)
  message(FATAL_ERROR "the case compiles")
endif()
# Neither a file name nor a quoted source line is a diagnostic, and either would match what it should prove.
string(REPLACE "${CASE}" "" text "${text}")
string(REGEX REPLACE "\n *[0-9]* \\|[^\n]*" "" text "${text}")
if(NOT text MATCHES "${expected}")
  message(FATAL_ERROR "no diagnostic matches `${expected}`:\n${text}")
endif()
