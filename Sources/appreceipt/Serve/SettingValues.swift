#if Server
/// The values of a setting from its option. Empty if the option isn't passed.
struct SettingValues {
    let name: String
    let values: [String]

    init(_ name: String, _ values: [String]) {
        self.name = name
        self.values = values
    }

    init(_ name: String, _ value: String?) { self.init(name, value.map { [$0] } ?? []) }

    init(_ name: String, _ isSet: Bool) { self.init(name, isSet ? ["true"] : []) }
}
#endif
