import AppReceiptTesting
import Foundation
import Testing

@testable import appreceipt

@Suite("Compressed input")
struct CompressedInputTests {
    private let tool: BatchTool

    init() throws { tool = try BatchTool() }

    private func gzip(_ text: String) throws -> Data {
        let files = try TemporaryFolder()
        let file = try files.write("text", Array(text.utf8))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-n", file]
        try process.run()
        process.waitUntilExit()
        return try Data(contentsOf: files.url("text.gz"))
    }

    private func run(_ data: Data, _ options: String...) throws -> CommandLineTool {
        let file = tool.folder.url("input").path
        try data.write(to: URL(fileURLWithPath: file))
        return try tool.run(file: file, ["--fields", "line,verdict"] + options)
    }

    @Test("Gzip is recognized by its content, and its records have the same results", arguments: ["file", "pipe"])
    func results(_ kind: String) throws {
        let receipt = try BatchTool.base64()
        let text = (0..<500).map { "{\"id\":\($0),\"receipt\":\"\(receipt)\"}" }.joined(separator: "\n")
        let plain = try tool.run(text)
        let compressed = try gzip(text)
        let result =
            kind == "pipe"
            ? try CommandLineTool.run(["batch", "-", "--root", "Samples/root.pem"], input: compressed)
            : try tool.run(file: try tool.folder.write("receipts", Array(compressed)), [])
        #expect(result.status == 0)
        #expect(result.output == plain.output)
        #expect(result.output.split(separator: "\n").count == 500)
        let csv = try tool.run(file: try tool.folder.write("csv", Array(try gzip("id,receipt\n1,\(receipt)\n"))), [])
        #expect(csv.output.hasPrefix(#"{"line":2,"id":"1","verdict":"valid""#))
    }

    @Test("Several compressed files one after another, with padding, are one input")
    func concatenated() throws {
        let receipt = try BatchTool.base64()
        let data = try gzip(receipt + "\n") + gzip("") + gzip(receipt) + Data(count: 100)
        let result = try run(data)
        #expect(result.status == 0)
        #expect(
            result.output == "{\"line\":1,\"verdict\":\"valid\"}\n{\"line\":2,\"verdict\":\"valid\"}\n")
    }

    @Test("Damaged and incomplete data is an error after the results before it")
    func damaged() throws {
        let receipt = try BatchTool.base64()
        let text = (0..<200).map { "{\"id\":\($0),\"receipt\":\"\(receipt)\"}\n" }.joined()
        let data = try gzip(text)
        let incomplete = try run(data.dropLast(9))
        #expect(incomplete.status == 66)
        #expect(incomplete.errors.contains("The compressed data is incomplete"))
        #expect(incomplete.output.hasPrefix(#"{"line":1,"verdict":"valid"}"#))
        var checksum = data
        checksum[checksum.count - 8] ^= 1
        let damaged = try run(checksum)
        #expect(damaged.status == 66)
        #expect(damaged.errors.contains("The compressed data is damaged: incorrect data check."))
        let garbage = try run(data + Data("garbage".utf8))
        #expect(garbage.status == 66)
        #expect(garbage.errors.contains("damaged"))
        #expect(try run(Data([0x1F, 0x8B, 0x08])).status == 66)
    }

    @Test("A line that expands beyond the limit is reported without being kept, and the next one is validated")
    func expansion() throws {
        let long = String(repeating: "A", count: RecordReader.maxRecordBytes * 2)
        let data = try gzip(long + "\n" + BatchTool.base64() + "\n")
        #expect(data.count < 1 << 20)
        let file = try tool.folder.write("long", Array(data))
        var reader = try RecordReader(path: file, format: .ndjson)
        #expect(try reader.next()?.isTooLong == true)
        let next = try #require(try reader.next())
        #expect(next.firstLine == 2)
        #expect(!next.isTooLong)
        #expect(next.end == data.count)
        #expect(try reader.next() == nil)
    }

    @Test("A call appends at most the requested number of bytes, however far the data expands")
    func portions() throws {
        let compressed = Array(try gzip(String(repeating: "A", count: 1 << 20)))
        let inflater = try #require(GzipInflater())
        var (used, output): (Int, [UInt8]) = (0, [])
        while used < compressed.count {
            let before = output.count
            used += try inflater.inflate(compressed[used...], atMost: 1000, into: &output)
            #expect(output.count - before <= 1000)
        }
        #expect(output == [UInt8](repeating: UInt8(ascii: "A"), count: 1 << 20))
        #expect(inflater.isBetweenFiles)
    }
}
