#include "src/mcp/rpc.hpp"

#include "src/json/write.hpp"

#include <utility>

namespace sallyport::mcp {

Answer error_answer(json::Value const& id, RpcError const& error, Revision revision) {
  std::string body = R"({"jsonrpc":"2.0")";
  if (!id.is_null() || !is_modern(revision)) {
    body += R"(,"id":)";
    json::write(id, body);
  }
  body += R"(,"error":{"code":)";
  body += std::to_string(error.code);
  body += R"(,"message":)";
  json::write_string(error.message, body);
  if (!error.data.is_null()) {
    body += R"(,"data":)";
    json::write(error.data, body);
  }
  body += "}}";
  return {std::move(body), error.http_status};
}

void open_answer(json::Value const& id, std::string& out) {
  out += R"({"jsonrpc":"2.0","id":)";
  json::write(id, out);
  out += R"(,"result":)";
}

Answer result_answer(json::Value const& id, std::string_view result) {
  std::string body;
  body.reserve(result.size() + 64);
  open_answer(id, body);
  body += result;
  body += '}';
  return {std::move(body), 200};
}

std::string notification(std::string_view method, json::Object params) {
  std::string text = R"({"jsonrpc":"2.0","method":)";
  json::write_string(method, text);
  if (!params.empty()) {
    text += R"(,"params":)";
    json::write(params, text);
  }
  text += '}';
  return text;
}

std::string notification_text(std::string_view method, std::string_view params) {
  std::string text;
  text.reserve(params.size() + method.size() + 48);
  text = R"({"jsonrpc":"2.0","method":)";
  json::write_string(method, text);
  text += R"(,"params":)";
  text += params;
  text += '}';
  return text;
}

std::string request(std::string_view id, std::string_view method, json::Object params) {
  std::string text = R"({"jsonrpc":"2.0","id":)";
  json::write_string(id, text);
  text += R"(,"method":)";
  json::write_string(method, text);
  text += R"(,"params":)";
  json::write(params, text);
  text += '}';
  return text;
}

std::string id_key(json::Value const& id) {
  return json::to_text(id);
}

}  // namespace sallyport::mcp
