#if canImport(AppKit)
import AppKit

/// Validates the receipt and runs the app. Call it in main.swift.
@discardableResult
func runGarden() -> Int32 {
    MainActor.assumeIsolated {
        // Synchronous: the receipt is validated before the application exists.
        _ = License.shared
        return NSApplicationMain(CommandLine.argc, CommandLine.unsafeArgv)
    }
}
#endif
