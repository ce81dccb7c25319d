import Configuration
import Framing

/// Text that others have chosen, as it can be shown on a terminal: what would steer the terminal, or hide or reorder
/// text, stands there as a configuration spells it (`\n`). It is one line.
func printable(_ text: String) -> String { ByteString.print(text, showing: isPrintable) }
