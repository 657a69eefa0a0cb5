/// How much of an input of known size was processed, and how much time the rest takes at the same rate.
struct ProgressEstimate: Sendable {
    /// The number of bytes of the input.
    let size: Int
    private var position = 0
    private var seconds = 0.0
    /// Where validation began: records that are skipped take no time.
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
