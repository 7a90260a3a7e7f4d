# Read through CMAKE_PROJECT_INCLUDE when interface packages are built against ROS 2 wheels.
# Both functions run at the end of configuring; no installed file is edited.

# The exported targets of the wheels name include folders of the image they were built on
# (/opt/python/...). Replace them, in the imported targets of this build, by those of the Python in use.
function(st_memory_fix_includes)
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

# Every generated source reads the same large headers: compile them in batches (a third of the time).
# The descriptions define the same static names in each file and stay apart, as does introspection_cpp.
function(st_memory_batch_sources)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(sources ${target} SOURCES)
    if(target MATCHES "introspection_cpp$" OR NOT sources)
      continue()
    endif()
    list(FILTER sources INCLUDE REGEX "__description\\.c$")
    set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)
  endforeach()
endfunction()

cmake_language(DEFER CALL st_memory_fix_includes)
cmake_language(DEFER CALL st_memory_batch_sources)
