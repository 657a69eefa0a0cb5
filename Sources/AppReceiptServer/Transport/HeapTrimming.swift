#if Server
import NIOCore

/// The amount of free memory above which glibc returns the end of a heap to the system.
enum HeapTrimming {
    /// Raises the amount from 128 KB to 8 MB.
    ///
    /// The memory of a request with a large receipt would otherwise be returned after the request, and requested and
    /// cleared again, page by page, for the next one, in some processes: budget, 89 KB.
    static func raiseThreshold() {
        #if canImport(Glibc)
        // The amount becomes twice the size of the largest block that is freed: mallopt(3), M_MMAP_THRESHOLD. Glibc's
        // module lacks `mallopt`.
        _ = ByteBufferAllocator().buffer(capacity: 4 << 20)
        #endif
    }
}
#endif
