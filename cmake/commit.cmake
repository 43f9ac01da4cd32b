# cmake -DSOURCE=<folder> -DOUTPUT=<header> -P commit.cmake: writes the commit that a build is made from, and
# touches the header only when that changed. Without git the header is empty, and the environment says so.
cmake_minimum_required(VERSION 3.25)
find_package(Git QUIET)
set(text "")
if(Git_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12 WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(commit)
    set(text "#define WEIR_GIT_COMMIT \"${commit}\"\n")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY)
