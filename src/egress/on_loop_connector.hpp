// Port: sends on the loop of whoever asks. LoopConnector (loop_connector.hpp) is the real one.
#pragma once

#include "src/egress/exchange.hpp"

namespace sallyport::egress {

class OnLoopConnector : public Connector {
 public:
  // Of one loop, on that loop, when its calls have ended: nothing of ours keeps it from ending.
  virtual void stop(Executor const& loop) = 0;
};

}  // namespace sallyport::egress
