// SPDX-License-Identifier: Apache-2.0
//
// Does weir tell the truth on this machine? Systems whose answer is known, and systems with a known fault, each run
// for real: a table of what was expected and what was measured. docs/truth.md shows how to read it.
//
//   truth                      everything, about 13 minutes
//   truth --quick              the same in short, about three
//   truth --only=faults        one part: generator, answers, stalls, faults, overload, power, capacity
//   truth --json=FILE          the claims as JSON as well
//
// Exit code: 0 all of it holds, 1 something does not, 2 bad arguments, 3 the program itself failed, 4 nothing fails but
// something is unclear, because the host disturbed it.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/record/environment.hpp>
#include <weir/record/json.hpp>
#include <weir/report/atomic_file.hpp>

#include "truth/ledger.hpp"
#include "truth/sections.hpp"

namespace {

using namespace std::chrono_literals;

struct part {
  std::string_view name;
  void (*run)(truth::ledger&, truth::effort);
  std::chrono::seconds full;  // about what it takes on two cores
  std::chrono::seconds quick;
};

constexpr part parts[] = {{"generator", truth::generator, 16s, 4s}, {"answers", truth::answers, 65s, 18s},
                          {"stalls", truth::stalls, 9s, 9s},        {"faults", truth::faults, 120s, 60s},
                          {"overload", truth::overload, 330s, 40s}, {"power", truth::power, 75s, 30s},
                          {"capacity", truth::capacity, 80s, 45s}};

struct arguments {
  truth::effort effort;
  std::vector<std::string_view> only;
  std::optional<std::string> json;
};

[[noreturn]] void refuse(std::string_view what) {
  fmt::print(stderr,
             "truth: {}: give --quick, --only=PART,PART or --json=FILE; parts: generator, answers, stalls, faults, "
             "overload, power, capacity\n",
             what);
  std::exit(2);
}

arguments parse(int argc, char** argv) {
  arguments chosen;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value_of = [&](std::string_view flag) {
      return word.starts_with(flag) ? std::optional(word.substr(flag.size())) : std::nullopt;
    };
    if (word == "--quick") {
      chosen.effort.quick = true;
    } else if (const auto file = value_of("--json=")) {
      chosen.json = *file;
    } else if (auto names = value_of("--only=")) {
      while (!names->empty()) {
        const std::string_view name = names->substr(0, names->find(','));
        if (std::ranges::find(parts, name, &part::name) == std::end(parts)) refuse(name);
        chosen.only.push_back(name);
        names->remove_prefix(std::min(names->size(), name.size() + 1));
      }
    } else {
      refuse(word);
    }
  }
  return chosen;
}

int run(const arguments& chosen) {
  truth::ledger found;
  std::vector<part> wanted;
  for (const part& p : parts)
    if (chosen.only.empty() || std::ranges::find(chosen.only, p.name) != chosen.only.end()) wanted.push_back(p);
  const auto time_of = [&](const part& p) { return chosen.effort.of(p.full, p.quick); };
  std::chrono::seconds left{};
  for (const part& p : wanted) left += time_of(p);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    left -= time_of(wanted[i]);
    truth::waiting().begin_part(i + 1, wanted.size(), time_of(wanted[i]), left);
    wanted[i].run(found, chosen.effort);
  }
  const std::size_t failures = found.count(truth::standing::fails);
  const std::size_t unclear = found.count(truth::standing::unclear);
  truth::clear_progress();
  fmt::print(
      "\n{}{}\n",
      failures == 0 ? unclear == 0 ? "All of it holds." : "Nothing fails."
                    : fmt::format("Does not hold: {}.", failures),
      unclear == 0 ? "" : fmt::format(" Unclear: {}, the host disturbed it; repeat it on a quieter one.", unclear));
  if (chosen.json) {
    const nlohmann::ordered_json all{
        {"program", "truth"},    {"quick", chosen.effort.quick}, {"holds", failures == 0 && unclear == 0},
        {"failures", failures},  {"unclear", unclear},           {"environment", weir::record::probe_environment()},
        {"claims", found.json()}};
    weir::report::write_file(*chosen.json, weir::record::json_text(all), "--json");
  }
  return failures > 0 ? 1 : unclear > 0 ? 4 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  weir::os::hold_standard_streams();
  constexpr std::string_view child_flag = "--child=";
  try {
    if (argc > 1 && std::string_view(argv[1]).starts_with(child_flag))
      return truth::child(std::string(std::string_view(argv[1]).substr(child_flag.size())));
    return run(parse(argc, argv));
  } catch (const std::exception& e) {
    fmt::print(stderr, "truth: {}\n", e.what());
    return 3;
  }
}
