// swift-format-ignore-file

import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc
#endif

// Each line with a violation ends with the beginning that all of its findings have. All other lines must pass.

// MARK: Modules

func standardLibrary() -> String {
    String(unsafeUninitializedCapacity: 1) { _ in 0 }  // expected: String.init(unsafeUninitializedCapacity:initializingUTF8With:) needs iOS 14, tvOS 14, watchOS 7, macCatalyst 14 (floor of Example: iOS 13
}
@available(iOS 14, tvOS 14, watchOS 7, *)
func declaredStandardLibrary() -> String { String(unsafeUninitializedCapacity: 1) { _ in 0 } }

func arraySpan(_ bytes: [UInt8]) -> Int { bytes.span.count }  // expected: Array.span needs macOS 26
func sliceSpan(_ bytes: ArraySlice<UInt8>) -> Int { bytes.span.count }

func foundation() -> Date { Date.now }  // expected: Date.now needs macOS 12
func oldFoundation() -> Date { Date() }

func foundationEssentials() -> String { Date().ISO8601Format() }  // expected: Date.ISO8601Format(_:) needs macOS 12

func dispatch(_ group: DispatchGroup) {}  // expected: DispatchGroup of Dispatch isn't in the table
func cFunction(_ bytes: [UInt8]) -> Bool { memchr(bytes, 0, 1) == nil }  // expected: memchr(_:_:_:) of C isn't in the table
func cFunctionInTable(_ bytes: [UInt8]) -> Bool { memcmp(bytes, bytes, 1) == 0 }
func inTable(_ bundle: Bundle) {}
func newInTable(_ thread: Thread) {}  // expected: Thread needs iOS 15, macCatalyst 15 (floor of Example: iOS 13, macCatalyst 13)

// MARK: Declarations

func memberOfNewerType(_ clock: ContinuousClock) -> Any {  // expected: ContinuousClock needs macOS 13
    clock.now  // expected: ContinuousClock.now needs macOS 13
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
struct Newer {
    func member(_ clock: ContinuousClock) -> Any { { clock.now }() }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension Newer {
    var span: Int { [UInt8]().span.count }  // expected: Array.span needs macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, macCatalyst 26 (here: macOS 13
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
func newer() {}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
enum NewerCases { case one }

struct Own {
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    static func + (left: Own, right: Own) -> Own { left }
}

extension Own {
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    subscript(index: Int) -> Int { index }
    subscript(key: String) -> Int { 0 }
}

func ownType(_ value: Newer) {}  // expected: Newer needs macOS 13
func ownFunction() { newer() }  // expected: newer() needs macOS 13
func ownCase() -> Any { NewerCases.one }  // expected: NewerCases
func ownOperator(_ own: Own) -> Own { own + own }  // expected: Own.+(_:_:) needs macOS 13
func ownSubscript(_ own: Own) -> Int { own[1] }  // expected: Own.subscript(_:) needs macOS 13
func oldSubscript(_ own: Own) -> Int { own[""] }

@available(iOS 14, *)
func tooLow() -> Date { Date.now }  // expected: Date.now needs macOS 12, iOS 15, tvOS 15, watchOS 8, macCatalyst 15 (here: macOS 11, iOS 14

@available(macOS 12, iOS 15, *)
func notNamed() -> Date { Date.now }  // expected: Date.now needs tvOS 15, watchOS 8 (

@available(macOS 12, iOS 15, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
func unavailableElsewhere() -> Date { Date.now }

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
let declaredConstant = Date.now
let constant = Date.now  // expected: Date.now needs macOS 12

let closure: @Sendable () -> Date = {
    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    func inner() -> Date { Date.now }
    return Date.now  // expected: Date.now needs macOS 12
}

// MARK: Branches

func branches() -> Date {
    if #available(macOS 12, iOS 15, tvOS 15, watchOS 8, *) {
        return Date.now
    } else {
        return Date.now  // expected: Date.now needs macOS 12
    }
}

func conditionAfterAvailable() -> Bool {
    if #available(macOS 12, iOS 15, tvOS 15, watchOS 8, *), Date.now > Date() { true } else { false }
}

func guarded() -> Date {
    do {
        guard #available(macOS 12, iOS 15, tvOS 15, watchOS 8, *) else { return Date() }
        if Date() > Date.now { return Date() }
    }
    return Date.now  // expected: Date.now needs macOS 12
}

func negated() -> Date {
    if #unavailable(macOS 12, iOS 15, tvOS 15, watchOS 8) {
        return Date.now  // expected: Date.now needs macOS 12
    } else {
        return Date.now
    }
}

func negatedWithAnotherCondition(_ flag: Bool) -> Date {
    if #unavailable(macOS 12, iOS 15, tvOS 15, watchOS 8), flag {
        return Date()
    } else {
        return Date.now  // expected: Date.now needs macOS 12
    }
}

// MARK: Conditions

let directive = """
    #if os(Linux)
    """
/*
#if os(Linux)
*/

#if Server
@available(ExampleServer 1.0, *)
func trait(_ bytes: [UInt8], _ clock: ContinuousClock) -> Any {
    bytes.span.count  // expected: Array.span needs macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, macCatalyst 26 (here: macOS 14
}
#endif

#if os(iOS) || SHAPE_IOS
func shape() -> Date { Date.now }  // expected: Date.now needs iOS 15, macCatalyst 15 (
#endif

#if os(watchOS) || SHAPE_IOS
func watchShape() -> Date { Date.now }  // expected: Date.now needs watchOS 8 (
#endif

#if !canImport(Darwin)
func notOnApplesPlatforms() -> Date { Date.now }
#elseif os(macOS)
func unseen(_ operation: Operation) {}
#endif

// MARK: Language

func argument(_ list: [any Sequence<Int>]) {}  // expected: a constrained existential type as a type argument needs macOS 13
func plainExistential(_ list: any Sequence<Int>) {}
func inlineArray(_ list: [4 of Int]) {}  // expected: an inline array needs macOS 26
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
func declaredInlineArray(_ list: [4 of Int]) {}
struct Pack<each Element> {}  // expected: a type with a parameter pack needs macOS 14
struct Value<let count: Int> {}  // expected: a type with a value parameter needs macOS 26
func cast(_ value: Any) -> Bool { value is any Sequence<Int> }  // expected: a cast to a constrained existential type needs macOS 13
func metatype() -> Any { (any Sequence<Int>).self }  // expected: a constrained existential type as a type argument needs macOS 13
actor Isolated { isolated deinit {} }  // expected: an isolated deinitializer needs macOS 15.4
func expression() -> Any { /a+/ }  // expected: a regular expression literal needs macOS 13
func last(_ list: [Int]) -> Any? { list.enumerated().last }  // expected: enumerated() as a collection needs macOS 26
func firstWhere(_ list: [Int]) -> Any? { list.enumerated().first { $0.element > 1 } }
let literal = "[4 of Int] struct Pack<each T>"  // not [4 of Int] either
