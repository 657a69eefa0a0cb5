import Conformance
import Testing

/// Alterations of a receipt at every position. Debug builds try a sample of the positions. `check-conformance`, which
/// is built for release, tries all of them.
@Suite("Alteration")
struct AlterationTests {
    #if DEBUG
    private static let interval = 61
    #else
    private static let interval = 1
    #endif

    @Test(
        "A receipt with an alteration is rejected, unless the altered bytes have no effect",
        arguments: Alteration.allCases)
    func alterationIsRejected(_ alteration: Alteration) throws {
        let (tried, deviations) = try alteration.deviations(interval: Self.interval)
        #expect(tried > 50)
        #expect(deviations == [])
    }
}
