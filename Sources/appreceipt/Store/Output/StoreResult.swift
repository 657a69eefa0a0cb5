import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import ArgumentParser

/// What a `store` command writes.
@available(AppStoreServerAPI 1.0, *)
protocol StoreResult {
    var json: AppStoreJSON { get }
    /// The lines of the text.
    var lines: [String] { get }
    /// Sentences for standard error, below the text.
    var notes: [String] { get }
    /// Whether the exit status is 0.
    var isSuccess: Bool { get }
    /// When the signed data in the result was signed.
    var signedDates: [Date] { get }
}

@available(AppStoreServerAPI 1.0, *)
extension StoreResult {
    var notes: [String] { [] }
    var isSuccess: Bool { true }
    var signedDates: [Date] { [] }

    /// The remark about data that was signed more than five minutes after `now`; nil if there is none.
    func remark(onSignedDatesAfter now: Date) -> String? {
        guard let latest = signedDates.max(), latest > now.addingTimeInterval(300) else { return nil }
        return
            "The response was signed at \(ReceiptDate.string(from: latest)), in the future. Check this computer's "
            + "clock."
    }

    /// - Parameter now: The current time.
    /// - Throws: `ExitCode` 1 if the result isn't a success.
    func write(_ format: OutputFormat, now: Date) throws {
        switch format {
        case .json: try JSONOutput.write(json: json)
        case .text: try Terminal.write(lines: lines)
        }
        for note in notes + [remark(onSignedDatesAfter: now)].compactMap(\.self) { Terminal.note(note) }
        guard isSuccess else { throw ExitCode(1) }
    }
}

extension AppStoreJSON {
    /// A date as in Apple's JSON; null if there is none.
    static func milliseconds(_ date: Date?) -> AppStoreJSON {
        date.map { .number(AppStoreJSON.Number(Int64($0.timeIntervalSince1970 * 1000))) } ?? .null
    }
}
