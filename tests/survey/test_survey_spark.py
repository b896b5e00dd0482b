"""Reports on Spark: counted where they are, by the same code, to the same counts as here."""

import json
import os
import shutil
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import DiscreetError, OptimizedUnary, ParameterError, RandomizedResponse, RandomizedResponseBool, Rappor
from discreet.survey import Collector, PairCollector, Question, Report, Survey, TextQuestion

if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java: install it, or set JAVA_HOME", allow_module_level=True)
pyspark_sql = pytest.importorskip("pyspark.sql", reason="pip install 'discreet[spark]'")

# One session, also where tests are spread over processes.
pytestmark = [pytest.mark.xdist_group("pyspark"), pytest.mark.deep]

WORD = Question("word", ["a", "b", "c"])
AGE = Question("age", [10, 20, 30])
MEMBER = Question("member", [False, True])
CITY = Question("city", [f"city {i}" for i in range(20)])
TEXT = TextQuestion("homepage", length=16, hashes=2, cohorts=4)
FORMS = {
    "text": WORD.form(RandomizedResponse(categories=WORD.categories, prob="1/2")),
    "whole numbers": AGE.form(RandomizedResponse(categories=AGE.categories, prob="1/2")),
    "booleans": MEMBER.form(RandomizedResponseBool(prob="3/4")),
    "bits": CITY.form(OptimizedUnary(length=20, p="1/2", q="1/4")),
    "open text": TEXT.form(Rappor(length=16, max_weight=2, f="1/2")),
}


@pytest.fixture(scope="module")
def spark():
    old = os.environ.get("PYSPARK_PYTHON")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = pyspark_sql.SparkSession.builder.master("local[2]").appName("discreet")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "512m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "7",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
    os.environ.pop("PYSPARK_PYTHON") if old is None else os.environ.update(PYSPARK_PYTHON=old)


def payloads(form, n=60):
    generator = np.random.default_rng(3)
    if form is FORMS["open text"]:
        bits = generator.integers(0, 256, (n, 2))
        return np.hstack([generator.integers(0, 4, (n, 1)), np.zeros((n, 1), int), bits]).astype(np.uint8)
    return form.perturb(generator.integers(0, form.size, n))


def wire(form, n=60):
    return [Report(form.tag, row.tobytes()).to_bytes() for row in payloads(form, n)]


def frame_of(spark, values, partitions, name="report"):
    rows = [(i, value) for i, value in enumerate(values)]
    return spark.createDataFrame(rows, ["n", name]).repartition(partitions)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_counts_are_the_same_as_here(form, spark):
    """Whole reports, and the values as a survey writes them, over five partitions of several batches."""
    columns = [(wire(form), False)]
    if form is not FORMS["open text"]:
        columns.append((form.values(payloads(form)), True))
    for column, bare in columns:
        here, there = Collector(form), Collector(form)
        tally = there.add_many(frame_of(spark, column, 5), column="report", payloads=bare)
        assert repr(here.add_many(column, payloads=bare)) == repr(tally)
        assert (tally.added, tally.refused) == (60, {})
        assert there == here


def test_refused_reports_are_counted_and_the_others_kept(spark):
    form = FORMS["bits"]
    good = wire(form)
    bad = [
        b"",
        b"\xd4" + good[0][1:],
        good[0][:1] + b"\3" + good[0][2:],
        good[0][:17] + bytes([good[0][17] ^ 1]) + good[0][18:],
    ]
    bad += [good[0] + b"\0", good[0][:-1] + b"\xff", None, None]
    here, there = Collector(form), Collector(form)
    here.add_many([*good, *bad])
    for partitions in (1, 4):
        there = Collector(form)
        tally = there.add_many(frame_of(spark, [*bad[:4], *good, *bad[4:]], partitions), column="report")
        assert tally.added == there.n == 60
        assert tally.refused == dict(there.refused)
        assert sum(tally.refused.values()) == len(bad)
        assert there.supports.tolist() == here.supports.tolist()


def test_empty_partitions_and_empty_frames_count_nothing(spark):
    form = FORMS["bits"]
    few = frame_of(spark, wire(form)[:3], 8)
    assert few.rdd.getNumPartitions() == 8
    box = Collector(form)
    assert box.add_many(few, column="report").added == 3
    none = few.filter("n < 0")
    assert repr(box.add_many(none, column="report")) == "<0 added>"
    assert box.n == 3


def test_a_box_that_holds_reports_gains_those_of_spark(spark):
    form = FORMS["text"]
    box = Collector(form)
    box.add_many(["a", "b", "x"])
    tally = box.add_many(frame_of(spark, ["a", "c", "y", "z"], 2).select("report"))
    assert (tally.added, tally.refused) == (2, {"not a choice": 2})
    assert (box.n, box.supports.tolist(), dict(box.refused)) == (4, [2, 1, 1], {"not a choice": 3})


def test_reports_over_many_files_are_the_same_in_spark_and_here(spark, tmp_path):
    form = FORMS["bits"]
    good = wire(form)
    for i in range(6):
        pq.write_table(pa.table({"n": range(10), "report": good[10 * i : 10 * i + 10]}), tmp_path / f"{i}.parquet")
    here, there = Collector(form), Collector(form)
    here.add_many(tmp_path / "*.parquet", column="report")
    there.add_many(spark.read.parquet(str(tmp_path)), column="report")
    assert there == here
    assert there.n == 60


def test_the_work_is_done_by_map_in_arrow_with_the_collectors_own_code(spark, monkeypatch):
    """One call of mapInArrow, whose function gives the same box here as on a worker; nothing else is fetched."""
    form = FORMS["bits"]
    good = wire(form)
    frame = frame_of(spark, good, 3)
    kind, calls = type(frame), []
    original = kind.mapInArrow

    def recorded(self, function, schema, *more):
        calls.append((self.columns, function, schema))
        return original(self, function, schema, *more)

    def refuse(*_):
        pytest.fail("the reports were fetched")

    monkeypatch.setattr(kind, "mapInArrow", recorded)
    for name in ("toPandas", "toArrow", "toLocalIterator", "head", "take"):
        monkeypatch.setattr(kind, name, refuse)
    box = Collector(form)
    box.add_many(frame, column="report")
    [(names, function, schema)] = calls
    assert (names, schema) == (["report"], "box string")
    batches = pa.table({"report": good}).to_batches(max_chunksize=7)
    [batch] = function(iter(batches))
    assert batch.column(0).to_pylist() == [json.dumps(box.to_dict())]


def test_a_survey_is_estimated_from_a_spark_frame(spark):
    survey = Survey([WORD, AGE, CITY], epsilon=6, kinds={"city": OptimizedUnary})
    generator = np.random.default_rng(9)
    answers = {q.name: [q.choices[i] for i in generator.integers(0, len(q), 80).tolist()] for q in (WORD, AGE, CITY)}
    noisy = survey.perturb(pa.table(answers))
    frame = spark.createDataFrame(list(zip(*noisy.to_pydict().values(), strict=True)), noisy.column_names).repartition(
        3
    )
    assert survey.estimate(frame).to_rows() == survey.estimate(noisy).to_rows()
    both = survey.collect([frame, noisy])
    assert {box.n for box in both.values()} == {160}


@pytest.mark.parametrize(
    "name",
    [
        "with space",
        "näme",
        pytest.param("a.b"),
        pytest.param("back`tick"),
    ],
)
def test_names_of_columns_may_be_odd(name, spark):
    box = Collector(FORMS["text"])
    assert box.add_many(frame_of(spark, ["a", "b"], 2, name), column=name).added == 2


def test_a_wrong_name_of_a_column_gets_a_hint(spark):
    with pytest.raises(ParameterError, match="did you mean 'report'"):
        Collector(FORMS["text"]).add_many(frame_of(spark, ["a"], 1), column="reports")
    with pytest.raises(ParameterError, match="one of n, report"):
        Collector(FORMS["text"]).add_many(frame_of(spark, ["a"], 1))


def test_mechanisms_of_constant_time_are_counted_on_spark(spark):
    box = MEMBER.collector(RandomizedResponseBool(prob="3/4", constant_time=True))
    assert box.add_many(frame_of(spark, [True, False], 2), column="report").added == 2


def test_pairs_on_spark_are_counted_or_refused_with_a_declared_error(spark):
    frame = spark.createDataFrame([("a", 10), ("b", 20)], ["word", "age"])
    box = PairCollector(FORMS["text"], FORMS["whole numbers"])
    try:
        box.add_many(frame, frame, columns=("word", "age"))
    except DiscreetError:
        assert box.n == 0
    else:
        assert box.pairs.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
