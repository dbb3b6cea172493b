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
    install(FILES ${PROJECT_BINARY_DIR}/share/rubble.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${PROJECT_BINARY_DIR}/share/rubble.bash RENAME rubble
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${PROJECT_BINARY_DIR}/share/_rubble DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${PROJECT_BINARY_DIR}/share/rubble.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
