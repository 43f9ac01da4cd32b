# check.cmake must be red for each of its faults.
#   cmake -DCOMPILER=g++ -DCHECK=<check.cmake> -DWORK=<empty directory> -P check_test.cmake

cmake_minimum_required(VERSION 3.25)

# try(<expected text, empty for success> <name of the case> <line>...)
function(try expected name)
  list(JOIN ARGN "\n" text)
  string(REPLACE "@" ";" text "${text}")  # a semicolon would split the list of lines
  file(WRITE ${WORK}/${name}.cpp "${text}\n")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DCOMPILER=${COMPILER} -DFLAGS=-std=c++20 -DCASE=${WORK}/${name}.cpp -P ${CHECK}
    RESULT_VARIABLE result ERROR_VARIABLE text)
  string(FIND "${text}" "${expected}" found)
  if(found EQUAL -1 OR (expected STREQUAL "" AND NOT result EQUAL 0) OR (NOT expected STREQUAL "" AND result EQUAL 0))
    message(SEND_ERROR "wanted '${expected}', got (exit ${result}):\n${text}")
  endif()
endfunction()

set(twin "#ifdef WEIR_CONTROL" "int twin = 1@" "#else")
try("" sound "// expect: unknown_word" ${twin} "int broken = unknown_word@" "#endif")
try("the valid twin does not compile" bad_twin "// expect: unknown_word" "int broken = unknown_word@")
try("the case compiles" compiles "// expect: unknown_word" ${twin} "int fine = 2@" "#endif")
try("no diagnostic matches" other "// expect: unknown_word" ${twin} "int broken = another_word@" "#endif")
try("no diagnostic matches" unknown_word "// expect: unknown_word" ${twin} "int broken = another_word@" "#endif")
try("must read" headless "int a@")
