extension AppStoreJSON {
    /// A JSON object: members with distinct names, in the order in which they were written.
    public struct Object: Sendable {
        /// The members.
        public private(set) var members: [Member]

        /// A name and a value.
        public struct Member: Sendable, Hashable {
            /// The name.
            public let name: String
            /// The value.
            public var value: AppStoreJSON

            package init(name: String, value: AppStoreJSON) {
                self.name = name
                self.value = value
            }
        }

        /// An object without members.
        public init() { members = [] }

        /// Creates an object.
        ///
        /// - Parameter members: Members with distinct names.
        package init(distinct members: [Member]) { self.members = members }

        /// The value of the member with this name, or nil.
        ///
        /// Setting nil removes the member. A new member becomes the last one.
        public subscript(name: String) -> AppStoreJSON? {
            get { members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
            set {
                let position = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
                switch (position, newValue) {
                case (let position?, let value?): members[position].value = value
                case (let position?, nil): members.remove(at: position)
                case (nil, let value?): members.append(Member(name: name, value: value))
                case (nil, nil): break
                }
            }
        }
    }
}

extension AppStoreJSON.Object: Hashable {
    /// Two objects are equal if they have the same members, in any order.
    public static func == (left: AppStoreJSON.Object, right: AppStoreJSON.Object) -> Bool {
        guard left.members.count == right.members.count else { return false }
        // Compare each value once. Comparing twice at every level takes exponential time.
        let pairs = zip(left.members, right.members)
        if pairs.allSatisfy({ $0.name.utf8.elementsEqual($1.name.utf8) }) {
            return pairs.allSatisfy { $0.value == $1.value }
        }
        var values: [ArraySlice<UInt8>: AppStoreJSON] = [:]
        for member in right.members { values[ArraySlice(member.name.utf8)] = member.value }
        return left.members.allSatisfy { values[ArraySlice($0.name.utf8)] == $0.value }
    }

    /// Hashes names, strings and numbers, not nested values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Set(members.map(Outline.init)))
    }

    /// A member without its nested values.
    private struct Outline: Hashable {
        let name: ArraySlice<UInt8>
        let text: String?

        init(_ member: Member) {
            name = ArraySlice(member.name.utf8)
            text = member.value.string ?? member.value.number?.text
        }
    }
}

extension AppStoreJSON.Object: ExpressibleByDictionaryLiteral {
    /// An object with these members in this order. Of several members with the same name, the last one is used.
    public init(dictionaryLiteral elements: (String, AppStoreJSON)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }
}

extension AppStoreJSON.Object: Encodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Encodes the members. The encoder decides their order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for member in members { try container.encode(member.value, forKey: Name(stringValue: member.name)) }
    }
}
