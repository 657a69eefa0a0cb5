/// A string that equals only strings with the same bytes.
///
/// `String` also equals strings in another Unicode normalization, which are other products to the App Store.
package struct ExactString: Sendable, Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactString, right: ExactString) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
