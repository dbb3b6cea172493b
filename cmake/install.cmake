# What "make install" puts where: library, headers, tool, pkg-config file, CMake package, man page and completions.
include(CMakePackageConfigHelpers)

install(TARGETS rubble EXPORT rubble-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(RUBBLE_SHARED)
    install(TARGETS rubble_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(FILES ${rubble_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rubble)

configure_file(cmake/rubble.pc.in rubble.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rubble.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(EXPORT rubble-targets NAMESPACE rubble:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rubble)
configure_package_config_file(cmake/rubble-config.cmake.in rubble-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rubble)
write_basic_package_version_file(rubble-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rubble-config.cmake ${PROJECT_BINARY_DIR}/rubble-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rubble)

if(TARGET rubble_tool)
    install(TARGETS rubble_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

    # The man page and the completions come out of the tool's own description of its options.
    set(pages ${PROJECT_BINARY_DIR}/share)
    add_custom_command(
        OUTPUT ${pages}/rubble.1 ${pages}/rubble.bash ${pages}/_rubble ${pages}/rubble.fish
        COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
        COMMAND $<TARGET_FILE:rubble_tool> man > ${pages}/rubble.1
        COMMAND $<TARGET_FILE:rubble_tool> completion bash > ${pages}/rubble.bash
        COMMAND $<TARGET_FILE:rubble_tool> completion zsh > ${pages}/_rubble
        COMMAND $<TARGET_FILE:rubble_tool> completion fish > ${pages}/rubble.fish
        DEPENDS rubble_tool VERBATIM)
    add_custom_target(rubble_pages ALL DEPENDS ${pages}/rubble.1)

    install(FILES ${pages}/rubble.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${pages}/rubble.bash RENAME rubble DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${pages}/_rubble DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${pages}/rubble.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
