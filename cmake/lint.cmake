# Preset `lint`: pinned tools as tests, outside of every build.   cmake --workflow --preset lint

find_program(WEIR_CLANG_FORMAT clang-format-19 REQUIRED)
find_program(WEIR_RUN_CLANG_TIDY run-clang-tidy-19 REQUIRED)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  include/*.hpp bench/*.[ch]pp examples/*.[ch]pp tests/*.[ch]pp)
add_test(NAME lint.format COMMAND ${WEIR_CLANG_FORMAT} --dry-run -Werror ${sources}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})

# What the compile database of this preset knows, but for the headers' verification: their text is seen by the
# programs and tests that include them.
add_test(NAME lint.tidy COMMAND ${WEIR_RUN_CLANG_TIDY} -quiet -p ${PROJECT_BINARY_DIR}
  "^${PROJECT_SOURCE_DIR}/(bench|examples|tests)/")
set_tests_properties(lint.format lint.tidy PROPERTIES LABELS lint TIMEOUT 3600)
