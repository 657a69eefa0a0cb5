/// An immutable value of which copies are references. For values with dozens of references, each of which a copy would count.
package final class SharedValue<Value: Sendable>: Sendable {
    package let value: Value

    @inlinable
    package init(_ value: consuming Value) { self.value = value }
}
