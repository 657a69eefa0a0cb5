#if canImport(AppKit)
import AppKit

/// main.swift consists of one call of this.
@discardableResult
func runGarden() -> Int32 {
    MainActor.assumeIsolated {
        // Synchronous: the receipt has been judged before there is an application.
        _ = Licence.shared
        return NSApplicationMain(CommandLine.argc, CommandLine.unsafeArgv)
    }
}
#endif
