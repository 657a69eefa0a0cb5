import AppReceiptParsing
package import AppReceiptSupport

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension JSONValue {
    /// The date in RFC 3339, or null.
    package static func date(_ date: Date?) -> JSONValue { .text(date.map { ReceiptDate.string(from: $0) }) }
}
