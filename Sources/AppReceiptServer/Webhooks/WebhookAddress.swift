#if Server
import AppReceiptFoundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The rules for the address of a webhook: what an operator enters must not reach the servers beside this one.
enum WebhookAddress {
    /// The reason why an address is refused.
    enum Refusal: Error, Hashable {
        /// It isn't a URL with a host, or it contains a user or password.
        case malformed
        /// It isn't `https`, and the host isn't allowed by name.
        case insecure
        /// The host has no address.
        case unresolved
        /// The host has an address that isn't globally routable, and isn't allowed by name.
        case notPublic

        /// The reason why nothing is sent, in words.
        var reason: String {
            switch self {
            case .malformed: "the URL has no usable host"
            case .insecure: "http is allowed only for hosts of allow-webhook-host"
            case .unresolved: "host not found"
            case .notPublic: "the host's address isn't public, and allow-webhook-host doesn't name the host"
            }
        }
    }

    /// Returns the host of a URL, without the brackets of an IPv6 address.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - allowed: The hosts that are allowed by name.
    static func host(of url: String, allowed: Set<String>) throws(Refusal) -> String {
        let scheme = url.prefix { $0 != ":" }
        let rest = url[scheme.endIndex...]
        guard rest.hasPrefix("://") else { throw .malformed }
        let authority = rest.dropFirst(3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@"), let host = Authority(String(authority))?.host, !host.isEmpty else {
            throw .malformed
        }
        let name = String(host.drop { $0 == "[" }.prefix { $0 != "]" })
        switch scheme.lowercased() {
        case "https": return name
        case "http":
            guard allowed.contains(name) else { throw .insecure }
            return name
        default: throw .malformed
        }
    }

    /// Returns the host as the HTTP client reads it from a URL, which is the name under which a client looks for its
    /// address. The client keeps upper case.
    ///
    /// - Throws: `malformed` if it isn't the host that was checked.
    static func clientHost(of url: String, checked host: String) throws(Refusal) -> String {
        // An IPv6 address isn't looked up.
        guard !host.contains(":") else { return host }
        guard let name = URL(string: url)?.host, name.lowercased() == host else { throw .malformed }
        return name
    }

    /// Returns the address of a host to connect to. It is the one that was checked, so that a name that resolves
    /// differently the next time reaches nothing else. Blocks.
    static func resolve(_ host: String, allowed: Set<String>) throws(Refusal) -> String {
        let addresses = addresses(of: host)
        guard let first = addresses.first else { throw .unresolved }
        guard allowed.contains(host) || addresses.allSatisfy({ isGloballyRoutable($0) }) else { throw .notPublic }
        return text(first)
    }

    /// Returns whether a host is an address, not a name, and isn't globally routable.
    static func isPrivateAddress(_ host: String) -> Bool {
        addresses(of: host, flags: AI_NUMERICHOST).contains { !isGloballyRoutable($0) }
    }

    /// Returns the bytes of each address of a host.
    private static func addresses(of host: String, flags: Int32 = 0) -> [[UInt8]] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = flags
        unsafe hints.ai_socktype = streamSocket
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [[UInt8]] = []
        var next = unsafe list
        while let entry = unsafe next {
            unsafe next = entry.pointee.ai_next
            guard let address = unsafe UnsafeRawPointer(entry.pointee.ai_addr) else { continue }
            // The address follows the family and port, and for IPv6 the flow information.
            let place: (offset: Int, count: Int)? =
                switch unsafe entry.pointee.ai_family {
                case AF_INET: (4, 4)
                case AF_INET6: (8, 16)
                default: nil
                }
            guard let place else { continue }
            addresses.append(
                unsafe Array(UnsafeRawBufferPointer(start: address + place.offset, count: place.count)))
        }
        return addresses
    }

    private static var streamSocket: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue)
        #else
        Int32(SOCK_STREAM)
        #endif
    }

    private static func text(_ bytes: [UInt8]) -> String {
        guard bytes.count == 16 else { return bytes.map { String($0) }.joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2).map {
            String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
        }.joined(separator: ":")
    }

    /// Returns whether an address is globally routable unicast. Source: IANA's special-purpose address registries.
    static func isGloballyRoutable(_ bytes: [UInt8]) -> Bool {
        bytes.count == 4 ? isGloballyRoutable(v4: bytes) : bytes.count == 16 && isGloballyRoutable(v6: bytes)
    }

    private static func isGloballyRoutable(v4 bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (169, 254, _), (192, 168, _): false
        case (100, 64...127, _), (172, 16...31, _): false
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 18...19, _), (198, 51, 100), (203, 0, 113): false
        case (224...255, _, _): false
        default: true
        }
    }

    private static func isGloballyRoutable(v6 bytes: [UInt8]) -> Bool {
        // Addresses that contain one of IPv4: mapped, compatible, and translated (NAT64).
        let prefix = Array(bytes[..<12])
        if prefix.allSatisfy({ $0 == 0 }) || prefix == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            || prefix == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        {
            return isGloballyRoutable(v4: Array(bytes[12...]))
        }
        // 6to4 contains the address of its gateway.
        if bytes[0] == 0x20, bytes[1] == 0x02 { return isGloballyRoutable(v4: Array(bytes[2..<6])) }
        // Documentation, and what isn't of 2000::/3, such as link-local, unique local and multicast.
        if bytes[0] == 0x20, bytes[1] == 0x01, bytes[2] == 0x0D, bytes[3] == 0xB8 { return false }
        if bytes[0] == 0x20, bytes[1] == 0x01, bytes[2] < 0x02 { return false }
        if bytes[0] == 0x3F, bytes[1] == 0xFF, bytes[2] < 0x10 { return false }
        return bytes[0] & 0xE0 == 0x20
    }
}

extension WebhookConfiguration {
    /// Returns the problem with an address, in a sentence; nil if it may be used. Names are only resolved when
    /// something is sent.
    package static func problem(with url: String, allowing hosts: Set<String>) -> String? {
        do throws(WebhookAddress.Refusal) {
            let host = try WebhookAddress.host(of: url, allowed: hosts)
            let isLocal = Authority(host)?.isLoopback == true || WebhookAddress.isPrivateAddress(host)
            guard !hosts.contains(host), isLocal else { return nil }
            return "Expected a public address. The setting allow-webhook-host allows others by name."
        } catch {
            return error == .insecure
                ? "Expected https. The setting allow-webhook-host allows http for its hosts."
                : "Expected an https URL without user and password."
        }
    }

    /// Returns whether a value of `allow-webhook-host` can be the host of an address: a name, or an address without
    /// brackets.
    package static func isHost(_ text: String) -> Bool {
        let authority = text.contains(":") ? "[\(text)]" : text
        return (try? WebhookAddress.host(of: "https://\(authority)/", allowed: [])) == text.lowercased()
    }
}
#endif
