# Runs a bench binary and holds it to its exit code and its output. Red for any other code, a crash included.
#   cmake -DPROGRAM=<file> "-DARGUMENTS=<flag>;..." "-DEXIT=0;3;4" -P check_program.cmake, and before -P, if wanted:
#     -DOUT=<regex> -DERR=<regex>     what stdout and stderr must match
#     "-DCOUNTERS=<name>;..."         stdout is JSON, and each of its benchmarks has these numbers
#     -DRESULTS=<folder>              emptied before; afterwards it holds pipeline-results/*.json and environment.json
#     -DSOUND=ON                      no sample may be invalid for a reason that a noisy host cannot bring about
#     -DNO_ERR=ON                     nothing may be said on stderr
#     -DUNTOUCHED=<path>              must not exist afterwards

cmake_minimum_required(VERSION 3.25)

if(RESULTS)
  file(REMOVE_RECURSE ${RESULTS})
endif()

execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)

function(fault text)
  list(JOIN ARGUMENTS " " arguments)
  message(FATAL_ERROR "${PROGRAM} ${arguments}\n${text}\nexit ${code}, stdout:\n${out}\nstderr:\n${err}")
endfunction()

if(NOT code IN_LIST EXIT)
  fault("wanted exit ${EXIT}")
endif()
if(OUT AND NOT out MATCHES "${OUT}")
  fault("stdout does not match ${OUT}")
endif()
if(ERR AND NOT err MATCHES "${ERR}")
  fault("stderr does not match ${ERR}")
endif()
if(SOUND AND "${out}${err}" MATCHES
   "job_failed|rows_(missing|duplicated|exchanged|reordered)|payload_corrupt|checksum_|negative_latency|latency_unmeasured")
  fault("not valid, whatever the host: ${CMAKE_MATCH_0}")
endif()
if(NO_ERR AND NOT err STREQUAL "")
  fault("stderr is not empty")
endif()
if(UNTOUCHED AND EXISTS ${UNTOUCHED})
  fault("${UNTOUCHED} was left behind")
endif()

# json(<out> <expected type> <text> <path>...)
function(json result type text)
  string(JSON found ERROR_VARIABLE failed TYPE "${text}" ${ARGN})
  if(failed OR NOT found STREQUAL type)
    fault("JSON at ${ARGN}: wanted ${type}, found ${found} ${failed}")
  endif()
  string(JSON value GET "${text}" ${ARGN})
  set(${result} "${value}" PARENT_SCOPE)
endfunction()

if(COUNTERS)
  json(ignored ARRAY "${out}" benchmarks)
  string(JSON count LENGTH "${out}" benchmarks)
  if(count EQUAL 0)
    fault("JSON without a benchmark")
  endif()
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    foreach(counter IN LISTS COUNTERS)
      json(ignored NUMBER "${out}" benchmarks ${i} ${counter})
    endforeach()
  endforeach()
endif()

if(RESULTS)
  file(GLOB results ${RESULTS}/pipeline-results/*.json)
  file(GLOB others ${RESULTS}/pipeline-results/*)
  if(NOT results OR NOT results STREQUAL others)
    fault("pipeline-results holds: ${others}")
  endif()
  foreach(result IN LISTS results)
    file(READ ${result} text)
    json(id STRING "${text}" run_id)
    json(ignored NUMBER "${text}" event_time_latency_p99_ms)
    json(ignored ARRAY "${text}" reasons)
    if(NOT result MATCHES "/${id}\\.json$" OR NOT id MATCHES "^.+-[0-9]+-[0-9]+$")
      fault("${result} holds run_id ${id}")
    endif()
  endforeach()
  file(READ ${RESULTS}/environment.json text)
  json(ignored STRING "${text}" compiler)
endif()
