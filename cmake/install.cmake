# Install is by FILE_SET: what is in no list is not installed. The Google Benchmark glue has an export file
# of its own, so that find_package(weir) never asks for that library.

include(CMakePackageConfigHelpers)

set(weir_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weir)

install(TARGETS weir_core weir_weir EXPORT weir FILE_SET HEADERS)
install(EXPORT weir NAMESPACE weir:: FILE weir-targets.cmake DESTINATION ${weir_package_dir})
if(WEIR_GBENCH)
  install(TARGETS weir_gbench EXPORT weir_gbench FILE_SET HEADERS)
  install(EXPORT weir_gbench NAMESPACE weir:: FILE weir-gbench-targets.cmake DESTINATION ${weir_package_dir})
endif()

# While 0.x, a minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weir-config-version.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/weir-config-version.cmake cmake/weir-config.cmake cmake/builds.cmake
  DESTINATION ${weir_package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
