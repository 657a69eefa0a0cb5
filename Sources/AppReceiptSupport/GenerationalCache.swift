/// A cache of recently used values with a maximum total cost.
///
/// A value is evicted if it isn't used while values of half of the capacity are inserted.
package struct GenerationalCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let cost: Int
    }

    private let capacity: Int
    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    private var youngCost = 0

    /// - Parameter capacity: The maximum total cost of all values.
    package init(capacity: Int) { self.capacity = capacity }

    /// The number of values.
    package var count: Int { young.count + old.count }

    /// Returns the value and marks it as recently used.
    package mutating func value(for key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let entry = old.removeValue(forKey: key) else { return nil }
        insert(entry.value, for: key, cost: entry.cost)
        return entry.value
    }

    /// Inserts a value, unless it costs more than half of the capacity.
    package mutating func insert(_ value: Value, for key: Key, cost: Int) {
        guard cost <= capacity / 2 else { return }
        if let known = young[key] { youngCost -= known.cost }
        if youngCost + cost > capacity / 2 {
            old = young
            young = [:]
            youngCost = 0
        }
        old[key] = nil
        young[key] = Entry(value: value, cost: cost)
        youngCost += cost
    }

    /// Removes all values.
    package mutating func removeAll() { self = GenerationalCache(capacity: capacity) }
}
