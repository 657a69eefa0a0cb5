import AppReceiptParsing
import AppReceiptSupport
import ArgumentParser

#if Server && canImport(CoreFoundation)
// The compiler attributes `stat` to whichever module it loads first.
import CoreFoundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes results to a file or standard output.
struct ResultWriter {
    private let descriptor: Int32
    /// The last result that was in the file; nil if there was none.
    let last: LastResult?

    /// The record of the last result.
    struct LastResult {
        /// The line that the record begins on.
        let line: Int
        let id: JSONValue
    }

    /// - Parameters:
    ///   - path: The file; nil for standard output.
    ///   - resumes: Whether to append to the results in the file.
    ///   - input: The descriptor of the records, which must not be the same file.
    /// - Throws: `ExitCode` 73 with a message if the file can't be created or would be overwritten.
    init(path: String?, resumes: Bool, input: Int32) throws {
        guard let path else {
            descriptor = STDOUT_FILENO
            last = nil
            return
        }
        func failure(_ reason: String = "") -> ExitCode {
            Terminal.printError("\(path): \(reason.isEmpty ? unsafe String(cString: strerror(errno)) : reason)")
            return ExitCode(73)
        }
        // A pipe or device is opened only for writing: opened for reading too, this process would wait for itself.
        let isOther = Self.status(ofPath: path).map { $0.st_mode & S_IFMT != S_IFREG } ?? false
        guard !isOther else {
            guard !resumes else { throw failure("Can't resume: it isn't a regular file.") }
            descriptor = unsafe open(path, O_WRONLY)
            guard descriptor >= 0 else { throw failure() }
            last = nil
            return
        }
        descriptor = unsafe open(path, O_RDWR | O_CREAT, 0o644)
        guard descriptor >= 0, let own = Self.status(of: descriptor) else { throw failure() }
        if let other = Self.status(of: input), own.st_dev == other.st_dev, own.st_ino == other.st_ino {
            throw failure("The output is the input file.")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw failure("Another process is writing to it.") }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size > 0 else {
            last = nil
            return
        }
        guard resumes else {
            throw failure("The file isn't empty. Pass --resume to continue it, or remove it.")
        }
        guard let (end, result) = Self.lastResult(in: descriptor, size) else {
            throw failure("Can't resume: the file contains something other than results of this command.")
        }
        // An incomplete line at the end is removed and written again.
        guard ftruncate(descriptor, off_t(end)) == 0, lseek(descriptor, 0, SEEK_END) == end else { throw failure() }
        last = result
    }

    private static func status(ofPath path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    private static func status(of descriptor: Int32) -> stat? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status : nil
    }

    /// The beginning of every result.
    private static let prefix = Array(#"{"line":"#.utf8)

    /// The end of the last complete line, and its result; 0 and nil if there is only an incomplete line.
    ///
    /// - Returns: nil if the file contains anything other than results.
    private static func lastResult(in descriptor: Int32, _ size: Int) -> (end: Int, result: LastResult?)? {
        guard let head = bytes(of: descriptor, from: 0, min(size, prefix.count)), prefix.starts(with: head) else {
            return nil
        }
        // Read from the end, more each time, until there is a complete line.
        var count = 1 << 16
        while true {
            count = min(count, size)
            guard let tail = bytes(of: descriptor, from: size - count, count) else { return nil }
            if let newline = tail.lastIndex(of: UInt8(ascii: "\n")) {
                let start = tail[..<newline].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
                if start != nil || count == size {
                    let rest = tail[(newline + 1)...]
                    guard rest.starts(with: prefix) || prefix.starts(with: rest),
                        let result = LastResult(tail[(start ?? 0)..<newline])
                    else { return nil }
                    return (size - count + newline + 1, result)
                }
            } else if count == size {
                return (0, nil)
            }
            count *= 4
        }
    }

    private static func bytes(of descriptor: Int32, from start: Int, _ count: Int) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe pread(
                    descriptor, bytes.baseAddress.map { unsafe $0 + filled }, bytes.count - filled,
                    off_t(start + filled))
            }
            guard got > 0 else { return nil }
            filled += got
        }
        return buffer
    }

    /// Writes all bytes.
    ///
    /// - Returns: Why they can't be written; nil on success.
    func write(_ bytes: [UInt8]) -> String? {
        Terminal.send(bytes, to: descriptor) ? nil : unsafe String(cString: strerror(errno))
    }

    /// Synchronizes and closes the file.
    ///
    /// - Returns: Why that failed; nil on success.
    func finish() -> String? {
        guard descriptor != STDOUT_FILENO else { return nil }
        // Pipes and devices can't be synchronized, which isn't an error.
        if fsync(descriptor) != 0, errno != EINVAL, errno != ENOTSUP { return unsafe String(cString: strerror(errno)) }
        return close(descriptor) == 0 ? nil : unsafe String(cString: strerror(errno))
    }
}

extension ResultWriter.LastResult {
    /// Parses `{"line":7,"id":…`.
    init?(_ result: ArraySlice<UInt8>) {
        guard let object = try? JSONValue(parsing: result).object, object.members.first?.name == "line",
            let line = object["line"]?.number?.int64.flatMap({ Int(exactly: $0) }), line > 0, object["verdict"] != nil
        else { return nil }
        self.line = line
        id = object["id"] ?? .null
    }
}
