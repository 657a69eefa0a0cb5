public import AppReceiptKit
package import AppReceiptSupport

/// The report on signed data.
public typealias SignedDataReport = ValidationReport<VerifiedSignedData, SignedDataContents>

extension ValidationReport where Contents == SignedDataContents {
    /// The kind of data, nil if it can't be determined.
    public var kind: SignedDataKind? { contents?.kind }

    /// The members of the payload, nil if they couldn't be read. Proven only if `isSigned`.
    public var payload: AppStoreJSON.Object? { contents?.payload }

    /// The payloads of the tokens in a notification, by the names of their members. Unreadable ones are left out.
    /// Proven only if `isValid`.
    public var nested: [String: AppStoreJSON.Object] { contents?.nested ?? [:] }
}

extension ValidationReport where Value == VerifiedSignedData, Contents == SignedDataContents {
    /// The entitlements at the time of the report, according to this data alone; nil if it isn't valid or
    /// contains no transaction.
    ///
    /// The transaction and the renewal information of a notification count together. Renewal information alone proves
    /// no purchase, and an app transaction contains none.
    public var entitlements: Entitlements? {
        (try? result.get())?.entitlements(at: entitlementDate)
    }

    /// Returns the JSON of the report in UTF-8, with members in the order in which people read them.
    ///
    /// ```
    /// {"verdict", "kind", "environment", "failure": {"check", "code", "message", "remedy", "documentation"},
    ///   "products", "checks": [{"name", "outcome", "code", "message"}], "payload", "nested"}
    /// ```
    ///
    /// Absent values are null, and so is an environment that the signature doesn't prove. The products are encoded as
    /// `Entitlement`, and are empty for data that isn't valid. The payload is as it was signed.
    ///
    /// - Parameter isPretty: Whether to write each member on its own line.
    /// - Returns: The document.
    public func json(isPretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(isPretty: isPretty)
        writer.openObject()
        write(to: &writer, entitlements: entitlements)
        writer.closeObject()
        return writer.bytes
    }

    /// Writes the members of the report with entitlements from additional evidence.
    package func write(to writer: inout JSONWriter, entitlements: Entitlements?) {
        writeVerdict(to: &writer, entitlements, kind: .some(kind?.rawValue))
        writer.member("payload", payload.map { .object($0) } ?? .null)
        guard !nested.isEmpty else { return writer.member("nested", .null) }
        var payloads = AppStoreJSON.Object()
        for (name, members) in nested.sorted(by: { $0.key < $1.key }) { payloads[name] = .object(members) }
        writer.member("nested", .object(payloads))
    }
}
