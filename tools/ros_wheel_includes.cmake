# Read through CMAKE_PROJECT_INCLUDE when interface packages are built against ROS 2 wheels.
#
# The exported targets of the wheels name include folders of the image they were built on
# (/opt/python/...). Nothing installed is edited: at the end of configuring, the entries are replaced,
# in the imported targets of this build only, by the folders of the Python in use.

function(st_memory_fix_wheel_includes)
  find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Module NumPy)
  set(good ${Python3_INCLUDE_DIRS} ${Python3_NumPy_INCLUDE_DIRS})
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(entries ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(entries AND entries MATCHES "/opt/python/")
      list(FILTER entries EXCLUDE REGEX "/opt/python/")
      list(APPEND entries ${good})
      list(REMOVE_DUPLICATES entries)
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${entries}")
    endif()
  endforeach()
endfunction()

cmake_language(DEFER CALL st_memory_fix_wheel_includes)
