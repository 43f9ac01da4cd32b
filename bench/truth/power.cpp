#include "sections.hpp"
namespace truth { void power(ledger&, effort) {} void capacity(ledger&, effort) {} }
