import AppReceiptParsing
import Testing

/// Holds that `body` throws a `ReceiptError` with this code, and no other.
///
/// - Parameters:
///   - stage: the stage that the error must name; nil if the test does not care.
///   - offset: the byte that the error must name; nil if the test does not care.
/// - Returns: the error, for what else a test wants to know of it.
@discardableResult
func expectFailure<Value>(
    _ code: ReceiptError.Code, stage: ReceiptError.Stage? = nil, at offset: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Value
) -> ReceiptError? {
    do {
        _ = try body()
        Issue.record("Nothing was thrown; \(code) was expected.", sourceLocation: sourceLocation)
    } catch let error as ReceiptError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        if let stage { #expect(error.stage == stage, sourceLocation: sourceLocation) }
        if let offset { #expect(error.offset == offset, sourceLocation: sourceLocation) }
        return error
    } catch {
        Issue.record("\(error) was thrown; \(code) was expected.", sourceLocation: sourceLocation)
    }
    return nil
}
