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
  include/weir/arrival/burst.hpp
  include/weir/arrival/constant.hpp
  include/weir/arrival/exponential.hpp
  include/weir/arrival/poisson.hpp
  include/weir/arrival/ramp.hpp
  include/weir/arrival/schedule.hpp
  include/weir/arrival/steps.hpp
  include/weir/arrival/trace.hpp
  include/weir/arrival/unpaced.hpp

  include/weir/data.hpp
  include/weir/data/block_pool.hpp
  include/weir/data/decimal.hpp
  include/weir/data/naive_row.hpp
  include/weir/data/numbered_row.hpp
  include/weir/data/pack.hpp
  include/weir/data/row.hpp
  include/weir/data/row_like.hpp
  include/weir/data/text.hpp
  include/weir/data/value.hpp

  include/weir/stats.hpp
  include/weir/stats/comparison.hpp
  include/weir/stats/interval.hpp
  include/weir/stats/modality.hpp
  include/weir/stats/moments.hpp
  include/weir/stats/quantile.hpp
  include/weir/stats/autocorrelation.hpp
  include/weir/stats/queueing.hpp
  include/weir/stats/steady_state.hpp
  include/weir/stats/student_t.hpp
  include/weir/stats/variance_components.hpp

  include/weir/measure.hpp
  include/weir/measure/busy.hpp
  include/weir/measure/exactly_once.hpp
  include/weir/measure/hdr_layout.hpp
  include/weir/measure/histogram.hpp
  include/weir/measure/snapshot.hpp
  include/weir/measure/trace.hpp

  include/weir/channel.hpp
  include/weir/channel/bed.hpp
  include/weir/channel/locked_queue.hpp
  include/weir/channel/memory.hpp
  include/weir/channel/message.hpp
  include/weir/channel/message_ring.hpp
  include/weir/channel/parking.hpp
  include/weir/channel/spsc_ring.hpp
  include/weir/channel/stream.hpp

  include/weir/codec.hpp
  include/weir/codec/avro.hpp
  include/weir/codec/buffer.hpp
  include/weir/codec/codec.hpp
  include/weir/codec/delimited.hpp
  include/weir/codec/fault.hpp
  include/weir/codec/framing.hpp
  include/weir/codec/kafka.hpp
  include/weir/codec/record.hpp
  include/weir/codec/row.hpp
  include/weir/codec/schemas.hpp
  include/weir/codec/utf8.hpp

  include/weir/record/capacity.hpp
  include/weir/record/environment.hpp
  include/weir/record/hlog.hpp
  include/weir/record/merge.hpp
  include/weir/record/run_record.hpp
  include/weir/record/sample.hpp
  include/weir/record/wire.hpp

  include/weir/flow.hpp
  include/weir/flow/account.hpp
  include/weir/flow/engine.hpp
  include/weir/flow/event.hpp
  include/weir/flow/generator.hpp
  include/weir/flow/graph.hpp
  include/weir/flow/observer.hpp
  include/weir/flow/pipeline.hpp
  include/weir/flow/run.hpp
  include/weir/flow/sink.hpp
  include/weir/flow/stage.hpp
  include/weir/flow/stepper.hpp
  include/weir/flow/system.hpp
  include/weir/flow/task.hpp

  include/weir/judge.hpp
  include/weir/judge/capacity.hpp
  include/weir/judge/extension.hpp
  include/weir/judge/growth.hpp
  include/weir/judge/percentile.hpp
  include/weir/judge/stall.hpp
  include/weir/judge/trend.hpp
  include/weir/judge/verdict.hpp

  include/weir/job/answers.hpp
  include/weir/job/arrivals.hpp
  include/weir/job/problem.hpp
  include/weir/job/scenario.hpp
  include/weir/job/schedules.hpp
  include/weir/job/spec.hpp

  include/weir/analysis.hpp
  include/weir/analysis/comparison.hpp
  include/weir/analysis/plan.hpp
  include/weir/analysis/summary.hpp

  include/weir/run.hpp
  include/weir/run/capacity.hpp
  include/weir/run/experiment.hpp
  include/weir/run/fork.hpp
  include/weir/run/plan.hpp
  include/weir/run/probe.hpp
)

set(WEIR_JSON_HEADERS
  include/weir/weir.hpp

  include/weir/record.hpp
  include/weir/record/json.hpp

  include/weir/job.hpp
  include/weir/job/json.hpp
  include/weir/job/local_engine.hpp

  include/weir/report.hpp
  include/weir/report/atomic_file.hpp
  include/weir/report/capacity.hpp
  include/weir/report/command.hpp
  include/weir/report/console.hpp
  include/weir/report/exports.hpp
  include/weir/report/folder.hpp
  include/weir/report/labels.hpp
  include/weir/report/markdown.hpp
  include/weir/report/page.hpp
  include/weir/report/pipeline_result.hpp
  include/weir/report/raw_csv.hpp
  include/weir/report/result.hpp
  include/weir/report/tables.hpp
)

set(WEIR_GBENCH_HEADERS
  include/weir/gbench.hpp
  include/weir/gbench/allocations.hpp
  include/weir/gbench/capacity.hpp
  include/weir/gbench/channel_job.hpp
  include/weir/gbench/channel_peer.hpp
  include/weir/gbench/channel_suite.hpp
  include/weir/gbench/channel_table.hpp
  include/weir/gbench/child.hpp
  include/weir/gbench/codec_suite.hpp
  include/weir/gbench/harness.hpp
  include/weir/gbench/library.hpp
  include/weir/gbench/main.hpp
  include/weir/gbench/pipeline_suite.hpp
  include/weir/gbench/progress.hpp
  include/weir/gbench/reporters.hpp
  include/weir/gbench/row_suite.hpp
  include/weir/gbench/runner.hpp
  include/weir/gbench/session.hpp
  include/weir/gbench/settings.hpp
)
