#if Server
/// The document for an input.
struct InspectorResponse: Sendable {
    /// The document. It contains the contents of a customer's receipt and must not be logged.
    let document: JSONDocument
    /// The code of the first failed check, or nil if the input is valid. For logs and metrics.
    let code: String?
}
#endif
