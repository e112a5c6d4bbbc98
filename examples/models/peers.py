"""Fits what others would use to train.csv and judges it on test.csv of the folder named.

The files have a column y (0 or 1), a column g (the group) and features, whose names begin
with n_ (a number) or c_ (a category). One line of JSON for each method goes to stdout.
"""

import json
import os
import sys
import time
import warnings

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the program
warnings.filterwarnings("ignore")

import lightgbm
import numpy as np
import pandas as pd
from fairlearn.reductions import DemographicParity, EqualizedOdds, ExponentiatedGradient
from interpret.glassbox import ExplainableBoostingClassifier
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

ROUNDS = 30  # most of the exponentiated gradient
# Fairlearn bounds the distance of each group's rate from that of all. Of two groups the rates may
# differ by the sum, so that half of the bound is what compares with the bound of the program.
BOUNDS = {
    "dp": lambda: DemographicParity(difference_bound=0.02 / 2),
    "eo": lambda: EqualizedOdds(difference_bound=0.03 / 2),
}


def read(name):
    rows = pd.read_csv(os.path.join(sys.argv[1], name), keep_default_na=False, na_values=[""])
    x = rows.drop(columns=["y", "g"])
    for c in x.columns:
        x[c] = x[c].astype(float) if c.startswith("n_") else x[c].fillna("missing").astype(str)
    return x, rows.y.to_numpy(), rows.g.astype(str).to_numpy()


x, y, g = read("train.csv")
tx, ty, tg = read("test.csv")
numbers = [c for c in x.columns if c.startswith("n_")]
categories = [c for c in x.columns if c.startswith("c_")]
codes, tcodes = x.copy(), tx.copy()
for c in categories:
    levels = sorted(set(x[c]))
    codes[c], tcodes[c] = pd.Categorical(x[c], levels), pd.Categorical(tx[c], levels)


def disparity(selected, constraint):
    """The largest difference of rates between groups; selected has probabilities."""
    worst = 0.0
    for label in [None] if constraint == "dp" else [0, 1]:
        among = np.ones(len(ty), bool) if label is None else ty == label
        rates = [selected[among & (tg == k)].mean() for k in sorted(set(tg[among]))]
        worst = max(worst, max(rates) - min(rates))
    return worst


def tell(method, constraint, selected, scores, began):
    line = {
        "method": method,
        "constraint": constraint,
        "seconds": time.time() - began,
        "accuracy": float(np.where(ty == 1, selected, 1 - selected).mean()),
        "disparity": disparity(selected, constraint) if constraint != "none" else None,
    }
    if scores is not None:
        line["auc"], line["log_loss"] = roc_auc_score(ty, scores), log_loss(ty, scores)
    print(json.dumps(line), flush=True)


def unconstrained(method, model, x, tx):
    began = time.time()
    model.fit(x, y)
    p = model.predict_proba(tx)[:, 1]
    tell(method, "none", (p >= 0.5).astype(float), p, began)


prepared = make_column_transformer(
    (make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), numbers),
    (OneHotEncoder(handle_unknown="ignore", min_frequency=5, sparse_output=False), categories),
)
z = prepared.fit_transform(x)
tz = prepared.transform(tx)
logistic = LogisticRegressionCV(Cs=5, cv=3, scoring="neg_log_loss", max_iter=300)
unconstrained("LR", logistic, z, tz)
types = ["continuous" if c in numbers else "nominal" for c in x.columns]
ebm = ExplainableBoostingClassifier(
    feature_types=types, interactions=0, random_state=1, n_jobs=1
)
unconstrained("EBM", ebm, x, tx)
trees = lightgbm.LGBMClassifier(verbose=-1, random_state=1, n_jobs=1)
unconstrained("LightGBM", trees, codes, tcodes)
for name, model, rows, trows in [
    ("EG over LR", LogisticRegression(max_iter=300), z, tz),
    ("EG over LightGBM", trees, codes, tcodes),
]:
    for constraint, moment in BOUNDS.items():
        began = time.time()
        reduction = ExponentiatedGradient(model, moment(), max_iter=ROUNDS)
        reduction.fit(rows, y, sensitive_features=g)
        tell(name, constraint, reduction._pmf_predict(trows)[:, 1], None, began)
