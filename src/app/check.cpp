#include "src/app/check.hpp"

#include "src/app/road_out.hpp"
#include "src/audit/null_sink.hpp"
#include "src/base/ascii.hpp"
#include "src/base/task_group.hpp"
#include "src/json/parse.hpp"
#include "src/json/write.hpp"
#include "src/pipeline/simulation.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <fstream>
#include <ostream>
#include <sstream>
#include <utility>

namespace sallyport::app {
namespace {

constexpr int kAllowed = 0;
constexpr int kRefused = 1;
constexpr int kNoAnswer = 2;

Result<http::Headers> parse_headers(std::vector<std::string> const& lines) {
  http::Headers headers;
  for (auto const& line : lines) {
    auto const colon = line.find(':');
    if (colon == std::string::npos) {
      return fail(Errc::InvalidInput,
                  fmt::format("--header {}: write it as \"Name: value\".", line));
    }
    auto const value = line.find_first_not_of(' ', colon + 1);
    headers.add(line.substr(0, colon), value == std::string::npos ? "" : line.substr(value));
  }
  return headers;
}

Result<json::Value> read_vectors(std::string const& path) {
  std::ifstream stream{path, std::ios::binary};
  if (!stream) return fail(Errc::InvalidInput, fmt::format("{} cannot be read.", path));
  std::ostringstream text;
  text << stream.rdbuf();
  auto parsed = json::parse(text.str());
  if (!parsed) return fail(Errc::InvalidInput, fmt::format("{}: {}", path, parsed.error().message));
  bool const good = parsed->is_array() && std::ranges::all_of(parsed->get_array(), [](auto& entry) {
                      return entry.is_object();
                    });
  if (!good) {
    return fail(Errc::InvalidInput, fmt::format("{} is not a JSON array of objects.", path));
  }
  return parsed;
}

// As scripts open them; whatever else is wrong with it, the road says.
bool is_socket_url(std::string_view text) {
  auto const scheme = lowered(text.substr(0, text.find(':')));
  return scheme == "ws" || scheme == "wss";
}

// One question to the road out, on a loop of its own.
class Checker {
 public:
  Checker(config::Settings const& settings, CheckRequest const& request, std::ostream& out)
      : settings_{settings}, request_{request}, out_{out} {}

  Result<int> run() {
    SP_TRY(headers_, parse_headers(request_.headers));
    if (!request_.simulate.empty()) {
      SP_TRY(vectors_, read_vectors(request_.simulate));
    }
    SP_TRY(road_, RoadOut::create(settings_, loops_, sink_, metrics_));
    Result<int> outcome = kNoAnswer;
    TaskGroup group{loops_.executor(0), [](std::string_view, Error const&) {}};
    group.spawn("check", ask(outcome));
    loops_.run();
    return outcome;
  }

 private:
  Task<void> ask(Result<int>& outcome) {
    outcome = co_await capture(request_.simulate.empty() ? explain_all() : simulate_all());
    road_.reset();
    loops_.finish();
    co_return Result<void>{};
  }

  Task<int> explain_all() {
    int code = kAllowed;
    for (auto const& url : request_.urls) {
      RequestContext about;
      about.principal.id = request_.principal;
      bool const socket = is_socket_url(url);
      pipeline::Passage const passage{.request = &about,
                                      .operation = socket ? "websocket" : "fetch",
                                      .purpose = socket ? "websocket" : "fetch",
                                      .tool = socket ? "run_js" : "fetch"};
      pipeline::OutboundRequest asked{.method = request_.method, .url = url, .headers = headers_};
      asked.schemes =
          socket ? std::vector<std::string>{"ws", "wss"} : settings_.fetch.allowed_schemes;
      SP_CO_TRY(auto const explanation, co_await road_->road().explain(passage, std::move(asked)));
      request_.json ? print_json(url, explanation) : print_text(url, explanation);
      if (!explanation.allowed()) code = kRefused;
    }
    co_return code;
  }

  void print_text(std::string const& url, pipeline::Explanation const& explanation) {
    fmt::print(out_, "{}\n", url);
    for (auto const& step : explanation.steps) {
      fmt::print(out_, "  {} {:<8} {}\n", step.passed ? "ok" : "no", step.stage, step.text);
    }
    fmt::print(out_, "  => {}\n", explanation.allowed() ? "would be sent" : "refused");
  }

  void print_json(std::string const& url, pipeline::Explanation const& explanation) {
    json::Array steps;
    for (auto const& step : explanation.steps) {
      steps.push_back(
          json::Object{{"stage", step.stage}, {"passed", step.passed}, {"text", step.text}});
    }
    json::Object const line{
        {"url", url}, {"allowed", explanation.allowed()}, {"steps", std::move(steps)}};
    out_ << json::to_text(line) << '\n';
  }

  Task<int> simulate_all() {
    std::size_t passed = 0;
    pipeline::SimulationParts const parts{.guard = road_->guard(),
                                          .policy = road_->policy(),
                                          .injector = road_->injector(),
                                          .loops = loops_,
                                          .max_redirects = settings_.fetch.max_redirects,
                                          .robots = settings_.fetch.robots};
    auto const& vectors = vectors_.get_array();
    for (auto const& vector : vectors) {
      SP_CO_TRY(auto const result, co_await pipeline::simulate(parts, vector.get_object()));
      json::Object const line{{"input", result.input},
                              {"expect", result.expect},
                              {"verdict", result.verdict},
                              {"reason", result.reason}};
      out_ << json::to_text(line) << '\n';
      if (result.passed) ++passed;
    }
    fmt::print(out_, "{} passed, {} failed\n", passed, vectors.size() - passed);
    co_return passed == vectors.size() ? kAllowed : kRefused;
  }

  config::Settings const& settings_;
  CheckRequest const& request_;
  std::ostream& out_;
  http::Headers headers_;
  json::Value vectors_;
  audit::NullSink sink_;
  Metrics metrics_;
  EventLoops loops_{1};
  std::unique_ptr<RoadOut> road_;
};

}  // namespace

int run_check(config::Settings const& settings, CheckRequest const& request, std::ostream& out,
              std::ostream& err) {
  auto const outcome = Checker{settings, request, out}.run();
  if (outcome) return *outcome;
  err << "sallyport: " << outcome.error().message << '\n';
  return kNoAnswer;
}

}  // namespace sallyport::app
