// fuzz TARGET [libFuzzer's arguments]      runs one target
// fuzz seeds TARGET FOLDER                  writes the initial inputs
import AppReceiptTesting
import Foundation

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ argc: UnsafeMutablePointer<Int32>,
    _ argv: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// The target that this process runs. libFuzzer's callback cannot capture it.
nonisolated(unsafe) private var target = FuzzTarget.input

private func complain(_ text: String) -> Never {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(64)
}

var arguments = CommandLine.arguments
guard arguments.count > 1 else {
    complain(
        "usage: fuzz TARGET [arguments]; the targets: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
}
if arguments[1] == "seeds" {
    guard arguments.count == 4, let target = FuzzTarget(rawValue: arguments[2]) else {
        complain("usage: fuzz seeds TARGET FOLDER")
    }
    let folder = URL(fileURLWithPath: arguments[3])
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (index, seed) in try target.seeds().enumerated() where seed.count < 64 << 10 {
        try Data(seed).write(to: folder.appendingPathComponent("seed-\(index)"))
    }
    exit(0)
}
guard let chosen = FuzzTarget(rawValue: arguments[1]) else { complain("Unknown target '\(arguments[1])'.") }
target = chosen

arguments.remove(at: 1)
var count = Int32(arguments.count)
var pointer = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: arguments.count + 1)
for (index, argument) in arguments.enumerated() { pointer[index] = strdup(argument) }
pointer[arguments.count] = nil
exit(
    runDriver(&count, &pointer) { start, length in
        target.run(start.map { Array(UnsafeBufferPointer(start: $0, count: length)) } ?? [])
        return 0
    })
