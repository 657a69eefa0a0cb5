import AppReceiptParsing
import AppReceiptSupport
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
    /// The last record that is answered already; nil if none is.
    let last: LastAnswer?

    /// What an answer says of its record.
    struct LastAnswer {
        /// The line that it begins on.
        let line: Int
        /// Its id, as JSON.
        let id: [UInt8]
    }

    /// - Parameters:
    ///   - path: nil for standard output.
    ///   - input: what records are read from, which must not be the same file.
    /// - Throws: `ExitCode` 73 with a message if the file cannot be made or would be overwritten.
    init(path: String?, resumes: Bool, input: Int32) throws {
        guard let path else {
            descriptor = STDOUT_FILENO
            last = nil
            return
        }
        func refusal(_ reason: String = "") -> ExitCode {
            Terminal.complain("\(path): \(reason.isEmpty ? unsafe String(cString: strerror(errno)) : reason)")
            return ExitCode(73)
        }
        // A pipe or device is written to and never read: this process would be the reader that it waits for.
        let isOther = Self.status(ofPath: path).map { $0.st_mode & S_IFMT != S_IFREG } ?? false
        guard !isOther else {
            guard !resumes else { throw refusal("it is no regular file; --resume cannot go on with it.") }
            descriptor = unsafe open(path, O_WRONLY)
            guard descriptor >= 0 else { throw refusal() }
            last = nil
            return
        }
        descriptor = unsafe open(path, O_RDWR | O_CREAT, 0o644)
        guard descriptor >= 0, let own = Self.status(of: descriptor) else { throw refusal() }
        if let other = Self.status(of: input), own.st_dev == other.st_dev, own.st_ino == other.st_ino {
            throw refusal("it is the input.")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw refusal("another process is writing to it.") }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size > 0 else {
            last = nil
            return
        }
        guard resumes else {
            throw refusal("there is something in it already. Give --resume to go on with it, or remove it.")
        }
        guard let (end, answer) = Self.lastAnswer(in: descriptor, size) else {
            throw refusal("it does not hold answers of this command; it cannot be gone on with.")
        }
        // A line that was being written when the run stopped is written anew.
        guard ftruncate(descriptor, off_t(end)) == 0, lseek(descriptor, 0, SEEK_END) == end else { throw refusal() }
        last = answer
    }

    private static func status(ofPath path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    private static func status(of descriptor: Int32) -> stat? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status : nil
    }

    /// How every answer begins.
    private static let mark = Array(#"{"line":"#.utf8)

    /// The end of the last whole line and its answer; 0 and nil if there is only the beginning of one.
    ///
    /// - Returns: nil if there is something else than answers.
    private static func lastAnswer(in descriptor: Int32, _ size: Int) -> (end: Int, answer: LastAnswer?)? {
        guard let head = octets(of: descriptor, from: 0, min(size, mark.count)), mark.starts(with: head) else {
            return nil
        }
        // From the end backwards, more each time, until there is a whole line.
        var count = 1 << 16
        while true {
            count = min(count, size)
            guard let tail = octets(of: descriptor, from: size - count, count) else { return nil }
            if let newline = tail.lastIndex(of: UInt8(ascii: "\n")) {
                let start = tail[..<newline].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
                if start != nil || count == size {
                    let rest = tail[(newline + 1)...]
                    guard rest.starts(with: mark) || mark.starts(with: rest),
                        let answer = LastAnswer(tail[(start ?? 0)..<newline])
                    else { return nil }
                    return (size - count + newline + 1, answer)
                }
            } else if count == size {
                return (0, nil)
            }
            count *= 4
        }
    }

    private static func octets(of descriptor: Int32, from start: Int, _ count: Int) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe buffer.withUnsafeMutableBytes { octets in
                unsafe pread(
                    descriptor, octets.baseAddress.map { unsafe $0 + filled }, octets.count - filled,
                    off_t(start + filled))
            }
            guard got > 0 else { return nil }
            filled += got
        }
        return buffer
    }

    /// Writes all of it.
    ///
    /// - Returns: why it could not, nil if it could.
    func write(_ octets: [UInt8]) -> String? {
        Terminal.send(octets, to: descriptor) ? nil : unsafe String(cString: strerror(errno))
    }

    /// Says at last whether everything written has arrived.
    ///
    /// - Returns: why it has not, nil if it has.
    func finish() -> String? {
        guard descriptor != STDOUT_FILENO else { return nil }
        // What is no file of a disk cannot be synchronized and says so.
        if fsync(descriptor) != 0, errno != EINVAL, errno != ENOTSUP { return unsafe String(cString: strerror(errno)) }
        return close(descriptor) == 0 ? nil : unsafe String(cString: strerror(errno))
    }
}

extension AnswerWriter.LastAnswer {
    /// `{"line":7,"id":…`; nil if it is something else.
    init?(_ answer: ArraySlice<UInt8>) {
        guard let object = try? JSONValue(parsing: answer).object, object.members.first?.name == "line",
            let line = object["line"]?.number?.int64.flatMap({ Int(exactly: $0) }), line > 0, object["verdict"] != nil
        else { return nil }
        self.line = line
        id = (object["id"] ?? .null).text()
    }
}
