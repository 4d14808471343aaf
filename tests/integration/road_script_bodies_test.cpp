// Bodies on their way between a script and an origin, through the built program: every byte
// arrives, whatever it is taken out as.
#include "tests/support/request_log.hpp"
#include "tests/support/script_road.hpp"

#include <gmock/gmock.h>

namespace sallyport::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

std::string all_bytes() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return bytes;
}

class RoadScriptBodies : public ScriptRoadTest {
 protected:
  // Gives what it was sent, or else bytes of its own.
  static std::string answer(std::string const& request) {
    auto const head = request.find("\r\n\r\n");
    auto const body = request.substr(head + 4);
    if (request.starts_with("POST")) {
      return Origin::ok(body, "Content-Type: application/octet-stream\r\n");
    }
    if (request.starts_with("GET /text")) {
      return Origin::ok(
          "Gr\xC3\xBC\xC3\x9F"
          "e, \xE4\xB8\x96\xE7\x95\x8C \xF0\x9F\x8C\x8D",
          "Content-Type: text/plain; charset=utf-8\r\n");
    }
    if (request.starts_with("GET /broken")) return Origin::ok("\xEF\xBB\xBF\x61\xFF\xE2\x82");
    if (request.starts_with("GET /typed")) {
      return Origin::ok("x", "Content-Type: Image/PNG; charset=UTF-8\r\n");
    }
    return Origin::ok(all_bytes());
  }

  std::string run_with_url(std::string const& code) {
    return value_of(run(gateway_, "const url = '" + origin_.url("") + "';\n" + code));
  }
  // The last request, head and body.
  std::string received() const { return log_.all().empty() ? "" : log_.all().back(); }

  RequestLog log_;
  Origin origin_{log_.answering(answer)};
  Gateway gateway_{fetching_from({place(origin_)})};
};

TEST_F(RoadScriptBodies, KeepEveryByteWhateverTheyAreReadAs) {
  for (auto const* const reading :
       {"new Uint8Array(await r.arrayBuffer())",
        "new Uint8Array(await (await r.blob()).arrayBuffer())",
        "await new Response(r.body).arrayBuffer().then((b) => new Uint8Array(b))",
        "await (async () => { const all = []; for await (const c of r.body) all.push(...c); "
        "return all })()",
        "new Uint8Array(await r.clone().arrayBuffer())"}) {
    EXPECT_EQ(run_with_url(std::string{"const r = await fetch(url + '/bytes');\nconst b = "} +
                           reading + ";\nb.length === 256 && [...b].every((x, i) => x === i)"),
              "true")
        << reading;
  }
}

TEST_F(RoadScriptBodies, KeepEveryByteOnTheWayOut) {
  for (auto const* const body :
       {"bytes", "bytes.buffer", "new DataView(bytes.buffer)", "new Blob([bytes])",
        "new Blob([bytes.subarray(0, 7), bytes.buffer.slice(7)])"}) {
    auto const back =
        run_with_url(std::string{"const bytes = Uint8Array.from({length: 256}, (_, i) => i);\n"} +
                     "const r = await fetch(url, {method: 'POST', body: " + body +
                     "});\nconst b = new Uint8Array(await r.arrayBuffer());\n"
                     "b.length === 256 && b.every((x, i) => x === i)");

    EXPECT_EQ(back, "true") << body;
    EXPECT_THAT(received(), HasSubstr(all_bytes())) << body;
  }
}

TEST_F(RoadScriptBodies, AreTextInUtf8) {
  EXPECT_EQ(run_with_url("await (await fetch(url + '/text')).text()"),
            "\"Gr\xC3\xBC\xC3\x9F"
            "e, \xE4\xB8\x96\xE7\x95\x8C \xF0\x9F\x8C\x8D\"");
  // No BOM, and one mark for each thing that is broken.
  EXPECT_EQ(run_with_url("await (await fetch(url + '/broken')).text()"),
            "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(
      run_with_url("await (await fetch(url, {method: 'POST', body: 'Gr\\u00fc\\ud800'})).text()"),
      "\"Gr\xC3\xBC\xEF\xBF\xBD\"");
}

TEST_F(RoadScriptBodies, AreMadeOfPartsOfBlobs) {
  EXPECT_EQ(
      run_with_url(
          "const b = new Blob(['a', new Uint8Array([0, 255]), new Blob(['\\u20ac']), '\\ud800'], "
          "{type: 'Text/Plain'});\n"
          "[b.size, b.type, [...new Uint8Array(await b.slice(1, 6, 'x/y').arrayBuffer())].join(), "
          "b.slice(1, 6, 'x/y').type, await b.slice(-3).text()]"),
      "[9,\"text/plain\",\"0,255,226,130,172\",\"x/y\",\"\xEF\xBF\xBD\"]");
}

TEST_F(RoadScriptBodies, AreFormsWhoseFilesArriveAsTheyWere) {
  auto const sent = run_with_url(
      "const bytes = Uint8Array.from({length: 256}, (_, i) => i);\nconst form = new FormData();\n"
      "form.append('name', 'line\\r\\nbreak');\n"
      "form.append('file', new Blob([bytes], {type: 'application/x-all'}), 'a \"b\".bin');\n"
      "(await fetch(url, {method: 'POST', body: form})).status");

  EXPECT_EQ(sent, "200");
  auto const request = received();
  auto const mark = request.find("boundary=");
  ASSERT_NE(mark, std::string::npos) << request;
  auto const boundary = request.substr(mark + 9, request.find("\r\n", mark) - mark - 9);
  EXPECT_THAT(request, HasSubstr("multipart/form-data; boundary="));
  EXPECT_THAT(boundary, MatchesRegex("[-_0-9A-Za-z'()+,./:=?]+"));
  EXPECT_THAT(request, HasSubstr("--" + boundary +
                                 "\r\nContent-Disposition: form-data; name=\"file\"; "
                                 "filename=\"a %22b%22.bin\"\r\nContent-Type: "
                                 "application/x-all\r\n\r\n" +
                                 all_bytes() + "\r\n--" + boundary + "--\r\n"));
}

TEST_F(RoadScriptBodies, AreFormsAgainWhenTheyComeBack) {
  EXPECT_EQ(run_with_url(
                "const bytes = Uint8Array.from({length: 256}, (_, i) => i);\nconst form = new "
                "FormData();\n"
                "form.append('a', '1'); form.append('a', '2');\n"
                "form.append('file', new Blob([bytes]), 'all.bin');\n"
                "const sent = new Request(url, {method: 'POST', body: form});\n"
                "const type = sent.headers.get('content-type');\n"
                "const r = await fetch(sent);\n"
                "const back = await new Response(await r.arrayBuffer(), {headers: {'content-type': "
                "type}}).formData();\n"
                "const file = back.get('file');\n"
                "const b = new Uint8Array(await file.arrayBuffer());\n"
                "[back.getAll('a').join(), file.name, b.length, b.every((x, i) => x === i)]"),
            R"(["1,2","all.bin",256,true])");
}

TEST_F(RoadScriptBodies, AreBlobsOfTheTypeThatTheAnswerNames) {
  EXPECT_EQ(run_with_url("(await (await fetch(url + '/typed')).blob()).type"),
            R"("image/png;charset=utf-8")");
  EXPECT_EQ(run_with_url("(await (await fetch(url + '/bytes')).blob()).type"), R"("")");
}

}  // namespace
}  // namespace sallyport::test
