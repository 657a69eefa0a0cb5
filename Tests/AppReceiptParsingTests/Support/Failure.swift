import AppReceiptParsing
import Testing

/// Checks that `body` throws a `ReceiptError` with this code.
///
/// - Parameters:
///   - code: The expected code.
///   - check: The expected check, or nil for any.
///   - offset: The expected offset, or nil for any.
///   - sourceLocation: The location of the test's call.
///   - body: The code that must throw.
/// - Returns: The error, for further checks.
@discardableResult
func expectFailure<Value>(
    _ code: ReceiptError.Code, check: ValidationCheck? = nil, at offset: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Value
) -> ReceiptError? {
    do {
        _ = try body()
        Issue.record("Expected \(code), but no error was thrown.", sourceLocation: sourceLocation)
    } catch let error as ReceiptError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        if let check { #expect(error.check == check, sourceLocation: sourceLocation) }
        if let offset { #expect(error.offset == offset, sourceLocation: sourceLocation) }
        return error
    } catch {
        Issue.record("Expected \(code), but \(error) was thrown.", sourceLocation: sourceLocation)
    }
    return nil
}
