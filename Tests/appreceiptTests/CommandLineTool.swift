import Foundation

/// A finished run of the built `appreceipt`.
struct CommandLineTool {
    let status: Int32
    let output: String
    let errors: String

    /// The package's folder.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let executable: URL = {
        #if canImport(Darwin)
        let products = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
            .deletingLastPathComponent()
        return (products ?? Bundle.main.bundleURL).appendingPathComponent("appreceipt")
        #else
        return Bundle.main.bundleURL.appendingPathComponent("appreceipt")
        #endif
    }()

    /// - Parameters:
    ///   - arguments: The arguments. Paths are relative to the package's folder.
    ///   - input: The standard input.
    static func run(
        _ arguments: String..., input: Data = Data(), environment: [String: String] = [:]
    ) throws -> CommandLineTool {
        try run(arguments, input: input, environment: environment)
    }

    /// Runs the command and waits for it.
    ///
    /// - Parameter folder: The current folder of the process.
    static func run(
        _ arguments: [String], input: Data = Data(), environment: [String: String] = [:], output: FileHandle? = nil,
        in folder: URL = root
    ) throws -> CommandLineTool {
        let files = try TemporaryFolder()
        let inputFile = files.url("input")
        let outputFile = files.url("output")
        let errorFile = files.url("errors")
        try input.write(to: inputFile)
        try Data().write(to: outputFile)
        try Data().write(to: errorFile)
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        process.standardOutput = try output ?? FileHandle(forWritingTo: outputFile)
        process.standardError = try FileHandle(forWritingTo: errorFile)
        try process.run()
        process.waitUntilExit()
        return CommandLineTool(
            status: process.terminationStatus, output: try String(contentsOf: outputFile, encoding: .utf8),
            errors: try String(contentsOf: errorFile, encoding: .utf8))
    }

    /// The one JSON document on standard output.
    func json() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:]
    }

    /// `failure.check` and `failure.code` of a validation.
    func failure() throws -> [String] {
        let failure = try json()["failure"] as? [String: Any]
        return ["check", "code"].map { failure?[$0] as? String ?? "none" }
    }
}
