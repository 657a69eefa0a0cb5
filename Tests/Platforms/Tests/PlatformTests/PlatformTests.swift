import Testing

/// The tests share the state of the stand-ins, so they are serialized.
@Suite("Platforms", .serialized)
struct PlatformTests {
    @Test("Exactly one platform is compiled")
    func oneShape() {
        var shapes: [String] = []
        #if SHAPE_MACOS
        shapes.append("macOS")
        #endif
        #if SHAPE_IOS
        shapes.append("iOS")
        #endif
        #if SHAPE_WATCHOS
        shapes.append("watchOS")
        #endif
        #expect(shapes.count == 1, "\(shapes)")
    }
}
