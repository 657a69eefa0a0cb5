package import AppReceiptFoundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Writes a JSON document into one buffer: members in the order of the calls, without an intermediate value.
///
/// Names that are `StaticString` are written as they are: printable ASCII without quotation marks and backslashes.
/// Other strings are escaped as ``JSONText`` does. The caller opens and closes objects and arrays in pairs, and writes
/// distinct names.
package struct JSONWriter {
    /// The document so far.
    @usableFromInline package internal(set) var bytes: [UInt8] = []

    /// Whether each member and element is on its own line.
    @usableFromInline let isPretty: Bool
    /// The number of open objects and arrays.
    private var depth = 0
    /// Whether the next member or element is the first one in its object or array.
    @usableFromInline var isFirst = true

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - capacity: The expected size of the document, so that the buffer doesn't grow.
    ///   - isPretty: Whether each member and element is on its own line.
    package init(capacity: Int = 0, isPretty: Bool = false) {
        self.isPretty = isPretty
        bytes.reserveCapacity(capacity)
    }

    // MARK: Objects and arrays

    /// Opens an object: the document, or an element of an array.
    package mutating func openObject() {
        separate()
        open("{")
    }

    /// Opens an object that is the value of a member.
    package mutating func openObject(_ name: StaticString) {
        self.name(name)
        open("{")
    }

    /// Closes the object.
    package mutating func closeObject() { close("}") }

    /// Opens an array that is the value of a member.
    package mutating func openArray(_ name: StaticString) {
        self.name(name)
        open("[")
    }

    /// Closes the array.
    package mutating func closeArray() { close("]") }

    private mutating func open(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        depth += 1
        isFirst = true
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        depth -= 1
        if isPretty, !isFirst { startLine() }
        bytes.append(UInt8(ascii: bracket))
        isFirst = false
    }

    /// Writes what precedes a member or element.
    @usableFromInline mutating func separate() {
        guard depth > 0 else { return }
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        if isPretty { startLine() }
        isFirst = false
    }

    private mutating func startLine() {
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: Swift.repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    // MARK: Names

    /// Writes the name of a member. Its value must follow.
    private mutating func name(_ name: StaticString) {
        appendMember(name, "", capacity: 0) { _ in }
    }

    /// Writes the name of a member. Its value must follow.
    private mutating func name(_ name: String) {
        separate()
        JSONText.append(name, to: &bytes)
        bytes.append(contentsOf: (isPretty ? " : " : ":").utf8)
    }

    /// Writes a name, and a value of at most `capacity` bytes.
    ///
    /// - Parameter suffix: The rest of the name.
    @inlinable @inline(__always)
    mutating func appendMember(
        _ name: StaticString, _ suffix: StaticString, capacity: Int, _ value: (inout OutputSpan<UInt8>) -> Void
    ) {
        let isNext = !isPretty && !isFirst
        if !isNext { separate() }
        let isPretty = isPretty
        bytes.append(addingCapacity: name.utf8CodeUnitCount + suffix.utf8CodeUnitCount + capacity + 6) { output in
            if isNext { output.append(UInt8(ascii: ",")) }
            output.append(memberName: name, suffix, isPretty: isPretty)
            value(&output)
        }
    }
}

extension OutputSpan<UInt8> {
    /// Appends the name of a member, up to its value.
    @usableFromInline mutating func append(memberName name: StaticString, _ suffix: StaticString, isPretty: Bool) {
        let (nameCount, suffixCount) = (name.utf8CodeUnitCount, suffix.utf8CodeUnitCount)
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            guard let start = buffer.baseAddress, nameCount &+ suffixCount &+ 5 <= buffer.count &- count else {
                preconditionFailure("The capacity is too small.")
            }
            var next = unsafe start + count
            unsafe next[0] = UInt8(ascii: "\"")
            unsafe memcpy(next + 1, name.utf8Start, nameCount)
            unsafe next += nameCount &+ 1
            if suffixCount > 0 {
                unsafe memcpy(next, suffix.utf8Start, suffixCount)
                unsafe next += suffixCount
            }
            unsafe next[0] = UInt8(ascii: "\"")
            if isPretty {
                unsafe next[1] = UInt8(ascii: " ")
                unsafe next[2] = UInt8(ascii: ":")
                unsafe next[3] = UInt8(ascii: " ")
            } else {
                unsafe next[1] = UInt8(ascii: ":")
            }
            count = count &+ nameCount &+ suffixCount &+ (isPretty ? 5 : 3)
        }
    }
}

// MARK: Members

extension JSONWriter {
    /// Writes a string, or null.
    package mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return null(name) }
        let isWritten = unsafe text.utf8.withContiguousStorageIfAvailable { utf8 in
            guard unsafe JSONText.isPlain(UnsafeRawBufferPointer(utf8)) else { return false }
            appendMember(name, "", capacity: utf8.count + 2) { output in
                output.append(UInt8(ascii: "\""))
                unsafe output.append(utf8)
                output.append(UInt8(ascii: "\""))
            }
            return true
        }
        guard isWritten != true else { return }
        self.name(name)
        JSONText.append(text, to: &bytes)
    }

    /// Writes true, false or null.
    package mutating func member(_ name: StaticString, _ truth: Bool?) {
        guard let truth else { return null(name) }
        appendMember(name, "", capacity: 5) { $0.append(truth ? "true" : "false" as StaticString) }
    }

    /// Writes an integer as a number, with all digits.
    package mutating func member(_ name: StaticString, number: UInt64) {
        appendMember(name, "", capacity: 20) { $0.append(digits: number) }
    }

    /// Writes an integer as a number.
    package mutating func member(_ name: StaticString, number: Int) {
        appendMember(name, "", capacity: 20) { $0.append(digits: Int64(number)) }
    }

    /// Writes an integer as a string, for readers that lose digits of numbers.
    package mutating func member(_ name: StaticString, digits: UInt64) {
        appendMember(name, "", capacity: 22) { output in
            output.append(UInt8(ascii: "\""))
            output.append(digits: digits)
            output.append(UInt8(ascii: "\""))
        }
    }

    /// Writes a date as RFC 3339 in UTC, or null.
    package mutating func member(_ name: StaticString, _ date: Date?) {
        guard let date else { return null(name) }
        appendMember(name, "", capacity: RFC3339.maxCount + 2) { output in
            output.append(UInt8(ascii: "\""))
            RFC3339.append(date, to: &output)
            output.append(UInt8(ascii: "\""))
        }
    }

    /// Writes a string that is printable ASCII without quotation marks and backslashes.
    package mutating func member(_ name: StaticString, plain text: ArraySlice<UInt8>) {
        appendMember(name, "", capacity: text.count + 2) { output in
            output.append(UInt8(ascii: "\""))
            unsafe text.withUnsafeBufferPointer { unsafe output.append($0) }
            output.append(UInt8(ascii: "\""))
        }
    }

    /// Writes bytes as base64.
    package mutating func member(_ name: StaticString, base64 octets: ArraySlice<UInt8>) {
        appendMember(name, "", capacity: Base64.encodedCount(octets.count) + 2) { output in
            output.append(UInt8(ascii: "\""))
            Base64.encode(octets.span, to: &output)
            output.append(UInt8(ascii: "\""))
        }
    }

    /// Writes a string of printable ASCII without quotation marks and backslashes.
    ///
    /// - Parameters:
    ///   - suffix: The rest of the name.
    ///   - capacity: The maximum length of the string.
    ///   - write: Writes the string.
    @inlinable @inline(__always)
    package mutating func member(
        _ name: StaticString, _ suffix: StaticString = "", capacity: Int, _ write: (inout OutputSpan<UInt8>) -> Void
    ) {
        appendMember(name, suffix, capacity: capacity + 2) { output in
            output.append(UInt8(ascii: "\""))
            write(&output)
            output.append(UInt8(ascii: "\""))
        }
    }

    @inline(never)
    private mutating func null(_ name: StaticString) {
        appendMember(name, "", capacity: 4) { $0.append("null" as StaticString) }
    }
}

// MARK: Members that may be absent

extension JSONWriter {
    /// Writes a string unless it is nil.
    package mutating func memberIfPresent(_ name: StaticString, _ text: String?) {
        if let text { member(name, text) }
    }

    /// Writes true or false unless the value is nil.
    package mutating func memberIfPresent(_ name: StaticString, _ truth: Bool?) {
        if let truth { member(name, truth) }
    }

    /// Writes an integer as a number unless it is nil.
    package mutating func memberIfPresent(_ name: StaticString, number: UInt64?) {
        if let number { member(name, number: number) }
    }

    /// Writes an integer as a number unless it is nil.
    package mutating func memberIfPresent(_ name: StaticString, number: Int?) {
        if let number { member(name, number: number) }
    }

    /// Writes an integer as a string unless it is nil.
    package mutating func memberIfPresent(_ name: StaticString, digits: UInt64?) {
        if let digits { member(name, digits: digits) }
    }

    /// Writes a date as RFC 3339 in UTC unless it is nil.
    package mutating func memberIfPresent(_ name: StaticString, _ date: Date?) {
        if let date { member(name, date) }
    }

    /// Writes bytes as base64 unless they are nil.
    package mutating func memberIfPresent(_ name: StaticString, base64 octets: [UInt8]?) {
        if let octets { member(name, base64: octets[...]) }
    }
}

extension AppStoreJSON {
    /// Creates an object from the members that `writeMembers` writes, for callers that need values rather than a
    /// document.
    package init(writing writeMembers: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.element(writeMembers)
        guard let value = try? AppStoreJSON(parsing: writer.bytes[...], depth: .max) else {
            preconditionFailure("The members aren't distinct, or not JSON.")
        }
        self = value
    }
}

// MARK: Values that exist already

extension JSONWriter {
    /// Writes a value as a member.
    package mutating func member(_ name: StaticString, _ value: AppStoreJSON) {
        self.name(name)
        write(value)
    }

    /// Writes the members of an object.
    package mutating func members(_ object: AppStoreJSON.Object) {
        for member in object.members {
            name(member.name)
            write(member.value)
        }
    }

    /// Writes a value as the document or as an element of an array.
    package mutating func element(_ value: AppStoreJSON) {
        separate()
        write(value)
    }

    /// Writes a string as an element of an array.
    package mutating func element(_ text: String) {
        separate()
        JSONText.append(text, to: &bytes)
    }

    /// Writes an object as an element of an array.
    ///
    /// - Returns: The position of the element in ``bytes``.
    @discardableResult
    package mutating func element(_ writeMembers: (inout JSONWriter) -> Void) -> Range<Int> {
        separate()
        let start = bytes.count
        open("{")
        writeMembers(&self)
        close("}")
        return start..<bytes.count
    }

    /// Writes an element of an array again that is in the document already.
    ///
    /// - Parameter range: The position of the element in ``bytes``.
    package mutating func repeatElement(_ range: Range<Int>) {
        separate()
        // A slice would share the buffer, so that appending to it copied all of it.
        let element = Array(bytes[range])
        bytes.append(contentsOf: element)
    }

    private mutating func write(_ value: AppStoreJSON) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .boolean(let truth): bytes.append(contentsOf: (truth ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: number.text.utf8)
        case .string(let string): JSONText.append(string, to: &bytes)
        case .array(let elements):
            open("[")
            for value in elements { element(value) }
            close("]")
        case .object(let object):
            open("{")
            members(object)
            close("}")
        }
    }
}
