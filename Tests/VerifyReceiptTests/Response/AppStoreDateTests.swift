import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing

@testable import VerifyReceipt

@Suite("AppStoreDate")
struct AppStoreDateTests {
    private static func utc(_ date: AppStoreDate?) -> String? {
        date.flatMap { date in AppStoreJSON { $0.member("d", date: date) }["d"]?.string }
    }

    @Test(
        "A date is formatted in UTC, in milliseconds and in Pacific time",
        arguments: [
            (1_595_439_548_000, "2020-07-22 17:39:08", "2020-07-22 10:39:08"),
            (1_704_067_200_123, "2024-01-01 00:00:00", "2023-12-31 16:00:00"),
            (1_710_064_800_000, "2024-03-10 10:00:00", "2024-03-10 03:00:00"),
            (1_710_064_799_999, "2024-03-10 09:59:59", "2024-03-10 01:59:59"),
            (1_730_622_600_000, "2024-11-03 08:30:00", "2024-11-03 01:30:00"),
            (1_730_626_200_000, "2024-11-03 09:30:00", "2024-11-03 01:30:00"),
            (1_730_629_800_000, "2024-11-03 10:30:00", "2024-11-03 02:30:00"),
            (1_375_340_400_000, "2013-08-01 07:00:00", "2013-08-01 00:00:00"),
            (1_709_164_800_000, "2024-02-29 00:00:00", "2024-02-28 16:00:00"),
            (0, "1970-01-01 00:00:00", "1969-12-31 16:00:00"),
            (-1, "1969-12-31 23:59:59", "1969-12-31 15:59:59"),
        ])
    func vectors(_ milliseconds: Int64, _ utc: String, _ pacific: String) {
        let date = AppStoreDate(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
        let members = AppStoreJSON { $0.member("d", date: date) }.object?.members ?? []
        #expect(
            members.map(\.value) == [
                .string("\(utc) Etc/GMT"), .string(String(milliseconds)), .string("\(pacific) America/Los_Angeles"),
            ])
        #expect(members.map(\.name) == ["d", "d_ms", "d_pst"])
    }

    @Test("Years beyond four digits, infinity and NaN are clamped")
    func extremes() {
        for seconds in [Double.infinity, .nan, 1e300, 253_402_300_800] {
            #expect(Self.utc(AppStoreDate(Date(timeIntervalSince1970: seconds))) == "9999-12-31 23:59:59 Etc/GMT")
        }
        for seconds in [-Double.infinity, -1e300, -62_167_219_201] {
            let date = AppStoreDate(Date(timeIntervalSince1970: seconds))
            #expect(Self.utc(date) == "0000-01-01 00:00:00 Etc/GMT")
            #expect(AppStoreJSON { $0.member("d", date: date) }["d_pst"] == "0000-01-01 00:00:00 America/Los_Angeles")
        }
    }
}
