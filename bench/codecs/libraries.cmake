# Target weir_reference_codecs: what bench/codecs/*.hpp need of the libraries that are installed. One that is not is
# named, and its codecs are left out.

if(TARGET weir_reference_codecs)
  return()
endif()

set(folder ${CMAKE_CURRENT_LIST_DIR})
add_library(weir_reference_codecs INTERFACE)
target_include_directories(weir_reference_codecs INTERFACE ${folder})
target_link_libraries(weir_reference_codecs INTERFACE weir::weir)
# A library's own sins, in its headers, are not ours.
target_compile_options(weir_reference_codecs INTERFACE
  $<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${folder}/sanitizer_ignorelist.txt>)

# weir_reference_codec(<name> <packages>): found when every variable after it is set.
function(weir_reference_codec name packages)
  foreach(variable IN LISTS ARGN)
    if(NOT ${variable})
      message(STATUS "codecs: no ${name}: install ${packages}")
      return()
    endif()
  endforeach()
  target_compile_definitions(weir_reference_codecs INTERFACE WEIR_HAS_${name})
  set(WEIR_HAS_${name} ON PARENT_SCOPE)
endfunction()

find_path(WEIR_RAPIDJSON_INCLUDE rapidjson/writer.h)
find_path(WEIR_SIMDJSON_INCLUDE simdjson.h)
find_library(WEIR_SIMDJSON_LIBRARY simdjson)
weir_reference_codec(JSON "rapidjson-dev and libsimdjson-dev"
  WEIR_RAPIDJSON_INCLUDE WEIR_SIMDJSON_INCLUDE WEIR_SIMDJSON_LIBRARY)
if(WEIR_HAS_JSON)
  target_include_directories(weir_reference_codecs SYSTEM INTERFACE ${WEIR_RAPIDJSON_INCLUDE} ${WEIR_SIMDJSON_INCLUDE})
  target_link_libraries(weir_reference_codecs INTERFACE ${WEIR_SIMDJSON_LIBRARY})
endif()

find_path(WEIR_AVRO_INCLUDE avro.h)
find_library(WEIR_AVRO_LIBRARY avro)
weir_reference_codec(AVRO libavro-dev WEIR_AVRO_INCLUDE WEIR_AVRO_LIBRARY)
if(WEIR_HAS_AVRO)
  target_include_directories(weir_reference_codecs SYSTEM INTERFACE ${WEIR_AVRO_INCLUDE})
  target_link_libraries(weir_reference_codecs INTERFACE ${WEIR_AVRO_LIBRARY})
endif()

find_path(WEIR_LIBCSV_INCLUDE csv.h)
find_library(WEIR_LIBCSV_LIBRARY csv)
weir_reference_codec(LIBCSV libcsv-dev WEIR_LIBCSV_INCLUDE WEIR_LIBCSV_LIBRARY)
if(WEIR_HAS_LIBCSV)
  target_include_directories(weir_reference_codecs SYSTEM INTERFACE ${WEIR_LIBCSV_INCLUDE})
  target_link_libraries(weir_reference_codecs INTERFACE ${WEIR_LIBCSV_LIBRARY})
endif()

find_package(Protobuf QUIET)
weir_reference_codec(PROTOBUF "libprotobuf-dev and protobuf-compiler" Protobuf_FOUND PROTOBUF_PROTOC_EXECUTABLE)
if(WEIR_HAS_PROTOBUF)
  set(generated ${PROJECT_BINARY_DIR}/reference_codecs)
  file(MAKE_DIRECTORY ${generated})
  add_custom_command(OUTPUT ${generated}/records.pb.cc ${generated}/records.pb.h
    COMMAND protobuf::protoc --proto_path=${folder} --cpp_out=${generated} ${folder}/records.proto
    DEPENDS ${folder}/records.proto VERBATIM)
  add_library(weir_records_proto STATIC ${generated}/records.pb.cc ${generated}/records.pb.h)
  target_include_directories(weir_records_proto SYSTEM PUBLIC ${generated})
  target_compile_options(weir_records_proto PRIVATE -w)
  target_link_libraries(weir_records_proto PUBLIC protobuf::libprotobuf)
  target_link_libraries(weir_reference_codecs INTERFACE weir_records_proto)
  add_dependencies(weir_generated weir_records_proto)
endif()
