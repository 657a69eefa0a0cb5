import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser

/// The output of a `store` command.
struct StoreResult {
    let json: AppStoreJSON
    /// The lines of the text.
    var lines: [String]
    /// Sentences for standard error, below the text.
    var notes: [String] = []
    /// Whether the exit status is 0.
    var isSuccess = true
    /// The dates at which the signed data in the result was signed.
    var signedDates: [Date] = []

    /// Returns the remark about data that was signed more than five minutes after `now`; nil if there is none.
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

    /// The line in place of the customer's products, if everything was rejected.
    static let nothingVerified =
        "What the customer owns isn't known, because nothing in the response could be verified."
}

@available(AppStoreServerAPI 1.0, *)
extension [AppStoreServerClient.RejectedItem] {
    private var rejections: [Rejection] {
        map { item in
            Rejection(
                input: "item \(item.index)", code: item.error.receiptError?.code.rawValue ?? item.error.code.rawValue,
                message: item.error.receiptError?.message ?? item.error.message,
                remedy: CommandLineRemedies.remedy(ofRequest: item.error))
        }
    }

    var json: AppStoreJSON {
        .array(
            zip(self, rejections).map { item, rejection in
                AppStoreJSON {
                    $0.member("index", number: item.index)
                    rejection.writeReason(to: &$0)
                }
            })
    }

    /// The lines about rejected items, and what to do.
    var lines: [String] { Rejection.lines(rejections, terminal: .output) }

    /// The consequence of rejected items for the rest.
    var notes: [String] { isEmpty ? [] : ["\(count) rejected: refunds and renewals may be missing."] }
}

extension AppStoreJSON {
    /// Returns a date as in Apple's JSON; null if there is none.
    static func milliseconds(_ date: Date?) -> AppStoreJSON {
        date?.milliseconds.map { .number(AppStoreJSON.Number($0)) } ?? .null
    }

    /// Returns the JSON of a list of entitlements.
    static func entitlements(_ entitlements: [Entitlement]) -> AppStoreJSON { .array(entitlements.map(\.json)) }
}
