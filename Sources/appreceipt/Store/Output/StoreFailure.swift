import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import ArgumentParser

/// The failure of a `store` command: text, JSON, and the exit status.
@available(AppStoreServerAPI 1.0, *)
struct StoreFailure: Error {
    let code: String
    let message: String
    /// The library's remedy, which the outputs adapt to the command line.
    let remedy: String
    let exitStatus: Int32
    /// The failure of a request; nil if none was sent.
    private(set) var cause: AppStoreServerError?
    /// The request's change at the App Store; nil if it changes nothing.
    private(set) var change: StoreChange?
    /// Whether the change may have been made.
    var isOutcomeUnknown: Bool { cause?.isOutcomeUnknown ?? false }

    /// - Parameters:
    ///   - error: The client's error.
    ///   - subject: What the error is about, if it isn't the request.
    ///   - change: What the request changes; nil if it changes nothing.
    ///   - exitStatus: The exit status. Default: that of the error.
    init(
        _ error: AppStoreServerError, about subject: String? = nil, changing change: StoreChange? = nil,
        exitStatus: Int32? = nil
    ) {
        code = error.receiptError?.code.rawValue ?? error.code.rawValue
        message = (subject.map { "\($0): " } ?? "") + error.message
        // The advice to try again would contradict that of a change that may have been made.
        remedy =
            (error.isOutcomeUnknown ? change?.remedy : nil) ?? CommandLineRemedies.remedy(ofRequest: error)
        self.exitStatus = exitStatus ?? Self.exitStatus(error)
        cause = error
        self.change = change
    }

    /// A receipt that isn't valid.
    init(_ error: ReceiptError, message: String? = nil) {
        code = error.code.rawValue
        self.message = "The receipt isn't valid: \(message ?? error.message)"
        remedy = CommandLineRemedies.remedy(ofReceipt: error)
        exitStatus = 1
    }

    private init(code: String, message: String, remedy: String, exitStatus: Int32) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.exitStatus = exitStatus
    }

    /// Returns the failure to read the file of an option. The reason is already on standard error.
    static func unreadable(_ option: String) -> StoreFailure {
        StoreFailure(
            code: ReceiptError.Code.inputUnreadable.rawValue, message: "The file of \(option) can't be read.",
            remedy: "Check the path and that you may read the file.", exitStatus: 66)
    }

    /// Reads the file of an option.
    ///
    /// - Throws: `ExitCode` 66 if it can't be read, after the JSON was written.
    static func reading<Contents>(
        _ option: String, format: OutputFormat, read: () throws -> Contents
    ) throws -> Contents {
        do {
            return try read()
        } catch let status as ExitCode where status.rawValue == 66 && format == .json {
            try JSONOutput.write(json: unreadable(option).json)
            throw status
        }
    }

    static let receiptWithoutPurchases = StoreFailure(
        code: "receipt-without-purchases",
        message: "The receipt is valid, but contains no purchase, so it contains no identifier of the customer.",
        remedy: "Pass a transaction identifier of the customer, for example from a signed transaction of the app.",
        exitStatus: 1)

    /// 64 for values that can't be sent, 69 if there was no response, 1 if it was a refusal or can't be used.
    private static func exitStatus(_ error: AppStoreServerError) -> Int32 {
        switch error.code {
        case .configurationInvalid, .requestInvalid: 64
        case .keyInvalid: 66
        case .unreachable, .timedOut, .serverError, .rateLimited, .canceled: 69
        default: (error.httpStatus ?? 0) >= 500 ? 69 : 1
        }
    }

    /// The remedy, a sentence or paragraph each, and the address of the error's documentation.
    private var remedies: [String] {
        // The App Store may refuse longer: the client reads at most a day.
        let wait =
            cause?.retryDate.map { ["Don't send the next request before \(ReceiptDate.string(from: $0))."] } ?? []
        return wait + CommandLineRemedies.lines(for: [(code, remedy)])
    }

    /// The lines for standard error.
    var lines: [String] {
        var facts = [code]
        if let status = cause?.httpStatus { facts.append("HTTP \(status)") }
        if let environment = cause?.environment { facts.append(environment.rawValue) }
        let meaning = "\(message) [\(facts.joined(separator: ", "))]"
        var lines = ["appreceipt: \(meaning)"]
        if let number = cause?.appleErrorCode {
            let name = AppStoreServerError.AppleErrorCode(number: number)?.description ?? String(number)
            let text = cause?.appleMessage.map { " \"\($0)\"" } ?? ""
            lines = ["appreceipt: Apple's error \(name)\(text): \(meaning)"]
        }
        if let change, isOutcomeUnknown { lines.insert("appreceipt: \(change.warning)", at: 0) }
        return lines + ["", "What to do"] + remedies.map { "  " + $0 }
    }

    /// The document that replaces the result.
    var json: AppStoreJSON {
        var error: AppStoreJSON.Object = [
            "code": .string(code),
            "appleErrorCode": cause?.appleErrorCode.map { .number(AppStoreJSON.Number($0)) } ?? .null,
            "appleMessage": .text(cause?.appleMessage), "message": .string(message),
            "remedy": .string(CommandLineRemedies.remedy(for: code, remedy)),
            "documentation": .string(ErrorDocumentation.link(to: code)),
            "httpStatus": cause?.httpStatus.map { .number(AppStoreJSON.Number($0)) } ?? .null,
            "environment": .text(cause?.environment?.rawValue),
        ]
        error["retryDate"] = .text(cause?.retryDate.map { ReceiptDate.string(from: $0) })
        if let change {
            error["outcomeUnknown"] = .boolean(isOutcomeUnknown)
            if let identifier = change.requestIdentifier { error["requestIdentifier"] = .string(identifier) }
        }
        return ["error": .object(error)]
    }

    /// Writes the failure.
    ///
    /// - Returns: The exit status to throw.
    func exit(_ format: OutputFormat) -> any Error {
        if format == .json {
            do {
                try JSONOutput.write(json: json)
            } catch {
                return error
            }
        }
        for line in lines { Terminal.note(line) }
        return ExitCode(exitStatus)
    }
}

/// A command's change at the App Store, for a failure after which it may have been made.
struct StoreChange {
    /// Says that the request may have been carried out, and what to do unless that is the remedy.
    let warning: String
    /// The remedy if the request may have been carried out; nil for the remedy of the failure.
    var remedy: String?
    /// The identifier with which the request can be repeated.
    var requestIdentifier: String?

    static let consumption = StoreChange(
        warning: "The App Store may have received the consumption information. It is safe to repeat the command.")

    static let appAccountToken = StoreChange(
        warning: "The App Store may have received the account token. It is safe to repeat the command.")

    static let testNotification = StoreChange(
        warning:
            "The test notification may have been requested.",
        remedy: "See whether your server receives it before you request another one."
    )

    static func renewalExtensions(ofProduct product: String, requestIdentifier: String) -> StoreChange {
        StoreChange(
            warning:
                "The App Store may be extending the subscriptions. See whether it does with 'appreceipt store "
                + "extend-status --product \(product) --request-id \(requestIdentifier)' before you repeat the "
                + "command.",
            requestIdentifier: requestIdentifier)
    }

    static func renewalExtension(requestIdentifier: String) -> StoreChange {
        StoreChange(
            warning:
                "The subscription may have been extended. Repeat the command with --request-id \(requestIdentifier)",
            requestIdentifier: requestIdentifier)
    }
}
