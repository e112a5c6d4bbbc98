"""Fits what others would use to train.csv and judges it on test.csv of the folder named.

The files have a column y (0 or 1), a column g (the group) and features, whose names begin
with n_ (a number) or c_ (a category). One line of JSON for each method goes to stdout.
"""

import json
import os
import sys
import time
import warnings

os.environ["OMP_NUM_THREADS"] = "2"  # as many as the program has
warnings.filterwarnings("ignore")

import lightgbm
import numpy as np
import pandas as pd
from fairlearn.reductions import DemographicParity, EqualizedOdds, ExponentiatedGradient
from interpret.glassbox import ExplainableBoostingClassifier
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

ROUNDS = 30  # of the exponentiated gradient; most runs end before


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
    (OneHotEncoder(handle_unknown="ignore", min_frequency=5), categories),
)
logistic = LogisticRegressionCV(Cs=8, cv=5, scoring="neg_log_loss", max_iter=500)
unconstrained("LR", make_pipeline(prepared, logistic), x, tx)
types = ["continuous" if c in numbers else "nominal" for c in x.columns]
unconstrained("EBM", ExplainableBoostingClassifier(feature_types=types, interactions=0, random_state=1), x, tx)
trees = lightgbm.LGBMClassifier(verbose=-1, random_state=1)
unconstrained("LightGBM", trees, codes, tcodes)
# Half of the bounds that the program gets: on new rows it breaks them by about as much then.
for constraint, moment in {"dp": DemographicParity(difference_bound=0.01), "eo": EqualizedOdds(difference_bound=0.015)}.items():
    began = time.time()
    reduction = ExponentiatedGradient(trees, moment, max_iter=ROUNDS, nu=1e-6)
    reduction.fit(codes, y, sensitive_features=g)
    tell("EG over LightGBM", constraint, reduction._pmf_predict(tcodes)[:, 1], None, began)
