/// A PEM block (RFC 7468), from its BEGIN line to its END line.
package struct PEMBlock {
    /// The label in the BEGIN line, such as `PKCS7`.
    package let label: String
    /// The decoded bytes.
    package let bytes: [UInt8]

    package enum Fault: Error {
        /// There is no BEGIN line, or no END line with the same label.
        case armor
        /// The body isn't base64, at this position of the text.
        case body(Int)
    }

    private static let begin = Array("-----BEGIN ".utf8)
    private static let dashes = Array("-----".utf8)

    /// Whether text starts with a BEGIN line.
    package static func isPlausible(_ text: ArraySlice<UInt8>) -> Bool { text.starts(with: begin) }

    /// Reads the block at the start of `text`.
    ///
    /// - Returns: The block, and the text after it and the whitespace that follows it.
    package static func read(_ text: ArraySlice<UInt8>) throws(Fault) -> (block: PEMBlock, rest: ArraySlice<UInt8>) {
        guard isPlausible(text) else { throw .armor }
        let labelStart = text.startIndex + begin.count
        guard let labelEnd = text.firstRange(of: dashes, from: labelStart)?.lowerBound, labelEnd - labelStart <= 64
        else { throw .armor }
        let label = String(decoding: text[labelStart..<labelEnd], as: UTF8.self)
        let bodyStart = labelEnd + dashes.count
        guard let end = text.firstRange(of: Array("-----END \(label)-----".utf8), from: bodyStart) else {
            throw .armor
        }
        do throws(Base64.Fault) {
            let bytes = try Base64.decode(text[bodyStart..<end.lowerBound])
            let rest = text[end.upperBound...].drop(while: Base64.isWhitespace)
            return (PEMBlock(label: label, bytes: bytes), rest)
        } catch {
            throw .body(bodyStart - text.startIndex + error.position)
        }
    }
}

extension ArraySlice<UInt8> {
    /// Returns the first occurrence of `pattern` at or after `start`.
    fileprivate func firstRange(of pattern: [UInt8], from start: Int) -> Range<Int>? {
        guard let first = pattern.first else { return start..<start }
        var position = start
        while position + pattern.count <= endIndex {
            if self[position] == first, self[position..<position + pattern.count].elementsEqual(pattern) {
                return position..<position + pattern.count
            }
            position += 1
        }
        return nil
    }
}
