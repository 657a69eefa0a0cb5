import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reports progress on standard error: a line that is updated if it is a terminal, and a summary at the end.
struct BatchProgress: Sendable {
    private let start = DispatchTime.now().uptimeNanoseconds
    private var lastUpdate: UInt64 = 0
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var estimate: ProgressEstimate?

    /// - Parameter size: The number of bytes of the input; nil if it isn't known.
    init(size: Int?) { estimate = size.map(ProgressEstimate.init) }

    /// Updates the line, at most twice a second.
    ///
    /// - Parameter position: The number of bytes of the input that were processed.
    mutating func update(_ tally: BatchTally, position: Int) {
        guard isTerminal else { return }
        let seconds = seconds
        estimate?.update(position: position, seconds: seconds, isSkipping: tally.total == 0)
        let now = DispatchTime.now().uptimeNanoseconds
        guard now - lastUpdate > 500_000_000 else { return }
        lastUpdate = now
        // First, because a narrow terminal cuts off the end.
        let prefix = estimate.map { "\($0.text): " } ?? ""
        Terminal.send("\r\(prefix)\(line(tally))\u{1B}[K")
    }

    /// Writes a line above the progress.
    func note(_ message: String) {
        if isTerminal { Terminal.send("\r\u{1B}[K") }
        Terminal.note(message)
    }

    /// Writes the summary.
    func finish(_ tally: BatchTally) {
        if isTerminal { Terminal.send("\r\u{1B}[K") }
        if tally.skipped > 0 { Terminal.note("\(Self.counted(tally.skipped)) skipped: already in the output") }
        Terminal.note(line(tally))
        let unchecked = [
            (tally.withoutBundleIdentifier, "bundle identifier"), (tally.withoutEnvironment, "environment"),
        ]
        for (count, name) in unchecked where count > 0 {
            Terminal.note("  \(Self.grouped(count)) validated without an expected \(name)")
        }
        let codes = tally.codes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        for (code, count) in codes.prefix(20) { Terminal.note("  \(Self.grouped(count))  \(code)") }
        if codes.count > 20 { Terminal.note("  and \(codes.count - 20) other codes") }
    }

    /// The time since the beginning.
    private var seconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 }

    private func line(_ tally: BatchTally) -> String {
        let seconds = seconds
        let rate = Self.grouped(Int(Double(tally.total) / max(seconds, 0.001)))
        let tenths = Int((seconds * 10).rounded())
        return "\(Self.counted(tally.total)) in \(tenths / 10).\(tenths % 10) s (\(rate) a second): "
            + "\(Self.grouped(tally.valid)) valid, \(Self.grouped(tally.invalid)) invalid, "
            + "\(Self.grouped(tally.errors)) not validated"
    }

    private static func counted(_ number: Int) -> String { "\(grouped(number)) record\(number == 1 ? "" : "s")" }

    /// The number with commas between thousands.
    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}
