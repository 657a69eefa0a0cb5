/// A scenario of the fake can't be read.
public struct FakeServerScenarioError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The member, such as `customers[0].transactions[1].productId`, and what is wrong with it.
    public let description: String
}
