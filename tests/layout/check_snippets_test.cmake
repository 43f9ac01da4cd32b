# A sound document passes; each kind of rot turns cmake/check_snippets.cmake red.
#   cmake -DCHECK=<check_snippets.cmake> -DWORK=<empty directory> -P check_snippets_test.cmake

cmake_minimum_required(VERSION 3.25)

set(code "int a[2];\nif (a[0]) {\n  return;  // [x]; \\n\n}")
string(REPLACE "\n" "\n  " indented "${code}")
set(marker "<!-- snippet: quick.cpp#quick -->\n")

# try(<expected text, empty for success> <code in the file> <document>)
function(try expected file document)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${WORK}/quick.cpp "${file}")
  file(WRITE ${WORK}/README.md "${document}")
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK} -DDOCUMENTS=README.md -P ${CHECK}
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(FIND "${text}" "${expected}" found)
  if(found EQUAL -1 OR (expected STREQUAL "" AND NOT result EQUAL 0) OR (NOT expected STREQUAL "" AND result EQUAL 0))
    message(SEND_ERROR "wanted '${expected}', got (exit ${result}):\n${text}")
  endif()
endfunction()

set(source "#include <a>\n  // [quick]\n  ${indented}\n  // [/quick]\nint b;\n")
try("" "${source}" "# Title\n\n${marker}```cpp\n${code}\n```\n\n```sh\nls; [ -e x ]\n```\n")
try("" "// [quick]\n${code}\n// [/quick]\n" "${marker}```cpp\n${code}\n```\n")
try("the fence differs from quick.cpp#quick" "${source}" "${marker}```cpp\n${code} \n```\n")
try("the fence differs from quick.cpp#quick" "${source}" "${marker}```cpp\n```\n")
try("the fence differs from quick.cpp#quick" "${source}"
  "${marker}```cpp\n${code}\n```\ntext\n${marker}```cpp\nint rotten;\n```\n")
try("no region [quick] in quick.cpp" "${code}" "${marker}```cpp\n${code}\n```\n")
try("no region [quick] in gone.cpp" "${source}" "<!-- snippet: gone.cpp#quick -->\n```cpp\n${code}\n```\n")
try("a fence without" "${source}" "text\n```cpp\nint loose;\n```\n")
try("a fence without" "${source}" "text\n\n```cmake\nfind_package(weir)\n```\n")
