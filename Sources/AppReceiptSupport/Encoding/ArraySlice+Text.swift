extension ArraySlice<UInt8> {
    /// The text without a UTF-8 byte order mark at its beginning, which some Windows tools write.
    package var withoutByteOrderMark: ArraySlice<UInt8> {
        starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self
    }

    /// The text without whitespace at its ends.
    package var trimmingWhitespace: ArraySlice<UInt8> {
        var text = drop(while: Base64.isWhitespace)
        while let last = text.last, Base64.isWhitespace(last) { text = text.dropLast() }
        return text
    }

    /// Whether the text looks like a compact JWS: three segments, the first of which starts with `{"` in base64url.
    package var isPlausibleJWS: Bool {
        starts(with: "eyJ".utf8) && reduce(0) { $0 + ($1 == UInt8(ascii: ".") ? 1 : 0) } == 2
    }
}
