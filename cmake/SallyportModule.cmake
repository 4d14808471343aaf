# sallyport_module(<name> [SINGLE_THREADED] [ONE_BY_ONE <pattern>...] [FUZZED <pattern>...] [EXCEPT <folder>...]
#                  [DEPENDS <module>...] [LIBRARIES <target>...])
#
# Makes the folder a library sallyport_<name> of its *.cpp files (subfolders included, main.cpp left
# out), and a test program of its *_test.cpp files. DEPENDS is the whole list of modules whose
# headers the folder may include; scripts/check_layers.py holds the sources to it. The tests of a
# SINGLE_THREADED module are left out under the thread sanitizer, to which they say nothing. FUZZED
# are the sources that fuzz targets are about ("*": all); only there do they look for new paths.
# A folder under EXCEPT is built by a CMakeLists.txt of its own.
#
# The sanitizer presets compile several files of a target as one (CMAKE_UNITY_BUILD), in half the
# time. So a name in an unnamed namespace is used once per module, but in files that are compiled
# ONE_BY_ONE: those with many small helpers under the plainest names.
include(GoogleTest)

function(sallyport_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SINGLE_THREADED" "" "ONE_BY_ONE;FUZZED;EXCEPT;DEPENDS;LIBRARIES")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  foreach(folder ${arg_EXCEPT})
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
  endforeach()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(TRANSFORM arg_DEPENDS PREPEND sallyport_)

  if(sources)
    set(scope PUBLIC)
    add_library(sallyport_${name} STATIC ${sources})
    sallyport_precompile(sallyport_${name})
    sallyport_cover(sallyport_${name} "${arg_FUZZED}")
  else()
    set(scope INTERFACE)
    add_library(sallyport_${name} INTERFACE)
  endif()
  target_include_directories(sallyport_${name} ${scope} ${CMAKE_SOURCE_DIR})
  target_link_libraries(sallyport_${name} ${scope} ${arg_DEPENDS} ${arg_LIBRARIES})

  if(tests AND SALLYPORT_TESTS AND NOT (arg_SINGLE_THREADED AND SALLYPORT_THREADS_ONLY))
    add_executable(sallyport_${name}_test ${tests})
    sallyport_test_program(sallyport_${name}_test)
    target_link_libraries(sallyport_${name}_test PRIVATE sallyport_${name})
    sallyport_discover(sallyport_${name}_test "${name}." unit)
  endif()
  if(arg_ONE_BY_ONE)
    file(GLOB alone CONFIGURE_DEPENDS ${arg_ONE_BY_ONE})
    set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# Counts the paths taken through the code, for libFuzzer. Costs a third of the time to compile.
set(SALLYPORT_COVERAGE -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table)

function(sallyport_cover target patterns)
  if(NOT SALLYPORT_FUZZ OR NOT patterns)
    return()
  endif()
  if(patterns STREQUAL "*")
    target_compile_options(${target} PRIVATE ${SALLYPORT_COVERAGE})
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${SALLYPORT_COVERAGE}")
endfunction()

# One ctest entry per GoogleTest case, read after the build: the names show in the test's report. With
# SALLYPORT_FEW_PROCESSES the unit tests of a program are four entries: where a process takes longer
# to start than most tests take to run, that is most of the time.
function(sallyport_discover target prefix label)
  if(SALLYPORT_FEW_PROCESSES AND label STREQUAL "unit")
    foreach(part RANGE 3)
      add_test(NAME ${prefix}${part} COMMAND ${target} --gtest_brief=1)
      set_tests_properties(${prefix}${part} PROPERTIES LABELS ${label} TIMEOUT 600
                           ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}")
    endforeach()
    return()
  endif()
  gtest_discover_tests(${target} TEST_PREFIX "${prefix}" DISCOVERY_MODE PRE_TEST
                       DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${label} TIMEOUT 120)
endfunction()

# Asio and Boost.JSON cost seconds per file. One precompiled header serves every target: clang
# accepts it wherever the compile options are the same.
add_library(sallyport_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
target_precompile_headers(sallyport_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.hpp)
target_include_directories(sallyport_pch PRIVATE ${CMAKE_SOURCE_DIR})

function(sallyport_precompile target)
  target_precompile_headers(${target} REUSE_FROM sallyport_pch)
endfunction()

# Test programs have a precompiled header with GoogleTest in it. Optimizing them would take more
# than half of the time of a release build, and tests nothing: what is tested is in the libraries,
# which are optimized as always.
if(SALLYPORT_TESTS)
  add_library(sallyport_test_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
  target_precompile_headers(sallyport_test_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/test_pch.hpp)
  target_include_directories(sallyport_test_pch PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(sallyport_test_pch PRIVATE -O0)
  target_link_libraries(sallyport_test_pch PRIVATE GTest::gmock)
endif()

function(sallyport_test_program target)
  target_precompile_headers(${target} REUSE_FROM sallyport_test_pch)
  target_compile_options(${target} PRIVATE -O0)
  target_link_libraries(${target} PRIVATE GTest::gmock_main)
endfunction()
