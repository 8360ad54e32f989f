//! Prints the text form of a small nest, to begin a file test with:
//!
//! ```text
//! printf 'for i in range(n):\n    a[i] = a[i] + 1.0\n' |
//!     cargo run -q -p nestwise-filetests --example nest -- 'n: int, a: f64[1]'
//! ```
//!
//! The header and the language are those of [`nestwise_ir::testing::nest`]. Guards are cleared, unless `--guarded`
//! follows.

use std::io::Read;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut body = String::new();
    std::io::stdin()
        .read_to_string(&mut body)
        .expect("a nest on standard input");
    let header = arguments.first().map_or("", String::as_str);
    let nest = nestwise_ir::testing::nest(header, &body);
    match arguments.iter().any(|a| a == "--guarded") {
        true => print!("{nest}"),
        false => print!("{}", nestwise_analysis::guards::cleared(&nest)),
    }
}
