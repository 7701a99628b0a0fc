"""Signals as the tests need them, wherever they are started."""

import signal

# A background job ignores SIGINT, and what it starts inherits that.
signal.signal(signal.SIGINT, signal.default_int_handler)
