import pytest

from infx_lint.documents.yaml_file import UnreadableYaml, YamlFile
from infx_lint.domain.policy import Policy
from infx_lint.finding import Edit, Finding, Fix, RuleFailure, Severity, Span
from infx_lint.registry import find_rule
from infx_lint.report import State
from infx_lint.rule_api import Rule
from tests.harness import lint_trees


def rule(check, *, document=YamlFile, severity=Severity.ERROR, policy=None, rule_id="made-up"):
    return Rule(rule_id, severity, check, document, policy, "A rule of a test.\n")


@pytest.fixture
def lint(tmp_path):
    """Review `{path: text}` against another, with rules of the test's own."""

    def run(before, after, *rules, **options):
        trees = []
        for name, files in (("before", before), ("after", after)):
            tree = tmp_path / name
            for path, text in files.items():
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                (tree / path).write_text(text)
            trees.append(tree)
        return lint_trees(tmp_path / "repository", trees, rules=rules, **options)

    return run


def each_key(file):
    for key, _ in file.document.root.value:
        yield Finding(f"key {key.value}", file.at(file.document.span(key)), subject=key.value)


def test_crash_of_one_rule_leaves_all_else_alone(lint):
    def crash(file):
        yield from each_key(file)
        raise KeyError("oops")

    report = lint({}, {"a.yaml": "x: 1\n"}, rule(crash, rule_id="broken-rule"), rule(each_key))
    assert [item.finding.rule for item in report.findings] == ["broken-rule", "made-up"]
    (failure,) = report.failures
    assert (failure.rule, failure.path) == ("broken-rule", "a.yaml")
    assert failure.summary.startswith("KeyError: 'oops' (test_engine.py:")
    assert report.exit_status(Severity.ERROR) == 3
    assert report.exit_status(None) == 3


def test_crash_of_a_change_rule(lint):
    def crash(change):
        yield from ()
        raise ValueError(change.is_whole_tree)

    report = lint({}, {"a.yaml": "x: 1\n"}, rule(crash, document=None))
    (failure,) = report.failures
    assert (failure.rule, failure.path) == ("made-up", None)


def test_old_findings_are_known_wherever_they_moved(lint):
    before = {"old name.yaml": "a: 1\nb: 2\n" + "# same\n" * 20}
    after = {"new name.yaml": "# above\n# above\na: 1\nc: 3\nb: 2\n" + "# same\n" * 20}
    report = lint(before, after, rule(each_key))
    states = {item.finding.subject: item.state for item in report.findings}
    assert states == {"a": State.EXISTING, "b": State.EXISTING, "c": State.NEW}
    assert [item.finding.subject for item in report.shown(include_existing=False)] == ["c"]
    assert report.count(Severity.ERROR) == 1


def test_equal_subjects_are_told_apart_by_their_number(lint):
    def same(file):
        for key, _ in file.document.root.value:
            yield Finding("same", file.at(file.document.span(key)), subject="same")

    report = lint({"a.yaml": "a: 1\n"}, {"a.yaml": "a: 1\nb: 1\n"}, rule(same))
    assert [item.state for item in report.findings] == [State.EXISTING, State.NEW]
    assert len({item.fingerprint for item in report.findings}) == 2


def test_rule_without_its_policy_is_silent_and_says_so(lint):
    nounset = rule(each_key, policy=Policy("Do not enable nounset"))
    report = lint({"AGENTS.md": "Enable nounset.\n"}, {"a.yaml": "x: 1\n"}, nounset)
    assert report.findings == ()
    assert report.analysed.without_authority == ("made-up",)
    assert report.analysed.rules == ()


def test_policy_is_read_from_the_base(lint):
    nounset = rule(each_key, policy=Policy("Do not enable nounset"))
    standing = {"AGENTS.md": "**Do not\nenable nounset.**\n"}
    report = lint(standing, {"AGENTS.md": "Never mind.\n", "a.yaml": "x: 1\n"}, nounset)
    assert len(report.findings) == 1


def test_settings_switch_a_rule_on_without_its_policy(lint):
    nounset = rule(each_key, policy=Policy("Do not enable nounset"))
    levels = {"made-up": Severity.NOTICE}
    report = lint({}, {"a.yaml": "x: 1\n"}, nounset, severities=levels)
    assert [item.severity for item in report.findings] == [Severity.NOTICE]


@pytest.mark.parametrize(
    ("fail_on", "status"),
    [(Severity.ERROR, 0), (Severity.WARNING, 1), (Severity.NOTICE, 1), (None, 0)],
)
def test_exit_status_follows_the_threshold(lint, fail_on, status):
    report = lint({}, {"a.yaml": "x: 1\n"}, rule(each_key, severity=Severity.WARNING))
    assert report.exit_status(fail_on) == status


def test_file_beyond_the_limits_is_a_failure_once(lint):
    deep = "a: " + "[" * 5000
    report = lint({}, {"a.yaml": deep}, rule(each_key), rule(each_key, rule_id="other-rule"))
    assert report.failures == (
        RuleFailure("limit", report.change.files[0].path, report.failures[0].summary),
    )
    assert report.exit_status(Severity.ERROR) == 3


def test_unreadable_files_go_only_to_rules_that_ask_for_them(lint):
    def unreadable(file):
        yield Finding("unreadable", file.at(file.document.span), subject="")

    rules = rule(each_key), rule(unreadable, document=UnreadableYaml, rule_id="other-rule")
    report = lint({}, {"a.yaml": "a: [\n", "b.yaml": "b: 1\n", "c.txt": "c: 1\n"}, *rules)
    assert [(item.finding.location.path, item.finding.rule) for item in report.findings] == [
        ("a.yaml", "other-rule"),
        ("b.yaml", "made-up"),
    ]


def broken_fix(text):
    def check(file):
        for key, _ in file.document.root.value:
            if key.value == "bad":
                span = file.document.span(key)
                fix = Fix("Mend it", (Edit(file.path, span, text),), safe=True)
                yield Finding("bad key", file.at(span), subject="bad", fix=fix)
            if key.value == "worse":
                yield Finding("worse key", file.at(file.document.span(key)), subject="worse")

    return rule(check)


@pytest.mark.parametrize(
    ("text", "offered"), [("good", True), ("bad", False), ("worse", False), ("[", False)]
)
def test_only_fixes_that_work_are_offered(lint, text, offered):
    unreadable = find_rule("yaml-unreadable")
    report = lint({}, {"a.yaml": "bad: 1\n"}, broken_fix(text), unreadable)
    (item,) = report.findings
    assert (item.finding.fix is not None) is offered


def test_places_are_labelled_by_the_diff(lint):
    def everywhere(file):
        for line in (1, 40):
            yield Finding("here", file.at(Span(line, 1, line, 2)), subject=str(line))

    text = "".join(f"k{number}: 1\n" for number in range(50))
    report = lint({"a.yaml": text}, {"a.yaml": text.replace("k0: 1", "k0: 2")}, rule(everywhere))
    assert [(item.finding.location.span.line, item.place) for item in report.findings] == [
        (1, "inline"),
        (40, "file"),
    ]
