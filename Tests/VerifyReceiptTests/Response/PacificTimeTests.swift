import AppReceiptSupport
import Foundation
import Testing

@testable import VerifyReceipt

@Suite("PacificTime")
struct PacificTimeTests {
    private static func offset(at seconds: Int64) -> Int64 {
        PacificTime.offset(
            at: seconds, on: RFC3339.civil(RFC3339.flooredDivision(seconds, by: 86_400).quotient))
    }

    @Test("Summer time begins and ends as in the time zone database", arguments: changes)
    func summerTime(_ year: Int64, _ begin: Int64, _ end: Int64) {
        #expect(PacificTime.summerTime(of: year) == begin..<end)
        #expect(Self.offset(at: begin - 1) == -8 * 3600)
        #expect(Self.offset(at: begin) == -7 * 3600)
        #expect(Self.offset(at: end - 1) == -7 * 3600)
        #expect(Self.offset(at: end) == -8 * 3600)
    }

    @Test(
        "The offset equals the system's at every hour from 1987 to 2040",
        .enabled(
            if: TimeZone(identifier: "America/Los_Angeles") != nil,
            "The system doesn't have a time zone database. Only the table is tested."))
    func systemAgrees() throws {
        let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
        let (first, last) = (instant("1987-01-01T00:00:00Z"), instant("2041-01-01T00:00:00Z"))
        var differing: [Date] = []
        for seconds in stride(from: first.timeIntervalSince1970, to: last.timeIntervalSince1970, by: 3600) {
            let date = Date(timeIntervalSince1970: seconds)
            if Self.offset(at: Int64(seconds)) != Int64(zone.secondsFromGMT(for: date)) {
                differing.append(date)
            }
        }
        #expect(differing == [])
    }

    @Test("Extreme years have an offset")
    func farAway() {
        #expect(Self.offset(at: -62_167_219_200) == -8 * 3600)
        #expect(Self.offset(at: 253_402_300_799) == -8 * 3600)
        // 4001-07-01: receipts from Xcode contain dates of that year.
        #expect(Self.offset(at: 64_107_936_000) == -7 * 3600)
    }

    /// The year, and the instants in seconds since 1970 at which daylight saving time began and ended, from the
    /// database of IANA.
    static let changes: [(Int64, Int64, Int64)] = [
        (1987, 544_615_200, 562_150_800),
        (1988, 576_064_800, 594_205_200),
        (1989, 607_514_400, 625_654_800),
        (1990, 638_964_000, 657_104_400),
        (1991, 671_018_400, 688_554_000),
        (1992, 702_468_000, 720_003_600),
        (1993, 733_917_600, 752_058_000),
        (1994, 765_367_200, 783_507_600),
        (1995, 796_816_800, 814_957_200),
        (1996, 828_871_200, 846_406_800),
        (1997, 860_320_800, 877_856_400),
        (1998, 891_770_400, 909_306_000),
        (1999, 923_220_000, 941_360_400),
        (2000, 954_669_600, 972_810_000),
        (2001, 986_119_200, 1_004_259_600),
        (2002, 1_018_173_600, 1_035_709_200),
        (2003, 1_049_623_200, 1_067_158_800),
        (2004, 1_081_072_800, 1_099_213_200),
        (2005, 1_112_522_400, 1_130_662_800),
        (2006, 1_143_972_000, 1_162_112_400),
        (2007, 1_173_607_200, 1_194_166_800),
        (2008, 1_205_056_800, 1_225_616_400),
        (2009, 1_236_506_400, 1_257_066_000),
        (2010, 1_268_560_800, 1_289_120_400),
        (2011, 1_300_010_400, 1_320_570_000),
        (2012, 1_331_460_000, 1_352_019_600),
        (2013, 1_362_909_600, 1_383_469_200),
        (2014, 1_394_359_200, 1_414_918_800),
        (2015, 1_425_808_800, 1_446_368_400),
        (2016, 1_457_863_200, 1_478_422_800),
        (2017, 1_489_312_800, 1_509_872_400),
        (2018, 1_520_762_400, 1_541_322_000),
        (2019, 1_552_212_000, 1_572_771_600),
        (2020, 1_583_661_600, 1_604_221_200),
        (2021, 1_615_716_000, 1_636_275_600),
        (2022, 1_647_165_600, 1_667_725_200),
        (2023, 1_678_615_200, 1_699_174_800),
        (2024, 1_710_064_800, 1_730_624_400),
        (2025, 1_741_514_400, 1_762_074_000),
        (2026, 1_772_964_000, 1_793_523_600),
        (2027, 1_805_018_400, 1_825_578_000),
        (2028, 1_836_468_000, 1_857_027_600),
        (2029, 1_867_917_600, 1_888_477_200),
        (2030, 1_899_367_200, 1_919_926_800),
        (2031, 1_930_816_800, 1_951_376_400),
        (2032, 1_962_871_200, 1_983_430_800),
        (2033, 1_994_320_800, 2_014_880_400),
        (2034, 2_025_770_400, 2_046_330_000),
        (2035, 2_057_220_000, 2_077_779_600),
        (2036, 2_088_669_600, 2_109_229_200),
        (2037, 2_120_119_200, 2_140_678_800),
        (2038, 2_152_173_600, 2_172_733_200),
        (2039, 2_183_623_200, 2_204_182_800),
        (2040, 2_215_072_800, 2_235_632_400),
    ]
}
