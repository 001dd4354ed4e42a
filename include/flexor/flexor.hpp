#pragma once
// The public C++ surface.

#include "flexor/core/error.hpp"
#include "flexor/core/status.hpp"
#include "flexor/io/mjcf.hpp"
#include "flexor/math/random.hpp"
#include "flexor/model/builder.hpp"
#include "flexor/model/model.hpp"
#include "flexor/sim/log.hpp"
#include "flexor/sim/simulation.hpp"
