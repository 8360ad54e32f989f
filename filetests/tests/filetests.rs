//! Every file of `tests/filetests`, a folder a test. Scripts of `run/` are run by `tests/test_filetests.py`.

macro_rules! folders {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                nestwise_filetests::run(stringify!($name));
            }
        )*
    };
}

folders!(parse lower dependence legality transform schedule codegen);
