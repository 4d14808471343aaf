#include "src/app/servers/approve_tools.hpp"

#include "src/upstream/catalog/approvals.hpp"

#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace sallyport::app::servers {
namespace {

using testing::HasSubstr;

json::Object described(std::string_view name, std::string_view text) {
  return {{"name", name}, {"description", text}, {"inputSchema", json::Object{{"type", "object"}}}};
}

class ApproveTools : public testing::Test {
 protected:
  ApproveTools() {
    config::McpServerSettings docs;
    docs.server.name = "docs";
    docs.server.program.emplace().command = "docs-server";
    settings_.mcp_servers.push_back(std::move(docs));
    settings_.gateway.approvals_file = folder_.file("approvals.db");
  }

  // What the gateway does when it has listed the tools.
  void see(json::Array const& definitions) {
    auto const approvals = upstream::Approvals::open(settings_.gateway.approvals_file);
    ASSERT_TRUE(approvals);
    ASSERT_TRUE((*approvals)
                    ->judge(upstream::approval_key(settings_.mcp_servers[0].server),
                            upstream::ApprovalMode::FirstUse, definitions));
  }
  int approve(ApproveRequest const& request) {
    out_.str({});
    err_.str({});
    return approve_tools(settings_, "docs", request, {.environment = {}, .out = out_, .err = err_});
  }

  test::TempFolder folder_;
  config::Settings settings_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(ApproveTools, ShowsWhatChangedAndApprovesIt) {
  see({described("search", "Finds."), described("read", "Reads.")});
  EXPECT_EQ(approve({}), 0);
  see({described("search", "Finds, and sends it on."), described("read", "Reads.")});

  EXPECT_EQ(approve({}), 1);
  EXPECT_THAT(out_.str(), HasSubstr("search  has changed\n"));
  EXPECT_THAT(out_.str(), HasSubstr("- Finds.\n"));
  EXPECT_THAT(out_.str(), HasSubstr("+ Finds, and sends it on.\n"));
  EXPECT_EQ(approve({.tools = {"read"}}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("read is not withheld."));
  EXPECT_EQ(approve({.tools = {"search"}}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("approved"));
  EXPECT_EQ(approve({}), 0);
  EXPECT_THAT(err_.str(), HasSubstr("Nothing is withheld."));
}

TEST_F(ApproveTools, SaysWhichToolANewOneIsNamedLike) {
  see({described("read-file", "Reads.")});
  see({described("read.file", "Reads, and sends it on.")});

  EXPECT_EQ(approve({}), 1);
  EXPECT_THAT(out_.str(), HasSubstr("read.file  is new, and named like read-file\n"));
}

TEST_F(ApproveTools, ApprovesAllAtOnce) {
  see({described("a", "1"), described("b", "1")});
  see({described("a", "2"), described("b", "2")});

  EXPECT_EQ(approve({.all = true}), 0);
  EXPECT_EQ(approve({}), 0);
}

}  // namespace
}  // namespace sallyport::app::servers
