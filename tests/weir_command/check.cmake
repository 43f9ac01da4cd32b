# The `weir` command from outside: exit codes, the line that says what to do next, errors in one line.
#   cmake -DWEIR=<file> -DWORK=<folder> -P check.cmake
# base.json and slower.json are results as weir writes them: a schema that no longer reads them is another schema.

cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(base ${CMAKE_CURRENT_LIST_DIR}/base.json)
set(slower ${CMAKE_CURRENT_LIST_DIR}/slower.json)

# weir(<exit code> <regex for stdout> <regex for stderr> <argument>...): "" as a regex means nothing may be said.
function(weir code out err)
  execute_process(COMMAND ${WEIR} ${ARGN} WORKING_DIRECTORY ${WORK}
    RESULT_VARIABLE exited OUTPUT_VARIABLE said ERROR_VARIABLE complained)
  set(wrong "")
  if(NOT exited STREQUAL code)
    string(APPEND wrong "exit code ${exited}, not ${code}\n")
  endif()
  foreach(stream IN ITEMS out err)
    set(text "${said}")
    if(stream STREQUAL "err")
      set(text "${complained}")
    endif()
    if(("${${stream}}" STREQUAL "" AND NOT text STREQUAL "") OR NOT text MATCHES "${${stream}}")
      string(APPEND wrong "std${stream} is not as '${${stream}}'\n")
    endif()
  endforeach()
  if(wrong)
    message(SEND_ERROR "weir ${ARGN}\n${wrong}stdout: ${said}\nstderr: ${complained}")
  endif()
endfunction()

weir(0 "Usage: .*report.*compare.*plan.*merge.*Exit codes: 0 fine" "" --help)
weir(0 "--threshold.*--level" "" compare --help)

weir(0 "rows/row/copyPlainRow +10.0ns +0.7% .* 6/6\n.*\nNext: weir plan [^\n]*\n$" "" report ${base})
weir(0 "^# rows: 1 benchmarks, all sound\n" "^Next: [^\n]*\n$" report ${base} --format=markdown)
weir(0 "^{\n  \"findings\".*\"id\": \"time\".*}\n$" "^Next: [^\n]*\n$" report ${base} --format=json)
weir(0 "\nNext: " "" report ${base} --out=again)
foreach(file IN ITEMS result.json summary.md raw.csv environment.json exports/google-benchmark.json exports/jmh.json
    exports/bencher.json exports/github-action-smaller.json exports/github-action-bigger.json)
  if(NOT EXISTS ${WORK}/again/${file})
    message(SEND_ERROR "report --out did not write ${file}")
  endif()
endforeach()

weir(0 "time .*\\+0.00%.* same\n.*\nNext: nothing; [^\n]*\n$" "" compare ${base} again)
weir(1 "time .*\\+20.00%.* worse\n.*\nNext: weir report [^\n]*slower.json [^\n]*\n$" "" compare ${base} ${slower})
weir(0 "-16.67%.* better\n" "" compare ${slower} ${base})
weir(4 "inconclusive\n.*\nNext: [^\n]*more forks[^\n]*\n$" "" compare ${base} ${slower} --threshold=20%)

# The last line is a command as it stands.
weir(0 "[0-9]+ forks x [0-9]+ iterations? .*\nNext, in the folder of rows:\n\\./rows --weir_forks=[0-9]+ --weir_warmup=[0-9]+ --weir_iterations=[0-9]+ --weir_iteration_time=[0-9.]+ '--benchmark_filter=\\^.rows/row/copyPlainRow.\\$' --weir_out=planned\n$" ""
  plan ${base} --precision=1% --benchmark=copy)

file(COPY_FILE ${base} ${WORK}/h1.json)
file(MAKE_DIRECTORY ${WORK}/east ${WORK}/west)
file(COPY_FILE ${base} ${WORK}/east/result.json)
file(COPY_FILE ${slower} ${WORK}/west/result.json)
weir(0 "copyPlainRow .* 12/12\n.*\nNext: weir report both[^\n]*\n$" "" merge east west --out=both)
file(READ ${slower} other_build)
string(REGEX REPLACE "\"compiler\": *\"[^\"]*\"" "\"compiler\":\"another 1.0\"" other_build "${other_build}")
file(MAKE_DIRECTORY ${WORK}/north)
file(WRITE ${WORK}/north/result.json "${other_build}")
weir(0 "Next: weir report mixed" "^weir: merged hosts differ in compiler: [^\n]*another 1.0[^\n]*\n$"
  merge east north --out=mixed)
file(READ ${WORK}/both/result.json merged)
if(NOT merged MATCHES "\"host\":\"east\".*\"host\":\"west\".*\"over\":\"host\"")
  message(SEND_ERROR "merge did not make hosts a layer")
endif()

# Bad usage and input: 2, and one line that names the place.
set(help_hint "\nRun with --help[^\n]*\n$")
weir(2 "" "subcommand is required${help_hint}")
weir(2 "" "CANDIDATE is required${help_hint}" compare ${base})
weir(2 "" "--format: .*${help_hint}" report ${base} --format=xml)
weir(2 "" "^weir: .weir.flags.bad_value. --threshold: \"fast\": [^\n]*\n$" compare ${base} ${slower} --threshold=fast)
weir(2 "" "^weir: .weir.flags.bad_value. --precision: \"0%\": [^\n]*\n$" plan ${base} --precision=0%)
weir(2 "" "^weir: .weir.flags.nothing_selected. --benchmark: \"nosuch\": [^\n]*\n$"
  plan ${base} --precision=1% --benchmark=nosuch)
weir(2 "" "^weir: .weir.report.no_result. nosuch: [^\n]*\n$" report nosuch)
weir(2 "" "^weir: .weir.flags.bad_value. --out: \"east\": [^\n]*\n$" merge east west --out=east)

file(READ ${base} text)
string(SUBSTRING "${text}" 0 100 half)
file(WRITE ${WORK}/half.json "${half}")
weir(2 "" "^weir: .weir.record.json_malformed. half.json byte 101: [^\n]*\n$" report half.json)
file(WRITE ${WORK}/foreign.json "{\"context\": {}}")
weir(2 "" "^weir: .weir.report.foreign_file. foreign.json document: [^\n]*\n$" compare ${base} foreign.json)
string(REPLACE "\"schema_version\":1" "\"schema_version\":2" newer "${text}")
file(WRITE ${WORK}/newer.json "${newer}")
weir(2 "" "^weir: .weir.report.other_schema. newer.json /schema_version: 2: [^\n]*newer[^\n]*\n$" report newer.json)
string(REPLACE "\"real_ns\":9.9," "\"real_ns\":\"9.9\"," edited "${text}")
file(WRITE ${WORK}/edited.json "${edited}")
weir(2 "" "^weir: .weir.record.json_malformed. edited.json /run/benchmarks/0/forks/0/iterations/1/real_ns: [^\n]*\n$"
  report edited.json)
string(REPLACE "copyPlainRow" "readFields" other "${text}")
file(WRITE ${WORK}/other.json "${other}")
weir(2 "" "^weir: .weir.analysis.[a-z_]+. [^\n]*same benchmarks\n$" compare ${base} other.json)
string(REPLACE "\"parameters\":[]" "\"parameters\":[{\"name\":\"rows\",\"values\":[\"5\"]}]" asked "${text}")
file(WRITE ${WORK}/asked.json "${asked}")
weir(2 "" "^weir: .weir.analysis.[a-z_]+. [^\n]*rows[^\n]*\n$" compare ${base} asked.json)
weir(2 "" "^weir: .weir.record.merge_differs. [^\n]*rows=5[^\n]*\n$" merge east asked.json --out=never)
