# The one list of dependencies: an installed package first, a pinned archive second. Only what an enabled
# part needs is looked for. FETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER forces the archives.

include(FetchContent)

# GLOBAL, because targets of ours name these in their interfaces: a consumer by add_subdirectory sees them.
# (CMAKE_FIND_PACKAGE_TARGETS_GLOBAL would do the same, but breaks FIND_PACKAGE_ARGS in CMake 3.25.)

find_package(Threads REQUIRED GLOBAL)

# The release that Debian 12 ships, hence the one that the tests run on.
FetchContent_Declare(fmt
  URL https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz
  URL_HASH SHA256=5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2
  SYSTEM FIND_PACKAGE_ARGS 9.1 GLOBAL)
FetchContent_Declare(nlohmann_json
  URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
  URL_HASH SHA256=d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d
  SYSTEM FIND_PACKAGE_ARGS 3.11.2 GLOBAL)
FetchContent_Declare(benchmark
  URL https://github.com/google/benchmark/archive/refs/tags/v1.9.1.tar.gz
  URL_HASH SHA256=32131c08ee31eeff2c8968d7e874f3cb648034377dfc32a4c377fa8796d84981
  SYSTEM FIND_PACKAGE_ARGS 1.7.1 GLOBAL)
FetchContent_Declare(GTest
  URL https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
  URL_HASH SHA256=8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7
  SYSTEM FIND_PACKAGE_ARGS 1.12.1 GLOBAL)
FetchContent_Declare(CLI11
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
  URL_HASH SHA256=f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a
  SYSTEM FIND_PACKAGE_ARGS 2.1.2 GLOBAL)

# Archives are built without their tests, and installed beside weir when weir is: its package names them.
set(FMT_INSTALL ${WEIR_INSTALL})
set(JSON_Install ${WEIR_INSTALL})
set(BENCHMARK_ENABLE_INSTALL ${WEIR_INSTALL})
set(BENCHMARK_ENABLE_TESTING OFF)
set(BENCHMARK_ENABLE_WERROR OFF)
set(BUILD_GMOCK OFF)
set(INSTALL_GTEST OFF)
set(CLI11_INSTALL OFF)

set(wanted fmt nlohmann_json)
if(WEIR_GBENCH)
  list(APPEND wanted benchmark)
endif()
if(WEIR_BUILD_TESTS)
  list(APPEND wanted GTest)
endif()
if(WEIR_BUILD_BENCH AND WEIR_GBENCH)
  list(APPEND wanted CLI11)
endif()
FetchContent_MakeAvailable(${wanted})
