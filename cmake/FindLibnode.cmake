# V8 out of Debian's libnode-dev, from the system or from where scripts/install_libnode put it.
# Makes the target Libnode::Libnode. Debian has no file for find_package or pkg-config.
#
# Header and library are taken from the same place: other packages of Node install headers of
# another V8 in /usr/include/node, and no library.
foreach(prefix /usr ${CMAKE_SOURCE_DIR}/build/libnode/usr)
  set(library ${prefix}/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libnode.so)
  if(NOT LIBNODE_LIBRARY AND EXISTS ${library} AND EXISTS ${prefix}/include/node/v8.h)
    set(LIBNODE_LIBRARY ${library})
    set(LIBNODE_INCLUDE_DIR ${prefix}/include/node)
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libnode REQUIRED_VARS LIBNODE_LIBRARY LIBNODE_INCLUDE_DIR)
if(Libnode_FOUND AND NOT TARGET Libnode::Libnode)
  add_library(Libnode::Libnode SHARED IMPORTED)
  set_target_properties(Libnode::Libnode PROPERTIES IMPORTED_LOCATION ${LIBNODE_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${LIBNODE_INCLUDE_DIR})
endif()
