"""Compares `fairtrain adjust` with an exhaustive search and with Fairlearn, on folders that have
scores.csv and test_scores.csv as scores.py writes them, of the group g (docs/adjust.md).

    python compare.py FAIRTRAIN FOLDER...

With groups: the accuracy of the thresholds on the rows given is recounted from the decisions that are
written, and compared with the best of all pairs of thresholds (two groups, one rate: a scan that
shares no code with the program) and with the expected accuracy of ThresholdOptimizer.
Without: accuracy and disparity on the test rows, beside the exponentiated gradient over LightGBM.
"""

import json
import os
import subprocess
import sys
import time
import warnings

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
warnings.filterwarnings("ignore")

import numpy as np
import pandas as pd

program, folders = sys.argv[1], sys.argv[2:]
BOUND = 0.02
FAMILIES = {  # the rows of a rate by label, None for all; what Fairlearn calls parity
    "demographic-parity": ([None], "demographic_parity"),
    "equal-opportunity": ([1], "true_positive_rate_parity"),
    "predictive-equality": ([0], "false_positive_rate_parity"),
    "equalized-odds": ([0, 1], "equalized_odds"),
    "rate-ratio": ([None], None),
}


class Given:
    """A classifier whose probabilities are the only column."""

    classes_ = np.array([0, 1])

    def fit(self, x, y):
        return self

    def predict_proba(self, x):
        p = np.asarray(x)[:, 0]
        return np.column_stack([1 - p, p])

    def predict(self, x):
        return (self.predict_proba(x)[:, 1] >= 0.5).astype(int)

    def __sklearn_is_fitted__(self):
        return True

    def __sklearn_tags__(self):
        from sklearn.utils import Tags, TargetTags, ClassifierTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
        )


def disparity(selected, y, g, labels):
    worst = 0.0
    for label in labels:
        among = np.ones(len(y), bool) if label is None else y == label
        rates = [selected[among & (g == k)].mean() for k in np.unique(g)]
        worst = max(worst, max(rates) - min(rates))
    return worst


def exhaustive(y, s, g, label, bound, ratio):
    """The accuracy of the best pair of thresholds of two groups, one rate."""
    curves = []
    for k in np.unique(g):
        order = np.argsort(-s[g == k], kind="stable")
        ys, ss = y[g == k][order], s[g == k][order]
        ends = np.append(ss[1:] != ss[:-1], True)
        among = np.ones(len(ys)) if label is None else (ys == label).astype(float)
        rate = np.append(0, np.cumsum(among)[ends]) / among.sum()
        right = np.append(0, np.cumsum(2 * ys - 1)[ends]) + (ys == 0).sum()
        curves.append((rate, right))
    (ra, a), (rb, b) = curves
    slack = 1e-12
    best = 0
    for r, right in zip(ra, a):  # rates rise, so that those allowed are neighbours
        lo, hi = (bound * r, r / bound) if ratio else (r - bound, r + bound)
        i, j = np.searchsorted(rb, lo - slack), np.searchsorted(rb, hi + slack, "right")
        if i < j:
            best = max(best, right + b[i:j].max())
    return best / len(y)


def adjust(folder, spec, *flags):
    out = os.path.join(folder, "decisions.csv")
    model = os.path.join(folder, "adjusted.json")
    command = [program, "adjust", "--predictions", os.path.join(folder, "scores.csv"), "--json"]
    command += ["--constraint", spec, "--out", out, "--model", model, "--force", "--quiet", *flags]
    began = time.time()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(done.stderr)
    seconds = time.time() - began
    return json.loads(done.stdout), pd.read_csv(out).decision.to_numpy(), model, seconds


def predicted(folder, model):
    out = os.path.join(folder, "test_decisions.csv")
    data = os.path.join(folder, "test_scores.csv")
    subprocess.run(
        [program, "predict", "--model", model, "--data", data, "--out", out, "--force", "--quiet"],
        check=True,
    )
    return pd.read_csv(out).decision.to_numpy()


def with_groups(folder):
    rows = pd.read_csv(os.path.join(folder, "scores.csv"))
    y, s, g = rows.y_true.to_numpy(), rows.y_score.to_numpy(), rows.g.to_numpy()
    for family, (labels, parity) in FAMILIES.items():
        ratio = family == "rate-ratio"
        level = 0.8 if ratio else BOUND
        spec = f"{family}:group=g," + ("min" if ratio else "bound") + f"={level}"
        try:
            r, decided, _, seconds = adjust(folder, spec, "--use-group")
        except SystemExit as fault:
            print(f"{os.path.basename(folder)} {family}: {fault}", file=sys.stderr)
            continue
        line = {"table": os.path.basename(folder), "family": family, "seconds": round(seconds, 2)}
        line["before"] = round(((s >= 0.5) == y).mean(), 5)
        line["accuracy"] = round((decided == y).mean(), 5)
        if ratio:
            rates = [decided[g == k].mean() for k in np.unique(g)]
            line["kept"] = round(min(rates) / max(rates), 5)
        else:
            line["kept"] = round(disparity(decided, y, g, labels), 5)
        line["gap"] = r.get("gap")
        if len(labels) == 1:
            line["exhaustive"] = round(exhaustive(y, s, g, labels[0], level, ratio), 5)
        if parity:
            from fairlearn.postprocessing import ThresholdOptimizer

            t = ThresholdOptimizer(
                estimator=Given(), constraints=parity, prefit=True, predict_method="predict_proba", grid_size=1000
            )
            x = pd.DataFrame({"s": s})
            t.fit(x, y, sensitive_features=g)
            p = t._pmf_predict(x, sensitive_features=g)[:, 1]
            line["optimizer"] = round(float(np.where(y == 1, p, 1 - p).mean()), 5)
            line["optimizer_kept"] = round(disparity(p, y, g, labels), 5)
        print(json.dumps(line), flush=True)



def prepared(folder, name, like=None):
    """The columns that are not for the score, and what LightGBM takes."""
    rows = pd.read_csv(os.path.join(folder, name))
    x = rows.drop(columns=["y_true", "y_score", "g"])
    for c in x.columns:
        if not pd.api.types.is_numeric_dtype(x[c]):
            x[c] = pd.Categorical(x[c], like[c].cat.categories if like is not None else sorted(set(x[c].dropna())))
    return rows, x


def alike(folder, family, ty, tg, kept):
    """The most accurate adjustment that keeps no more disparity on the test rows than Fairlearn did."""
    found = {"alike": None}
    for bound in (0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.18):
        _, _, model, _ = adjust(folder, f"{family}:group=g,bound={bound}")
        decided = predicted(folder, model)
        gap, right = disparity(decided, ty, tg, FAMILIES[family][0]), (decided == ty).mean()
        if gap <= kept + 0.001 and (found["alike"] is None or right > found["alike"]):
            found = {"alike": round(right, 4), "alike_kept": round(gap, 4), "alike_bound": bound}
    return found


def without_groups(folder):
    import lightgbm
    from fairlearn.reductions import DemographicParity, EqualizedOdds, ExponentiatedGradient

    rows, x = prepared(folder, "scores.csv")
    test, tx = prepared(folder, "test_scores.csv", x)
    ty, tg = test.y_true.to_numpy(), test.g.to_numpy()
    # Fairlearn bounds the distance of each rate from that of all, half of the difference of two.
    for family, moment, bound in (
        ("demographic-parity", DemographicParity, BOUND),
        ("equalized-odds", EqualizedOdds, 0.03),
    ):
        labels = FAMILIES[family][0]
        line = {"table": os.path.basename(folder), "family": family, "groups": False}
        line["given"] = round(((test.y_score >= 0.5) == ty).mean(), 4)
        line["given_kept"] = round(disparity((test.y_score >= 0.5).to_numpy().astype(float), ty, tg, labels), 4)
        _, _, model, seconds = adjust(folder, f"{family}:group=g,bound={bound}")
        decided = predicted(folder, model)
        line["accuracy"], line["kept"] = round((decided == ty).mean(), 4), round(disparity(decided, ty, tg, labels), 4)
        line["seconds"] = round(seconds, 1)
        began = time.time()
        trees = lightgbm.LGBMClassifier(verbose=-1, random_state=1, n_jobs=1)
        eg = ExponentiatedGradient(trees, moment(difference_bound=bound / 2), max_iter=30)
        eg.fit(x, rows.y_true, sensitive_features=rows.g)
        p = eg._pmf_predict(tx)[:, 1]
        line["eg"] = round(float(np.where(ty == 1, p, 1 - p).mean()), 4)
        line["eg_kept"] = round(disparity(p, ty, tg, labels), 4)
        line["eg_seconds"] = round(time.time() - began, 1)
        line.update(alike(folder, family, ty, tg, line["eg_kept"]))
        print(json.dumps(line), flush=True)


for folder in folders:
    with_groups(folder)
for folder in folders:
    without_groups(folder)
