import AppReceiptSupport
import ArgumentParser

/// What a `store` command writes.
@available(AppStoreServerAPI 1.0, *)
protocol StoreResult {
    var json: JSONValue { get }
    /// The lines of the text.
    var lines: [String] { get }
    /// Sentences for standard error, below the text.
    var notes: [String] { get }
    /// Whether the exit status is 0.
    var isSuccess: Bool { get }
}

@available(AppStoreServerAPI 1.0, *)
extension StoreResult {
    var notes: [String] { [] }
    var isSuccess: Bool { true }

    /// - Throws: `ExitCode` 1 if the result isn't a success.
    func write(_ format: OutputFormat) throws {
        switch format {
        case .json: try JSONOutput.write(json: json)
        case .text: try Terminal.write(lines.joined(separator: "\n") + "\n")
        }
        for note in notes { Terminal.note(note) }
        guard isSuccess else { throw ExitCode(1) }
    }
}
