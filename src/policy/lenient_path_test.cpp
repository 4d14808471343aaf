#include "src/policy/lenient_path.hpp"

#include <gtest/gtest.h>

namespace sallyport::policy {
namespace {

TEST(LenientPath, HoldsWhateverAServerCouldTakeForThePath) {
  for (auto const* path :
       {"/admin", "/admin/", "/admin/x", "/%61dmin/x", "/Admin", "//admin", "/./admin",
        "/admin%2Fx", "/x%2F..%2Fadmin", "/x/..%5Cadmin", "/admin;v=1/x", "/%2561dmin",
        "/x/%252e%252e/admin", "\\admin", "/..;/admin"}) {
    EXPECT_TRUE(path_may_have_prefix(path, "/admin")) << path;
  }
}

TEST(LenientPath, LeavesOtherPathsAlone) {
  for (auto const* path : {"/", "/administrator", "/x/admin", "/projects/group%2Fadmin", "/adm",
                           "/admin%", "/admin/../x"}) {
    EXPECT_FALSE(path_may_have_prefix(path, "/admin")) << path;
  }
  EXPECT_TRUE(path_may_have_prefix("/anything", "/"));
}

}  // namespace
}  // namespace sallyport::policy
