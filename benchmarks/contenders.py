"""One contender, in a process of its own: `python -P contenders.py NAME FILE SMALL REPEAT SOUND`.

It answers "how many people per city, three cities each unless BENCH_GROUPS says how many, at epsilon 1 and delta
1e-6": first on a small file, so that
imports and whatever is done once are not counted; it then says that it is ready, and answers REPEAT times on the file,
with the clock running. It prints JSON, a line each. SOUND is the least value that may be released within that delta.
This file runs under each peer's own Python and imports nothing else of the benchmarks.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

EPSILON, DELTA, GROUPS = 1.0, 1e-6, int(os.environ.get("BENCH_GROUPS", "3"))
WINDOW = """
    select city, count(*) people from (
        select city, row_number() over (partition by user_id order by hash(user_id, city, 42)) place
        from (select distinct user_id, city from events)
    ) where place <= 3 group by city
"""
Released = list[float]
"""The released values, one a group."""


def ours() -> Callable[[str], Released]:
    return _discreet(left_out=0)  # As its peers, which do not say what bounding left out.


def told() -> Callable[[str], Released]:
    return _discreet()


def two_rounds() -> Callable[[str], Released]:
    return _discreet(left_out=0, rounds=2)


def _discreet(**rest: Any) -> Callable[[str], Released]:
    from discreet.tables import Table

    def ask(file: str) -> Released:
        groups = Table(file, person="user_id").group_by("city")
        answer = groups.count_people(epsilon=1, delta="1e-6", max_groups=GROUPS, **rest)
        return list(answer.columns["people"])

    return ask


def several() -> Callable[[str], Released]:
    """Ask for people, two sums, a mean and a median in one query."""
    return _several(together=True)


def singles() -> Callable[[str], Released]:
    """Ask for the same in five queries, each of which pays for itself."""
    return _several(together=False)


def _several(*, together: bool) -> Callable[[str], Released]:
    from discreet.tables import Mean, People, Quantile, Sum, Table

    median = Quantile("amount", "1/2", low=0, high=100, grid=1)
    all_ = [People(), Sum("amount", 0, 100, 1), Sum("visits", 0, 20, 1), Mean("amount", 0, 100, 1), median]

    def ask(file: str) -> Released:
        groups = Table(file, person="user_id").group_by("city")
        answers = [
            groups.release(*asked, epsilon=1, delta="1e-6", max_groups=GROUPS, left_out=0)
            for asked in ([all_] if together else [[one] for one in all_])
        ]
        return [0.0] * len(answers[0])

    return ask


def plain_several() -> Callable[[str], Released]:
    """Ask DuckDB for the same without any privacy; only the number of groups is told."""
    means = "sum(amount), sum(visits), avg(amount), median(amount)"
    return _duckdb(f"select city, count(distinct user_id) people, {means} from events group by city", whole=False)


def distinct() -> Callable[[str], Released]:
    """Count all people without any privacy."""
    return _duckdb("select count(distinct user_id) people from events")


def all_people() -> Callable[[str], Released]:
    """Count all people."""
    from discreet.tables import Table

    return lambda file: [float(Table(file, person="user_id").count_people(epsilon=1).columns["people"][0])]


def spark() -> Callable[[str], Released]:
    """Ask our question of local Spark, with the settings that Tumult Analytics gets."""
    import ibis

    from discreet.tables import Table

    session = _spark()
    engine = ibis.pyspark.connect(session)

    def ask(file: str) -> Released:
        groups = Table(engine.read_parquet(file), person="user_id").group_by("city")
        answer = groups.count_people(epsilon=1, delta="1e-6", max_groups=GROUPS, left_out=0)
        return list(answer.columns["people"])

    return ask


def _spark() -> Any:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.driver.memory": "6g", "spark.sql.shuffle.partitions": "4"}
    builder = SparkSession.builder.master(f"local[{os.cpu_count()}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def found() -> Callable[[str], Released]:
    return _found(rounds=2)


def found_once() -> Callable[[str], Released]:
    return _found(rounds=1)


def _found(rounds: int) -> Callable[[str], Released]:
    """List the groups without counts; only how many there are is told."""
    from discreet.tables import Table

    def ask(file: str) -> Released:
        return [0.0] * len(Table(file, person="user_id").group_by("city").keys(epsilon=1, delta="1e-6", rounds=rounds))

    return ask


def direct() -> Callable[[str], Released]:
    return _duckdb(Path(os.environ["BENCH_SQL"]).read_text())


def plain() -> Callable[[str], Released]:
    """Count without any privacy; the answer stays in Arrow, and only its length is told."""
    return _duckdb("select city, count(distinct user_id) people from events group by city", whole=False)


def window() -> Callable[[str], Released]:
    return _duckdb(WINDOW)


def _duckdb(sql: str, *, whole: bool = True) -> Callable[[str], Released]:
    import duckdb

    def ask(file: str) -> Released:
        connection = duckdb.connect()
        connection.read_parquet(file).create_view("events")
        people = connection.sql(sql).to_arrow_table()["people"]
        return people.to_pylist() if whole else [len(people)]

    return ask


def polars() -> Callable[[str], Released]:
    """Ask OpenDP's Polars path, whose noise for (epsilon, delta) is Laplace noise."""
    import opendp.prelude as dp

    return _polars(dp.loss_of(epsilon=EPSILON, delta=DELTA))


def polars_gaussian() -> Callable[[str], Released]:
    """Ask OpenDP's Polars path for Gaussian noise, as it has it.

    Half of delta is for the threshold, and rho is the most that OpenDP turns into epsilon and the other half.
    """
    import opendp.prelude as dp

    dp.enable_features("contrib")
    number = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)

    def delta(rho: float) -> float:
        noise = dp.m.make_gaussian(*number, scale=(2 * rho) ** -0.5)
        return dp.c.make_zCDP_to_approxDP(noise).map(1.0).delta(EPSILON)

    low, high = 0.001, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if delta(middle) <= DELTA / 2 else (low, middle)
    return _polars(dp.loss_of(rho=low, delta=DELTA / 2))


def _polars(loss: Any) -> Callable[[str], Released]:
    """Ask under a loss.

    Its documented truncate_num_groups raises when the frame is collected, after the budget is spent ("multiple fields
    with name 'city'"). After one row per person and city, three rows a person are three cities, so that is asked.
    """
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")

    def ask(file: str) -> Released:
        context = dp.Context.compositor(
            data=pl.scan_parquet(file).select("user_id", "city"),
            privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("user_id")),
            privacy_loss=loss,
            split_evenly_over=1,
        )
        rows = context.query().truncate_per_group(1, by=["city"]).truncate_per_group(GROUPS)
        frame = rows.group_by("city").agg(dp.len()).release().collect()
        return frame["len"].to_list()

    return ask


def pipelinedp() -> Callable[[str], Released]:
    """Ask PipelineDP in this process, with one thresholded release for both keys and values: its best for Laplace."""
    import pipeline_dp as pdp
    import pyarrow.parquet as pq

    def ask(file: str) -> Released:
        table = pq.read_table(file, columns=["user_id", "city"])
        rows = list(zip(table["user_id"].to_pylist(), table["city"].to_pylist(), strict=True))
        budget = pdp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=DELTA)
        parameters = pdp.AggregateParams(
            metrics=[pdp.Metrics.PRIVACY_ID_COUNT],
            noise_kind=pdp.NoiseKind.LAPLACE,
            max_partitions_contributed=GROUPS,
            max_contributions_per_partition=1,
            partition_selection_strategy=pdp.PartitionSelectionStrategy.LAPLACE_THRESHOLDING,
            post_aggregation_thresholding=True,
        )
        extractors = pdp.DataExtractors(
            privacy_id_extractor=lambda row: row[0],
            partition_extractor=lambda row: row[1],
            value_extractor=lambda row: 0,
        )
        answer = pdp.DPEngine(budget, pdp.LocalBackend()).aggregate(rows, parameters, extractors)
        budget.compute_budgets()
        return [metrics.privacy_id_count for _, metrics in answer]

    return ask


def tumult() -> Callable[[str], Released]:
    """Ask Tumult Analytics on local Spark: half of epsilon for the keys, half for the counts, as its manual has it."""
    spark = _spark()
    from tmlt.analytics import (
        AddRowsWithID,
        ApproxDPBudget,
        KeySet,
        MaxGroupsPerID,
        MaxRowsPerGroupPerID,
        QueryBuilder,
        Session,
    )

    def ask(file: str) -> Released:
        session = Session.from_dataframe(
            privacy_budget=ApproxDPBudget(EPSILON, DELTA),
            source_id="events",
            dataframe=spark.read.parquet(file).select("user_id", "city"),
            protected_change=AddRowsWithID("user_id"),
        )
        bounded = (
            QueryBuilder("events").enforce(MaxGroupsPerID("city", GROUPS)).enforce(MaxRowsPerGroupPerID("city", 1))
        )
        keys = session.evaluate(bounded.get_groups(["city"]), ApproxDPBudget(EPSILON / 2, DELTA)).persist()
        counts = bounded.groupby(KeySet.from_dataframe(keys)).count()
        frame = session.evaluate(counts, ApproxDPBudget(EPSILON / 2, 0)).toPandas()
        return frame["count"].tolist()

    return ask


def smartnoise() -> Callable[[str], Released]:
    import pandas as pd
    import snsql

    def ask(file: str) -> Released:
        frame = pd.read_parquet(file, columns=["user_id", "city"])
        columns = {"user_id": {"type": "int", "private_id": True}, "city": {"type": "string"}}
        bounds = {"max_ids": GROUPS, "sample_max_ids": True, "censor_dims": True, "rows": len(frame)}
        reader = snsql.from_df(
            frame,
            privacy=snsql.Privacy(epsilon=EPSILON, delta=DELTA),
            metadata={"": {"db": {"events": bounds | columns}}},
        )
        _, *rows = reader.execute("select city, count(distinct user_id) as people from db.events group by city")
        return [row[1] for row in rows]

    return ask


def cpu() -> float:
    """Return the processor time of this process, and of all others of its session, such as a Java machine."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == os.getsid(0) and stat.parent.name != str(os.getpid()):
            ticks += sum(map(int, fields[11:15]))
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def most_memory() -> int:
    """Return the greatest number of bytes that this process held, whatever its parent did before."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def main(name: str, file: str, small: str, repeat: str, sound: str) -> None:
    began = time.perf_counter()
    ask: Callable[[str], Released] = globals()[name]()
    ask(small)
    print(json.dumps({"ready": time.perf_counter() - began}), flush=True)
    walls, works, values = [], [], []
    for _ in range(int(repeat)):
        before, start = cpu(), time.perf_counter()
        values = ask(file)
        walls.append(time.perf_counter() - start)
        works.append(cpu() - before)
    released = {"groups": len(values), "least": min(values, default=0), "sound": sum(v >= float(sound) for v in values)}
    print(json.dumps({"wall": min(walls), "cpu": min(works), "memory": most_memory()} | released), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
