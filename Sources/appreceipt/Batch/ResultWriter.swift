import ArgumentParser

/// Writes results to a file or standard output.
struct ResultWriter {
    private let descriptor: Int32
    /// The last result that was in the file; nil if there was none.
    let last: LastResult?

    /// The line with the names of the fields, if the file doesn't have it yet.
    private let header: [UInt8]

    /// The record of the last result.
    struct LastResult {
        /// The line that the record begins on.
        let line: Int
        /// The text of its id; nil if the id isn't part of the results.
        let id: [UInt8]?
        /// The position of its rows in the file.
        let start: Int
    }

    /// - Parameters:
    ///   - path: The file; nil for standard output.
    ///   - resumes: Whether to append to the results in the file.
    ///   - format: The format of the results.
    ///   - input: The descriptor of the records, which must not be the same file.
    /// - Throws: `ExitCode` 73 with a message if the file can't be created or would be overwritten.
    init(path: String?, resumes: Bool, format: ResultFormat, input: Int32) throws {
        guard let path else {
            descriptor = STDOUT_FILENO
            last = nil
            header = format.header
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
            header = format.header
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
            header = format.header
            return
        }
        guard resumes else {
            throw failure("The file isn't empty. Pass --resume to continue it, or remove it.")
        }
        guard let (end, result) = ResultFile(descriptor: descriptor, size: size, format: format).lastResult() else {
            throw failure(
                "Can't resume: the file contains something other than results of this command with these options.")
        }
        // An incomplete row at the end is removed and written again.
        guard ftruncate(descriptor, off_t(end)) == 0, lseek(descriptor, 0, SEEK_END) == end else { throw failure() }
        last = result
        header = end == 0 ? format.header : []
    }

    private static func status(ofPath path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    private static func status(of descriptor: Int32) -> stat? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status : nil
    }

    /// Writes the header, unless the file has it or the format has none.
    ///
    /// - Returns: Why it can't be written; nil on success.
    func writeHeader() -> String? { header.isEmpty ? nil : write(header) }

    /// Removes the rows of the last record, of which some may be missing.
    ///
    /// - Returns: Why they can't be removed; nil on success.
    func removeLastRecord() -> String? {
        guard let last else { return nil }
        return ftruncate(descriptor, off_t(last.start)) == 0 && lseek(descriptor, 0, SEEK_END) == last.start
            ? nil : unsafe String(cString: strerror(errno))
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
