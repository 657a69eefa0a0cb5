// The part of Foundation that every module needs. FoundationEssentials has no ICU, which makes programs smaller and
// start sooner.

#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
