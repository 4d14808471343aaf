#include "src/content/html.hpp"

#include "src/content/html/renderer.hpp"
#include "src/content/html/structure.hpp"
#include "src/content/html/survey.hpp"

namespace sallyport::content {

Rendered render_html(std::string_view text, HtmlOptions const& options) {
  html::Survey survey;
  html::Structure{text, survey}.run();
  auto const plan = survey.plan(options.main_content);
  html::Renderer renderer{options, plan};
  html::Structure{text, renderer}.run();
  Rendered rendered{.title = plan.title, .whole_page = plan.whole_page};
  rendered.body = renderer.finish(rendered.truncated);
  return rendered;
}

}  // namespace sallyport::content
