# What "make install" puts where.
include(GNUInstallDirs)
install(TARGETS rubble ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
