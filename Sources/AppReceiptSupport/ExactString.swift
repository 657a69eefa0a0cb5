/// A string that equals only strings with the same bytes.
///
/// `String` also equals strings in another Unicode normalization, which are other products to the App Store.
package struct ExactString: Sendable, Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactString, right: ExactString) -> Bool {
        // Without a generic iteration, which takes longer than the rest of an entitlement (budget: entitlements of 20,000 purchases).
        guard left.text.utf8.count == right.text.utf8.count else { return false }
        let isEqual = unsafe left.text.utf8.withContiguousStorageIfAvailable { left in
            unsafe right.text.utf8.withContiguousStorageIfAvailable { right in unsafe left.elementsEqual(right) }
        }
        return isEqual.flatMap(\.self) ?? left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
