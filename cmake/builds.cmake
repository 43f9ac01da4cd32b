# weir_add_builds(<target> [COUNT <n>]): builds an executable n more times from the same sources, as
# <target>_build1 ... <target>_build<n> (at most 4, 3 unless given), each with its code laid out differently:
#   1  functions at multiples of 64 bytes, loops at 32
#   2  functions sorted by name
#   3  functions at multiples of 16 bytes, sources linked in reverse order
#   4  functions at multiples of 32 bytes, neither they nor blocks reordered by the compiler
# One build is one sample of where code lies, however often it runs; --weir_builds takes several as a layer:
#   rows --weir_builds=rows_build1,rows_build2,rows_build3 --weir_forks=12
# Call it after the target has all its sources, options and libraries.

function(weir_add_builds target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COUNT" "")
  if(NOT DEFINED arg_COUNT)
    set(arg_COUNT 3)
  endif()
  if(arg_COUNT LESS 1 OR arg_COUNT GREATER 4)
    message(FATAL_ERROR "weir_add_builds(${target}): COUNT ${arg_COUNT}: give 1 to 4")
  endif()
  set(options_1 -falign-functions=64 -falign-loops=32)
  set(options_2 -ffunction-sections)
  set(link_options_2 -Wl,--sort-section=name)
  set(options_3 -falign-functions=16)
  set(options_4 -falign-functions=32 $<$<CXX_COMPILER_ID:GNU>:-fno-reorder-functions;-fno-reorder-blocks>)

  get_target_property(sources ${target} SOURCES)
  get_target_property(name ${target} OUTPUT_NAME)
  if(NOT name)
    set(name ${target})
  endif()
  foreach(i RANGE 1 ${arg_COUNT})
    set(ordered ${sources})
    if(i EQUAL 3)
      list(REVERSE ordered)
    endif()
    set(build ${target}_build${i})
    add_executable(${build} ${ordered})
    foreach(property LINK_LIBRARIES COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES LINK_OPTIONS
        COMPILE_FEATURES CXX_STANDARD CXX_EXTENSIONS MANUALLY_ADDED_DEPENDENCIES)
      get_target_property(value ${target} ${property})
      if(value AND property STREQUAL "MANUALLY_ADDED_DEPENDENCIES")
        add_dependencies(${build} ${value})
      elseif(value)
        set_property(TARGET ${build} PROPERTY ${property} ${value})
      endif()
    endforeach()
    set_target_properties(${build} PROPERTIES OUTPUT_NAME ${name}_build${i})
    target_compile_options(${build} PRIVATE ${options_${i}})
    target_link_options(${build} PRIVATE ${link_options_${i}})
  endforeach()
endfunction()
