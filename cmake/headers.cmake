# Every header of weir, once: the FILE_SETs that are built, verified, installed and shown by IDEs.
# A header is in exactly one list. CORE needs nothing but std, threads and POSIX; JSON holds report/ and
# every file called json.hpp (nlohmann, fmt); GBENCH needs Google Benchmark. One header a line, by room.

set(WEIR_CORE_HEADERS
  include/weir/core.hpp

  include/weir/base.hpp
  include/weir/base/config.hpp
  include/weir/base/cpu.hpp
  include/weir/base/error.hpp
  include/weir/base/expects.hpp
  include/weir/base/os.hpp
  include/weir/base/random.hpp
  include/weir/base/units.hpp

  include/weir/clock.hpp
  include/weir/clock/manual.hpp
  include/weir/clock/steady.hpp
  include/weir/clock/time_source.hpp
  include/weir/clock/tsc.hpp
  include/weir/clock/waiting.hpp

  include/weir/arrival.hpp
  include/weir/arrival/any_schedule.hpp
  include/weir/arrival/constant.hpp
  include/weir/arrival/schedule.hpp
  include/weir/arrival/unpaced.hpp

  # data

  # stats

  include/weir/measure.hpp
  include/weir/measure/busy.hpp
  include/weir/measure/exactly_once.hpp
  include/weir/measure/hdr_layout.hpp
  include/weir/measure/histogram.hpp
  include/weir/measure/snapshot.hpp
  include/weir/measure/trace.hpp

  include/weir/channel.hpp
  include/weir/channel/parking.hpp
  include/weir/channel/spsc_ring.hpp

  include/weir/record/hlog.hpp
  include/weir/record/sample.hpp

  # flow

  # judge

  # job

  # run

  # analysis
)

set(WEIR_JSON_HEADERS
  include/weir/weir.hpp

  # record

  # job

  # report
)

set(WEIR_GBENCH_HEADERS
)
