#include "src/app/cli.hpp"

#include <exception>
#include <iostream>
#include <string>
#include <vector>

int main(int count, char** words) {
  try {
    std::vector<std::string> const arguments{words + 1, words + count};
    return sallyport::app::run(arguments,
                               {sallyport::config::process_environment(), std::cout, std::cerr});
  } catch (std::exception const& exception) {
    std::cerr << "sallyport: " << exception.what() << '\n';
    return 1;
  }
}
