import AppReceiptParsing
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Bytes that the command line names.
enum FileInput {
    /// The receipt at `path`, an `.app` bundle, or standard input for `-`.
    ///
    /// - Returns: why there is no receipt, where that is an answer and not a failure of this program.
    /// - Throws: `ExitCode` 66 with a message if it cannot be read.
    static func receipt(_ path: String) throws -> Result<[UInt8], ReceiptError> {
        if let token = TokenInput.argument(path) { return .success(Array(token.utf8)) }
        var isDirectory = false
        guard path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory else {
            return .success(try file(path))
        }
        do throws(ReceiptError) {
            return .success(try ReceiptFile.contents(at: path))
        } catch {
            guard error.code == .inputUnreadable else { return .failure(error) }
            throw failure("\(path): \(error.message)")
        }
    }

    /// What an argument names or contains: a file, an `.app` bundle, standard input for `-`, or the data itself.
    ///
    /// - Returns: The bytes, or why there are none where that is a result and not a failure of this program.
    /// - Throws: `ExitCode` 66 with a message if it can't be read.
    static func evidence(_ argument: String) throws -> Result<[UInt8], ReceiptError> {
        isData(argument) ? .success(Array(argument.utf8)) : try receipt(argument)
    }

    /// Whether an argument is the data itself and not the name of a file: it begins like a token, JSON or base64 of a container, and there
    /// is no such file.
    private static func isData(_ argument: String) -> Bool {
        let starts = ["eyJ", "MII", "{", "[", "\"", "-----BEGIN", "Bearer "]
        let isLong = argument.utf8.count > 255
        return (isLong || argument.utf8.count > 20 && starts.contains { argument.hasPrefix($0) })
            && !FileManager.default.fileExists(atPath: argument)
    }

    /// The file at `path`, a pipe, or standard input for `-`.
    static func file(_ path: String) throws -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else {
            throw failure("\(path): \(unsafe String(cString: strerror(errno)))")
        }
        defer { if path != "-" { close(descriptor) } }
        guard let bytes = contents(of: descriptor, limit: ReceiptLimits.default.inputBytes) else {
            throw failure("\(path): \(unsafe String(cString: strerror(errno)))")
        }
        return bytes
    }

    private static func failure(_ message: String) -> ExitCode {
        Terminal.complain(Terminal.short(message, to: 400))
        return ExitCode(66)
    }

    /// Everything there, but little more than the limit, beyond which the reader will refuse it.
    private static func contents(of descriptor: Int32, limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return bytes }
            if count < 0 {
                guard errno == EINTR else { return nil }
                continue
            }
            bytes += buffer[..<count]
        }
        return bytes
    }
}
