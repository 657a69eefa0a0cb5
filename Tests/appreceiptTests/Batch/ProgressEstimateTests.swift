import Testing

@testable import appreceipt

@Suite("ProgressEstimate")
struct ProgressEstimateTests {
    private func text(size: Int = 1000, _ updates: (position: Int, seconds: Double, isSkipping: Bool)...) -> String {
        var estimate = ProgressEstimate(size: size)
        for update in updates {
            estimate.update(position: update.position, seconds: update.seconds, isSkipping: update.isSkipping)
        }
        return estimate.text
    }

    @Test("The percentage is rounded down and the time left is that of the average rate")
    func rate() {
        #expect(text() == "0%")
        #expect(text((999, 9.99, false)) == "99%, 1 s left")
        #expect(text((250, 10, false)) == "25%, 30 s left")
        #expect(text((250, 10, false), (500, 60, false)) == "50%, 1 min 0 s left")
        #expect(text((1000, 12, false)) == "100%, 0 s left")
    }

    @Test("There is no time left in the first second")
    func beginning() { #expect(text((100, 0.9, false)) == "10%") }

    @Test("Times are rounded up, with the two largest units")
    func units() {
        #expect(text((500, 59.2, false)) == "50%, 1 min 0 s left")
        #expect(text((500, 80, false)) == "50%, 1 min 20 s left")
        #expect(text((500, 3600, false)) == "50%, 1 h 0 min left")
        #expect(text((1, 100, false)) == "0%, 27 h 45 min left")
    }

    @Test("Skipped records don't count for the rate")
    func skipping() {
        #expect(text((500, 1, true)) == "50%")
        #expect(text((500, 1, true), (600, 11, false)) == "60%, 40 s left")
    }

    @Test("An input that grows is at most at 100%")
    func growth() { #expect(text((1500, 10, false)) == "100%, 0 s left") }
}
