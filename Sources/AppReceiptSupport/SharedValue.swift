/// An immutable value of which copies are references. For values with dozens of references, each of which a copy would count.
package final class SharedValue<Value: Sendable>: Sendable {
    package let value: Value

    @inlinable
    package init(_ value: consuming Value) { self.value = value }
}

extension SharedValue: Equatable where Value: Equatable {
    package static func == (left: SharedValue, right: SharedValue) -> Bool {
        left === right || left.value == right.value
    }
}

extension SharedValue: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
