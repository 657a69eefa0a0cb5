import AppReceiptSupport

/// A file, pipe or standard input that is open for reading.
struct ByteSource: Sendable {
    /// The reason it can't be opened or read, in the system's words.
    struct Failure: Error {
        let reason: String

        /// The failure that `errno` describes.
        static var system: Failure { Failure(reason: unsafe String(cString: strerror(errno))) }
    }

    let descriptor: Int32

    private static let standardInputIsOpen = LockedValueBox(false)

    /// Opens a file or pipe, or standard input for `-`, once in a process: a second reader would find it empty.
    init(path: String) throws(Failure) {
        if path == "-" {
            let wasOpen = Self.standardInputIsOpen.withLock { isOpen in
                defer { isOpen = true }
                return isOpen
            }
            guard !wasOpen else {
                throw Failure(reason: "Standard input can be read only once. Pass - for one argument.")
            }
        }
        descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else { throw .system }
    }

    /// Closes the file. Standard input stays open.
    func close() {
        if descriptor != STDIN_FILENO { _ = closeDescriptor(descriptor) }
    }

    /// The number of bytes from the current position to the end; nil for pipes and devices.
    var remainingBytes: Int? {
        let position = lseek(descriptor, 0, SEEK_CUR)
        guard position >= 0 else { return nil }
        let end = lseek(descriptor, 0, SEEK_END)
        guard lseek(descriptor, position, SEEK_SET) == position, end > position else { return nil }
        return Int(end - position)
    }

    /// Appends the bytes that are available, at most `count` of them, and waits if there are none yet.
    ///
    /// - Returns: How many bytes were appended; 0 at the end of the input.
    func read(atMost count: Int, into bytes: inout [UInt8]) throws(Failure) -> Int {
        var chunk = [UInt8](repeating: 0, count: count)
        while true {
            let readCount = unsafe chunk.withUnsafeMutableBytes { unsafe readBytes(into: $0, from: descriptor) }
            if readCount >= 0 {
                bytes.append(contentsOf: chunk[..<readCount])
                return readCount
            }
            guard errno == EINTR else { throw .system }
        }
    }
}

// The C functions, which the methods of the same names hide.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func readBytes(into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
    unsafe read(descriptor, buffer.baseAddress, buffer.count)
}
