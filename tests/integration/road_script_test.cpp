// Scripts through the built program: `run_js` as a client calls it, its fetch() judged by policy,
// given its credentials and written down like every other call.
#include "tests/support/request_log.hpp"
#include "tests/support/script_road.hpp"

#include <gmock/gmock.h>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr auto const* kScriptSecret = "s3cr3t-that-no-script-may-see";

class RoadScript : public ScriptRoadTest {
 protected:
  GatewayOptions judged() const {
    auto const url = "file://" + folder_.write("fetch.rego", R"(package mcp.fetch
allow if not startswith(input.url_parsed.path, "/closed")
reason := "that is closed" if not allow
)");
    return {.egress = open({place(origin_)}) +
                      "  inject:\n  - host: 127.0.0.1\n    schemes: [http]\n    headers: {X-Key: " +
                      kScriptSecret + "}\n",
            .more = "policies:\n  fetch:\n    policies:\n    - url: " + url + "\n"};
  }

  RequestLog log_;
  // Tells what it was sent, headers and all.
  Origin origin_{log_.answering([](std::string const& request) { return Origin::ok(request); })};
};

TEST_F(RoadScript, GivesItsOutputAndItsValue) {
  Gateway const gateway;

  auto const reply = run(gateway, "console.log('hello');\nconst n: number = 40;\n({n: n + 2})");

  EXPECT_FALSE(reply.is_error) << reply.whole;
  EXPECT_EQ(facts(reply).at("output").as_string(), "hello\n");
  EXPECT_EQ(json::to_text(facts(reply).at("value")), R"({"n":42})");
}

TEST_F(RoadScript, HasNoFetchWithoutAPolicy) {
  Gateway const gateway{{.egress = open({place(origin_)})}};

  auto const reply = run(gateway, "await fetch('" + origin_.url("/") + "')");

  EXPECT_TRUE(reply.is_error);
  EXPECT_THAT(reply.text, HasSubstr("policies.fetch"));
  EXPECT_TRUE(log_.all().empty());
}

TEST_F(RoadScript, FetchesWithCredentialsThatItNeverSees) {
  Gateway gateway{judged()};

  auto const reply =
      run(gateway, "const r = await fetch('" + origin_.url("/open") +
                       "', {method: 'POST', body: 'from the script'});\n"
                       "[r.status, r.headers.get('content-length') > 0, await r.text()]");

  EXPECT_FALSE(reply.is_error) << reply.whole;
  ASSERT_EQ(log_.all().size(), 1);
  EXPECT_THAT(log_.all()[0], HasSubstr(kScriptSecret));
  EXPECT_THAT(log_.all()[0], HasSubstr("from the script"));
  EXPECT_THAT(reply.whole, HasSubstr("from the script"));
  EXPECT_THAT(reply.whole, Not(HasSubstr(kScriptSecret)));
  EXPECT_THAT(gateway.written(), Not(HasSubstr(kScriptSecret)));
}

TEST_F(RoadScript, IsToldWhyPolicyDeniesAndNothingIsSent) {
  Gateway gateway{judged()};

  auto const reply = run(gateway, "try { await fetch('" + origin_.url("/closed") +
                                      "') } catch (e) { "
                                      "[e instanceof TypeError, e.cause.code, e.cause.message] }");

  auto const value = json::to_text(facts(reply).at("value"));
  EXPECT_THAT(value, HasSubstr(R"([true,"policy_denied",)"));
  EXPECT_THAT(value, HasSubstr("that is closed"));
  EXPECT_TRUE(log_.all().empty());
}

TEST_F(RoadScript, CannotSetHeadersThatAreNotItsOwn) {
  Gateway gateway{judged()};

  auto const reply = run(gateway, "const url = '" + origin_.url("/open") + R"(';
const names = ['Host', 'Content-Length', 'Connection', 'Transfer-Encoding', 'Upgrade', 'TE', 'Expect',
  'Proxy-Authorization', 'proxy-connection', 'Cookie', 'cookie2', 'Set-Cookie', 'Sec-Fetch-Site',
  'Via', 'X-Forwarded-For', 'Metadata-Flavor', 'Keep-Alive', 'Trailer'];
const wrong = [];
for (const name of names) {
  try {
    await fetch(url, { headers: { [name]: 'smuggled' } });
    wrong.push(name + ' was sent or dropped');
  } catch (error) {
    const words = error.message.toLowerCase();
    if (!(error instanceof TypeError) || !words.includes(name.toLowerCase())) wrong.push(`${name}: ${error}`);
  }
}
const other = await fetch(url, { headers: { 'X-Own': 'mine', Authorization: 'Bearer own' } });
[wrong, other.status])");

  EXPECT_EQ(json::to_text(facts(reply).at("value")), "[[],200]") << reply.whole;
  ASSERT_EQ(log_.all().size(), 1);
  EXPECT_THAT(log_.all()[0], Not(HasSubstr("smuggled")));
  EXPECT_THAT(log_.all()[0], HasSubstr("X-Own: mine"));
  EXPECT_EQ(gateway.records().size(), 19 + 1) << "each refusal, and both ends of what was sent";
}

TEST_F(RoadScript, FollowsAnEventSource) {
  Origin const events{[](Origin::Connection& peer) {
    auto const request = peer.receive_request();
    bool const again = request.find("Last-Event-ID: 7") != std::string::npos;
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
    if (again) {
      peer.send("data: after the break\n\n");
      peer.wait_for_end();
      return;
    }
    peer.send(": a comment\nretry: 20\nevent: greeting\nid: 7\ndata: grü");
    peer.pause(20ms);
    peer.send("ße\ndata: and more\n\n");
  }};
  auto options = judged();
  options.egress = open({place(events)});
  Gateway gateway{std::move(options)};

  auto const reply = run(gateway, "const source = new EventSource('" + events.url("/live") + R"(');
const seen = [];
source.addEventListener('greeting', (e) => seen.push(e.data, e.lastEventId));
await new Promise((done) => source.onmessage = (e) => { seen.push(e.data); source.close(); done() });
[...seen, source.readyState])");

  EXPECT_EQ(json::to_text(facts(reply).at("value")),
            R"(["grüße\nand more","7","after the break",2])")
      << reply.whole;
  EXPECT_EQ(events.connections(), 2);
}

TEST_F(RoadScript, HasNoEventSourceWherePolicyDenies) {
  Gateway gateway{judged()};

  auto const reply = run(gateway, "const source = new EventSource('" + origin_.url("/closed") +
                                      "');\nawait new Promise((done) => source.onerror = done);\n"
                                      "source.readyState");

  EXPECT_EQ(json::to_text(facts(reply).at("value")), "2") << reply.whole;
  EXPECT_TRUE(log_.all().empty());
}

TEST_F(RoadScript, IsNamedInTheRecordsOfItsCalls) {
  Gateway gateway{judged()};

  auto const reply =
      run(gateway, "await (await fetch('" + origin_.url("/a") + "')).text();\n" + "await fetch('" +
                       origin_.url("/closed") + "').catch(() => 0)");

  EXPECT_FALSE(reply.is_error) << reply.whole;
  auto const records = gateway.records();
  ASSERT_EQ(records.size(), 3) << "the beginning and the end of one, and the other";
  auto const execution = records[0].text("execution");
  EXPECT_FALSE(execution.empty());
  for (auto const& record : records) {
    EXPECT_EQ(record.text("execution"), execution);
    EXPECT_EQ(record.text("tool"), "run_js");
  }
  EXPECT_EQ(records[2].text("verdict"), "denied");
}

TEST_F(RoadScript, ThatOnlyWaitsIsEndedAndTheNextOneAnswered) {
  Gateway const gateway;
  auto const begin = std::chrono::steady_clock::now();

  auto const reply = run(gateway, "await new Promise(r => setTimeout(r, 2 ** 31 - 1))",
                         {{"execution_timeout_secs", 0.3}});

  EXPECT_TRUE(reply.is_error);
  EXPECT_EQ(facts(reply).at("end").as_string(), "timed_out");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  EXPECT_EQ(json::to_text(facts(run(gateway, "1 + 1")).at("value")), "2");
}

TEST_F(RoadScript, ThatTakesAllMemoryHarmsNobodyElse) {
  Gateway const gateway;

  for (auto const* const code :
       {"new Array(1e9).fill(0)", "const a = []; for (;;) a.push([...a, 1])"}) {
    auto const reply = run(gateway, code, {{"heap_memory_max_mb", 32}});
    EXPECT_TRUE(reply.is_error) << reply.whole;
    EXPECT_EQ(facts(reply).at("end").as_string(), "out_of_memory") << reply.whole;
  }
  EXPECT_EQ(json::to_text(facts(run(gateway, "1 + 1")).at("value")), "2");
}

TEST_F(RoadScript, KeepsTheStateOfItsSession) {
  Gateway const gateway;

  EXPECT_FALSE(run(gateway, "let count = 41", {{"session", "mine"}}).is_error);
  auto const kept = run(gateway, "++count", {{"session", "mine"}});
  auto const other = run(gateway, "typeof count", {{"session", "other"}});

  EXPECT_EQ(json::to_text(facts(kept).at("value")), "42") << kept.whole;
  EXPECT_EQ(json::to_text(facts(other).at("value")), R"("undefined")") << other.whole;
}

TEST_F(RoadScript, GoesOnInTheBackgroundAndCanBeAskedAbout) {
  Gateway const gateway;

  auto const started =
      run(gateway, "console.log('begun'); await new Promise(r => setTimeout(r, 200));\n'done'",
          {{"background", true}});

  auto const id = Reply::text_in(facts(started), "execution_id");
  ASSERT_FALSE(id.empty()) << started.whole;
  auto const asked = gateway.call(modern_call(
      "get_execution", json::to_text(json::Object{{"execution_id", id}, {"wait_secs", 10}})));
  EXPECT_EQ(Reply::text_in(facts(asked), "status"), "completed") << asked.whole;
  EXPECT_EQ(json::to_text(facts(asked).at("value")), R"("done")");
}

}  // namespace
}  // namespace sallyport::test
