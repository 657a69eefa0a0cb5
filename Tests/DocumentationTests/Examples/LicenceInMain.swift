#if os(macOS)
import AppKit

/// Call it from main.swift, as its only line.
@MainActor
func runGarden() -> Int32 {
    // Synchronous: the receipt has been judged before there is an application.
    _ = Licence.shared
    return NSApplicationMain(CommandLine.argc, CommandLine.unsafeArgv)
}
#endif
