"""`_core.pyi` says what the extension module has: names, parameters and attributes, both ways."""

import ast
import inspect
from pathlib import Path

import nestwise
import pytest

core = pytest.importorskip("nestwise._core")

STUB = ast.parse((Path(nestwise.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
PROTOCOLS = {"Check", "Checks"}  # what Python hands to Rust: nothing of the module's
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
CLASSES = {
    node.name: node
    for node in STUB.body
    if isinstance(node, ast.ClassDef) and node.name not in PROTOCOLS
}


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_every_name_is_on_both_sides():
    assert public(dir(core)) == {*FUNCTIONS, *CLASSES}


def said(node):
    """(name, whether it has a default) of each parameter."""
    arguments = node.args.args
    without = len(arguments) - len(node.args.defaults)
    return [(a.arg, k >= without) for k, a in enumerate(arguments)]


def has(function):
    parameters = inspect.signature(function).parameters.values()
    return [(p.name, p.default is not p.empty) for p in parameters]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_the_parameters(name):
    assert has(getattr(core, name)) == said(FUNCTIONS[name])


@pytest.mark.parametrize("name", CLASSES)
def test_classes_have_the_attributes(name):
    kind, node = getattr(core, name), CLASSES[name]
    methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
    fields = [a.target.id for a in node.body if isinstance(a, ast.AnnAssign)]
    fields = [name for name in fields if name != "__match_args__"]
    assert public(vars(kind)) == {*methods, *fields}
    assert list(getattr(kind, "__match_args__", ())) == fields
    for method, said_of in methods.items():
        assert has(getattr(kind, method)) == said(said_of)
    assert kind.__module__ == "nestwise._core"


def test_records_that_rust_reads_have_the_fields_that_it_reads():
    # Rust reads fields by their names; these are the structs that do.
    from nestwise.inferred_types.infer import NamedFunction
    from nestwise.native.settings import OneCall, Settings
    from nestwise.rewriting.sites import SiteText
    from nestwise.rewriting.sources import FunctionText

    bindings = Path(__file__).parent.parent / "bindings" / "src"
    texts = [file.read_text(encoding="utf-8") for file in bindings.rglob("*.rs")]
    for record, beyond in (
        (Settings, set()),
        (SiteText, {"function"}),  # for reports
        (FunctionText, set()),
        (NamedFunction, set()),
        (OneCall, set()),
    ):
        struct = f"#[derive(FromPyObject)]\npub struct {record.__name__} {{\n"
        inside = [t.split(struct)[1].split("\n}")[0] for t in texts if struct in t]
        struct = struct.replace("pub struct", "struct")
        inside += [t.split(struct)[1].split("\n}")[0] for t in texts if struct in t]
        assert len(inside) == 1, record
        lines = [line.strip() for line in inside[0].splitlines()]
        fields = [
            line.removeprefix("pub ").partition(":")[0] for line in lines if line[:3] != "///"
        ]
        assert {*fields} == {*record._fields} - beyond, record
