import AppReceiptParsing
import ArgumentParser

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Where answers go.
struct AnswerWriter {
    private let descriptor: Int32
    /// The line of the last record that is answered already, 0 if none is.
    let answered: Int

    /// - Throws: `ExitCode` 73 with a message if the file cannot be made or would be overwritten.
    init(path: String?, resumes: Bool) throws {
        guard let path else {
            descriptor = STDOUT_FILENO
            answered = 0
            return
        }
        func refusal(_ reason: String) -> ExitCode {
            Terminal.complain("\(path): \(reason)")
            return ExitCode(73)
        }
        descriptor = unsafe open(path, O_RDWR | O_CREAT, 0o644)
        guard descriptor >= 0 else { throw refusal(unsafe String(cString: strerror(errno))) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size > 0 else {
            answered = 0
            return
        }
        guard resumes else {
            throw refusal("there is something in it already. Give --resume to go on with it, or remove it.")
        }
        guard let (end, line) = Self.lastAnswer(in: descriptor, size) else {
            throw refusal("its last line is no answer of this command; it cannot be gone on with.")
        }
        // A line that was being written when the run stopped is written anew.
        guard ftruncate(descriptor, off_t(end)) == 0, lseek(descriptor, 0, SEEK_END) == end else {
            throw refusal(unsafe String(cString: strerror(errno)))
        }
        answered = line
    }

    /// The end of the last whole line and the number that its answer has; both 0 if there is no whole line.
    private static func lastAnswer(in descriptor: Int32, _ size: Int) -> (end: Int, line: Int)? {
        // From the end backwards, more each time, until there is a whole line.
        var count = 1 << 16
        while true {
            count = min(count, size)
            guard let tail = octets(of: descriptor, from: size - count, count) else { return nil }
            if let newline = tail.lastIndex(of: UInt8(ascii: "\n")) {
                let start = tail[..<newline].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
                if start != nil || count == size {
                    let answer = tail[(start ?? 0)..<newline]
                    return number(in: answer).map { (size - count + newline + 1, $0) }
                }
            } else if count == size {
                return (0, 0)
            }
            count *= 4
        }
    }

    private static func octets(of descriptor: Int32, from start: Int, _ count: Int) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe buffer[filled...].withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(start + filled))
            }
            guard got > 0 else { return nil }
            filled += got
        }
        return buffer
    }

    /// The number in `{"line":7,…`.
    private static func number(in answer: ArraySlice<UInt8>) -> Int? {
        let mark = Array(#"{"line":"#.utf8)
        guard answer.starts(with: mark), answer.last == UInt8(ascii: "}") else { return nil }
        let digits = answer.dropFirst(mark.count).prefix { $0 &- UInt8(ascii: "0") < 10 }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    /// Writes all of it.
    ///
    /// - Returns: why it could not, nil if it could.
    func write(_ octets: [UInt8]) -> String? {
        Terminal.send(octets, to: descriptor) ? nil : unsafe String(cString: strerror(errno))
    }
}
