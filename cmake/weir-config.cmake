# find_package(weir [COMPONENTS gbench]): targets weir::core and weir::weir, with the component weir::gbench;
# and weir_add_builds().

include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(fmt 9.1)
find_dependency(nlohmann_json 3.11.2)
include(${CMAKE_CURRENT_LIST_DIR}/weir-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/builds.cmake)

foreach(component IN LISTS weir_FIND_COMPONENTS)
  set(weir_${component}_FOUND FALSE)
  if(component STREQUAL "gbench" AND EXISTS ${CMAKE_CURRENT_LIST_DIR}/weir-gbench-targets.cmake)
    find_dependency(benchmark 1.7.1)
    include(${CMAKE_CURRENT_LIST_DIR}/weir-gbench-targets.cmake)
    set(weir_gbench_FOUND TRUE)
  elseif(weir_FIND_REQUIRED_${component})
    set(weir_FOUND FALSE)
    set(weir_NOT_FOUND_MESSAGE "weir was not installed with component '${component}'")
  endif()
endforeach()
