"""Writes scores of LightGBM that `fairtrain adjust` takes: out-of-fold scores of the rows of a CSV
file, and scores of the rows of another one by a model fitted to all rows of the first.

    python scores.py train.csv LABEL POSITIVE scores.csv [test.csv test_scores.csv]

A score of a row that the model was fitted to is too good, and thresholds found by such scores do not
suit new rows: cross_val_predict scores every row by a model that has not seen it. The columns of the
files are copied beside y_true and y_score. Any classifier of scikit-learn takes LightGBM's place.
"""

import sys

import lightgbm
import pandas as pd
from sklearn.model_selection import cross_val_predict

train, label, positive, out = sys.argv[1:5]


def features(rows, like=None):
    x = rows.drop(columns=[label])
    for c in x.columns:
        if not pd.api.types.is_numeric_dtype(x[c]):
            levels = sorted(set((like if like is not None else rows)[c].dropna()))
            x[c] = pd.Categorical(x[c], levels)
    return x


def write(rows, scores, path):
    rows = rows.rename(columns={label: "y_true"})
    rows.insert(1, "y_score", scores)
    rows.to_csv(path, index=False)


rows = pd.read_csv(train)
y = (rows[label].astype(str) == positive).astype(int)
model = lightgbm.LGBMClassifier(verbose=-1, random_state=1, n_jobs=1)
x = features(rows)
write(rows, cross_val_predict(model, x, y, cv=5, method="predict_proba")[:, 1], out)
if len(sys.argv) > 5:
    more = pd.read_csv(sys.argv[5])
    write(more, model.fit(x, y).predict_proba(features(more, rows))[:, 1], sys.argv[6])
