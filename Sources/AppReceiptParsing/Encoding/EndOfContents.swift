/// Whether there is an end-of-contents mark (X.690, 8.1.5) at `position`.
@inline(__always)
func isEndOfContents(_ bytes: Span<UInt8>, at position: Int, end: Int) -> Bool {
    position + 1 < end && bytes[position] == 0 && bytes[position + 1] == 0
}

/// Whether the bytes end in the middle of an end-of-contents mark.
func isTruncatedEndOfContents(_ bytes: Span<UInt8>, at position: Int, end: Int) -> Bool {
    position + 1 == end && bytes[position] == 0
}
