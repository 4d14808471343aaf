// For test programs: the common header, and GoogleTest.
#pragma once

#include "cmake/pch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
