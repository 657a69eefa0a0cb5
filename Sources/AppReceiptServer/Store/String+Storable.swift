#if Server
extension String {
    /// Whether SQLite stores the whole string. It would truncate a string at a zero byte.
    var isStorable: Bool { !utf8.contains(0) }
}
#endif
