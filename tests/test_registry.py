import pytest

from infx_lint.registry import RuleError, all_rules, load_rule, select_rules
from infx_lint.scaffold import write_rule

RULE = '''"""A made-up mistake."""
from infx_lint import FileContext, Finding, Severity, YamlFile, rule

@rule(severity=Severity.ERROR, document=YamlFile)
def check(file):
    yield
'''


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("Key_Repeated.py", RULE, "is named for the mistake"),
        ("repeated.py", RULE, "is named for the mistake"),
        ("key_repeated.py", '"""None here."""\n', "holds 0 rules"),
        (
            "key_repeated.py",
            RULE + "\nother = rule(severity=Severity.ERROR)(print_ := lambda f: f)\n",
            "holds 2 rules",
        ),
        ("key_repeated.py", RULE.replace("mistake.", "mistake"), "must open with one sentence"),
    ],
)
def test_file_that_breaks_the_conventions_is_refused(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(RuleError, match=message):
        load_rule(tmp_path / name)


def test_the_name_is_written_once(tmp_path):
    (tmp_path / "key_made_up.py").write_text(RULE)
    loaded = load_rule(tmp_path / "key_made_up.py")
    assert (loaded.id, loaded.summary) == ("key-made-up", "A made-up mistake.")


def test_selection():
    everything = {rule.id for rule in all_rules()}
    assert {rule.id for rule in select_rules((), ("yaml-unreadable",))} == everything - {
        "yaml-unreadable"
    }
    assert [rule.id for rule in select_rules(("yaml-unreadable",), ())] == ["yaml-unreadable"]


def test_new_rule_is_complete_and_loads(tmp_path, monkeypatch):
    (tmp_path / "rules").mkdir()
    monkeypatch.setattr("infx_lint.scaffold.rules_folder", lambda: tmp_path / "rules")
    written = write_rule("key-spelled-wrong")
    assert [path.relative_to(tmp_path).as_posix() for path in written] == [
        "rules/key_spelled_wrong.py",
        "fixtures/key-spelled-wrong/flags-the-mistake/after/configs/example.yaml",
        "fixtures/key-spelled-wrong/flags-the-mistake/expected.txt",
        "fixtures/key-spelled-wrong/allows-the-right-way/after/configs/example.yaml",
        "fixtures/key-spelled-wrong/allows-the-right-way/expected.txt",
    ]
    assert load_rule(written[0]).id == "key-spelled-wrong"
    with pytest.raises(RuleError, match="exists already"):
        write_rule("key-spelled-wrong")


def test_new_rule_is_written_in_a_checkout_only(tmp_path, monkeypatch):
    monkeypatch.setattr("infx_lint.scaffold.rules_folder", lambda: tmp_path / "_rules")
    with pytest.raises(RuleError, match="git clone"):
        write_rule("key-spelled-wrong")
