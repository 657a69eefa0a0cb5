@propertyWrapper
public struct State<Value> {
    private let value: Value

    public init(wrappedValue: Value) { value = wrappedValue }

    public var wrappedValue: Value {
        get { value }
        nonmutating set { fatalError("Stand-ins for SwiftUI don't have state.") }
    }

    public var projectedValue: Binding<Value> { Binding(get: { value }, set: { wrappedValue = $0 }) }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper
public struct Binding<Value> {
    private let get: () -> Value
    private let set: (Value) -> Void

    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        self.get = get
        self.set = set
    }

    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }
}

@propertyWrapper
@dynamicMemberLookup
public struct Bindable<Value: AnyObject> {
    public let wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    public var projectedValue: Bindable<Value> { self }

    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
        Binding(get: { wrappedValue[keyPath: keyPath] }, set: { wrappedValue[keyPath: keyPath] = $0 })
    }
}

extension Bindable: Sendable where Value: Sendable {}

@propertyWrapper
public struct Environment<Value> {
    public let wrappedValue: Value

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { wrappedValue = EnvironmentValues()[keyPath: keyPath] }
}

extension Environment: Sendable where Value: Sendable {}
