#if Server
import AppReceiptSupport
import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONValue {
    /// The date in RFC 3339, or null.
    static func date(_ date: Date?) -> JSONValue { .text(date.map { ReceiptDate.string(from: $0) }) }
}
#endif
