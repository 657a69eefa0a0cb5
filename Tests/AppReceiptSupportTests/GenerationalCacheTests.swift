import Testing

@testable import AppReceiptSupport

@Suite("GenerationalCache")
struct GenerationalCacheTests {
    @Test("The cost never exceeds the capacity, and recently used values are kept")
    func bounded() {
        var cache = GenerationalCache<Int, Int>(capacity: 20)
        for number in 1...1000 {
            cache.insert(number, for: number, cost: 1)
            #expect(cache.value(for: 1) == 1)
            #expect(cache.count <= 20)
        }
        #expect(cache.value(for: 1000) == 1000)
        #expect(cache.value(for: 500) == nil)
    }

    @Test("A value that costs more than half of the capacity isn't kept, and a repeated insertion replaces the value")
    func costs() {
        var cache = GenerationalCache<String, Int>(capacity: 10)
        cache.insert(1, for: "large", cost: 6)
        #expect(cache.value(for: "large") == nil)
        for value in 1...9 { cache.insert(value, for: "same", cost: 5) }
        #expect(cache.value(for: "same") == 9)
        #expect(cache.count == 1)
        cache.insert(1, for: "other", cost: 5)
        #expect(cache.value(for: "same") == 9)
        #expect(cache.value(for: "other") == 1)
        #expect(cache.count == 2)
    }

    @Test("A cache without capacity keeps nothing")
    func nothing() {
        var cache = GenerationalCache<Int, Int>(capacity: 0)
        cache.insert(1, for: 1, cost: 1)
        #expect(cache.value(for: 1) == nil)
        #expect(cache.count == 0)
    }
}
