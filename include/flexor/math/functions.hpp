#pragma once
// sin, cos, atan2, exp and friends (written next).
