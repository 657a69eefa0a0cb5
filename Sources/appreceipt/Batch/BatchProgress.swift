import Dispatch

/// Reports progress on standard error: a line that is updated if it is a terminal, and a summary at the end.
struct BatchProgress: Sendable {
    private let start = DispatchTime.now().uptimeNanoseconds
    private var lastUpdate: UInt64 = 0
    private var estimate: ProgressEstimate?

    /// - Parameter size: The number of bytes of the input; nil if it isn't known.
    init(size: Int?) { estimate = size.map(ProgressEstimate.init) }

    /// Updates the line, at most twice a second.
    ///
    /// - Parameter position: The number of bytes of the input that were processed.
    mutating func update(_ tally: BatchTally, position: Int) {
        let seconds = seconds
        estimate?.update(position: position, seconds: seconds, isSkipping: tally.total == 0)
        let now = DispatchTime.now().uptimeNanoseconds
        guard now - lastUpdate > 500_000_000 else { return }
        lastUpdate = now
        // First, because a narrow terminal cuts off the end.
        let prefix = estimate.map { "\($0.text): " } ?? ""
        Terminal.showProgress("\(prefix)\(line(tally))")
    }

    /// Writes a line above the progress.
    func note(_ message: String) {
        Terminal.clearProgress()
        Terminal.note(message)
    }

    /// Writes the summary.
    func finish(_ tally: BatchTally) {
        Terminal.clearProgress()
        if tally.skipped > 0 { Terminal.note("\(Self.counted(tally.skipped)) skipped: already in the output") }
        Terminal.note(line(tally))
        if tally.customers > 0 { Terminal.note("  \(Self.grouped(tally.customers)) ids") }
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

    /// Returns the number with commas between thousands.
    static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}

/// The processed part of an input of known size, and the time the rest takes at the same rate.
struct ProgressEstimate: Sendable {
    /// The number of bytes of the input.
    let size: Int
    private var position = 0
    private var seconds = 0.0
    /// The beginning of validation: records that are skipped take no time.
    private var start = (position: 0, seconds: 0.0)

    init(size: Int) { self.size = size }

    /// - Parameters:
    ///   - position: The number of bytes that were processed.
    ///   - seconds: The time since the beginning.
    ///   - isSkipping: Whether all records so far were skipped.
    mutating func update(position: Int, seconds: Double, isSkipping: Bool) {
        self.position = position
        self.seconds = seconds
        if isSkipping { start = (position, seconds) }
    }

    /// The percentage, rounded down. At most 100: the file may have grown.
    var percentage: Int { size > 0 ? min(100, Int(Double(position) / Double(size) * 100)) : 100 }

    /// The seconds that the rest takes; nil in the first second, which says little.
    var secondsLeft: Double? {
        let (bytes, time) = (position - start.position, seconds - start.seconds)
        guard bytes > 0, time >= 1 else { return nil }
        return Double(max(0, size - position)) * time / Double(bytes)
    }

    /// For example "42%, 1 min 20 s left".
    var text: String { "\(percentage)%" + (secondsLeft.map { ", \(Self.duration($0)) left" } ?? "") }

    /// Rounded up, with the two largest units.
    private static func duration(_ seconds: Double) -> String {
        let seconds = Int(min(seconds, 1e9).rounded(.up))
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        if hours > 0 { return "\(hours) h \(minutes) min" }
        return minutes > 0 ? "\(minutes) min \(seconds % 60) s" : "\(seconds) s"
    }
}

/// The numbers of results, by verdict and code.
struct BatchTally: Sendable {
    var valid = 0
    var invalid = 0
    var errors = 0
    /// Records that were skipped because the output contains their results.
    var skipped = 0
    /// Records that were validated without a bundle identifier to compare.
    var withoutBundleIdentifier = 0
    /// Records that were validated without an environment to compare.
    var withoutEnvironment = 0
    /// Records that have an id.
    var withID = 0
    /// The number of customers with an id, if records are grouped.
    var customers = 0
    /// The number of occurrences of each code.
    var codes: [String: Int] = [:]

    /// The number of results.
    var total: Int { valid + invalid + errors }

    static func += (left: inout BatchTally, right: BatchTally) {
        left.valid += right.valid
        left.invalid += right.invalid
        left.errors += right.errors
        left.skipped += right.skipped
        left.withoutBundleIdentifier += right.withoutBundleIdentifier
        left.withoutEnvironment += right.withoutEnvironment
        left.withID += right.withID
        left.codes.merge(right.codes, uniquingKeysWith: +)
    }
}
