// The system's C library, for every file of this module.

#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#elseif canImport(Darwin)
@_exported import Darwin
#endif

#if Server && canImport(CoreFoundation)
// The compiler attributes `stat` to whichever module it loads first.
@_exported import CoreFoundation
#endif
