# Checks the headers under ROOT/include/weir against ROOT/cmake/layers.txt and ROOT/cmake/headers.cmake, and
# names each fault as file:line.   cmake -DROOT=<tree> -P check_layers.cmake
#
# Faults: an include against the rank or of an equal rank; a room that the table does not know; a third-party,
# system or banned header where the table does not permit it; an include by quotes; a header that reaches from
# its FILE_SET into a higher one; a header in no FILE_SET, in two, or listed but missing.

cmake_minimum_required(VERSION 3.25)

include(${ROOT}/cmake/headers.cmake)

# Never in include/: each costs every user 25,000 to 55,000 preprocessed lines, or differs between standard
# libraries.
set(banned iostream regex random)

set(faults 0)
macro(fault where text)
  message("${where}: ${text}")
  math(EXPR faults "${faults} + 1")
endmacro()

# The table.
file(STRINGS ${ROOT}/cmake/layers.txt table REGEX "^[a-z]")
foreach(line IN LISTS table)
  string(REGEX MATCHALL "[^ \t]+" words "${line}")
  list(POP_FRONT words room rank)
  set(rank_${room} ${rank})
  set(permits_${room} ${words})
endforeach()

# The FILE_SETs, lowest first: a header of one set may include that set and those before it.
set(level 0)
foreach(set IN ITEMS CORE JSON GBENCH)
  foreach(header IN LISTS WEIR_${set}_HEADERS)
    if(DEFINED "level_${header}")
      fault("cmake/headers.cmake" "${header} is listed twice")
    elseif(NOT EXISTS ${ROOT}/${header})
      fault("cmake/headers.cmake" "${header} is listed but does not exist")
    endif()
    set("level_${header}" ${level})
  endforeach()
  math(EXPR level "${level} + 1")
endforeach()

# What kind of header `<name>` is: empty for the standard library.
function(kind_of name out)
  if(name MATCHES "^(fmt|nlohmann|benchmark)/")
    set(kind ${CMAKE_MATCH_1})
  elseif(name MATCHES "^(.*intrin|cpuid)\\.h$")
    set(kind intrinsics)
  elseif(name MATCHES "\\.h$")
    set(kind posix)
  elseif(name MATCHES "/")
    set(kind unknown)
  elseif(name STREQUAL "thread")
    set(kind thread)
  elseif(name IN_LIST banned)
    set(kind banned)
  else()
    set(kind "")
  endif()
  set(${out} "${kind}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE headers RELATIVE ${ROOT} ${ROOT}/include/weir/*)
foreach(header IN LISTS headers)
  get_filename_component(file ${header} NAME)
  # include/weir/<room>/... or the room's umbrella include/weir/<room>.hpp; core and weir are no rooms.
  string(REGEX REPLACE "^include/weir/([^/.]+).*" "\\1" room ${header})
  if(header MATCHES "^include/weir/(core|weir)\\.hpp$")
    set(room "")
  elseif(NOT DEFINED rank_${room})
    fault("${header}:1" "room '${room}' is not in cmake/layers.txt")
    continue()
  endif()
  if(NOT DEFINED "level_${header}")
    fault("${header}:1" "is in no FILE_SET: add it to cmake/headers.cmake")
    continue()
  endif()

  # A list of lines: characters that mean something to CMake's lists go first.
  file(READ ${ROOT}/${header} text)
  string(REGEX REPLACE "[][;\\]" "" text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(NOT line MATCHES "^[ \t]*#[ \t]*include[ \t]*(.*)")
      continue()
    endif()
    set(where "${header}:${number}")
    set(target "${CMAKE_MATCH_1}")
    if(NOT target MATCHES "^<([^>]+)>")
      fault("${where}" "include as <weir/room/file.hpp>, not ${target}")
      continue()
    endif()
    set(target ${CMAKE_MATCH_1})

    if(target MATCHES "^weir/([^/.]+)")
      set(other ${CMAKE_MATCH_1})
      if(DEFINED "level_include/${target}" AND "${level_include/${target}}" GREATER "${level_${header}}")
        fault("${where}" "<${target}> is in a higher FILE_SET of cmake/headers.cmake")
      elseif(room STREQUAL "" OR room STREQUAL other)
        continue()
      elseif(NOT DEFINED rank_${other})
        fault("${where}" "room '${other}' is not in cmake/layers.txt")
      elseif(rank_${other} GREATER_EQUAL rank_${room})
        fault("${where}"
          "${room} (rank ${rank_${room}}) must not include ${other} (rank ${rank_${other}}): <${target}>")
      endif()
    else()
      kind_of(${target} kind)
      if(NOT kind STREQUAL "" AND NOT kind IN_LIST permits_${room} AND NOT "${kind}@${file}" IN_LIST permits_${room})
        fault("${where}" "${kind} header <${target}> is not permitted here by cmake/layers.txt")
      endif()
    endif()
  endforeach()
endforeach()

if(faults GREATER 0)
  message(FATAL_ERROR "${faults} fault(s) against the layers")
endif()
