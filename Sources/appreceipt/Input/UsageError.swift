import ArgumentParser

/// Wrong usage that is only found while a command runs.
enum UsageError {
    /// Reports the error.
    ///
    /// - Returns: The exit status to throw.
    static func exit(_ message: String) -> ExitCode {
        Terminal.printError(message)
        return ExitCode(64)
    }
}
