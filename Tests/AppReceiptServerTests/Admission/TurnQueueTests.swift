#if Server
import Testing

@testable import AppReceiptServer

@Suite("TurnQueue")
struct TurnQueueTests {
    @Test("The total size in progress is at most the capacity, and the others proceed in order")
    func capacity() {
        var queue = TurnQueue<Int>(capacity: 10)
        let sizes = (0..<40).map { [1, 3, 7, 10][$0 % 4] }
        var running = sizes.indices.filter { queue.begin($0, size: sizes[$0]) }
        #expect(running == [0, 1])
        var begun = running
        while let first = running.first {
            running.removeFirst()
            let next = queue.end(sizes[first])
            running += next
            begun += next
            #expect(queue.inProgress == running.map { sizes[$0] }.reduce(0, +))
            #expect(queue.inProgress <= 10)
        }
        #expect(begun == Array(sizes.indices))
        #expect(queue.waiting.isEmpty)
    }

    @Test("A size beyond the capacity proceeds alone")
    func alone() {
        var queue = TurnQueue<Int>(capacity: 10)
        for waiter in 0..<3 { #expect(queue.begin(waiter, size: 11) == (waiter == 0)) }
        #expect(queue.end(11) == [1])
        #expect(queue.end(11) == [2])
        #expect(queue.end(11) == [])
        #expect(queue.inProgress == 0)
    }

    @Test("A size that would fit waits behind one that doesn't")
    func order() {
        var queue = TurnQueue<Int>(capacity: 10)
        #expect(queue.begin(0, size: 6) == true)
        #expect(queue.begin(1, size: 6) == false)
        #expect(queue.begin(2, size: 1) == false)
        #expect(queue.end(6) == [1, 2])
    }
}
#endif
