import Testing

@testable import trunklinectl

@Suite struct DisplayTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("é漢\t", "é漢\t"), ("\u{1B}[31mred", #"\e[31mred"#),
        ("a\nb", #"a\nb"#),
        ("\u{202E}live", #"\xe2\x80\xaelive"#), ("e\u{301}", "e\u{301}"),
    ])
    func `a message does not control a terminal, or reorder its text`(text: String, shown: String) {
        #expect(DisplayText.message(Array(text.utf8)[...]) == shown)
    }

    @Test func `bytes that are no text are spelled, and what follows is read on`() {
        let bytes: [UInt8] = [0x61, 0xFF, 0x62, 0xC3, 0x28, 0xE2, 0x82]
        #expect(DisplayText.message(bytes[...]) == #"a\xffb\xc3(\xe2\x82"#)
        #expect(DisplayText.message(bytes[1...2]) == #"\xffb"#)
    }

    @Test func `a terminal without UTF-8 gets ASCII alone`() {
        #expect(Glyphs.ascii.printable("né\n漢") == #"n\xc3\xa9\n\xe6\xbc\xa2"#)
        #expect(Glyphs.unicode.printable("né\n漢") == #"né\n漢"#)
    }

    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("ｶ", 1), ("Ａ", 2), ("한", 2), ("😀", 2),
        ("❤\u{FE0F}", 2), ("…", 1), ("█", 1),
    ])
    func `columns are counted as terminals show them`(text: String, columns: Int) {
        #expect(DisplayText.columns(text) == columns)
    }

    @Test(arguments: [
        ("abc", 5, "abc  "), ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 0, ""), ("漢字漢", 6, "漢字漢"),
        // A wide character that does not fit leaves a column empty.
        ("漢字漢", 4, "漢… "), ("漢", 1, "…"), ("e\u{301}x", 1, "…"),
    ])
    func `text is cut and padded to its width`(text: String, width: Int, shown: String) {
        #expect(DisplayText.fit(text, width) == shown)
        #expect(DisplayText.columns(DisplayText.fit(text, width)) == width)
    }

    @Test func `numbers stand to the right`() {
        #expect(DisplayText.fit("12", 4, .right) == "  12")
    }

    @Test(arguments: [
        (0, "0"), (0.04, "0"), (0.25, "0.3"), (1, "1"), (9.96, "10"), (120.4, "120"), (999.4, "999"),
        (999.5, "1.0k"),
        (7100, "7.1k"), (12_300, "12k"), (999_499, "999k"), (999_500, "1.0M"), (-1, "0"), (.infinity, "?"),
        (.nan, "?"), (1e300, "?"), (Double(Int.max), "9.2E"),
    ])
    func `numbers take four columns at the most`(value: Double, text: String) {
        #expect(ShortNumber.text(value) == text)
        #expect(text.count <= 4)
    }
}
