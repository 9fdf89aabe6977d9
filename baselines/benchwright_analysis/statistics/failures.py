"""Kinds of failure, found by clustering what was written about each: Algorithm 1 of CVDP.

Pinckney et al. 2025 (arXiv:2506.14074): a model reflects on each failure, the reflections are embedded, k-means
groups them with the number of groups that has the best silhouette, and a model names the groups. The reflections are
given here; embedding and naming are functions that the caller supplies. Without an embedding, messages are compared by
the words they share (TF-IDF); without a namer, groups have distinctive words instead of names. The result says so.
"""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchwright_analysis.statistics.errors import StatisticsError

FEWEST_GROUPS = 2
MOST_GROUPS = 11
_WORDS = 2000
_TELLING_WORDS = 6
_SILHOUETTE_OF = 2000
_NOTHING = 1e-12

Embedding = Callable[[Sequence[str]], ArrayLike]
"""Messages → one vector each: messages by dimensions."""
Namer = Callable[[Sequence[str]], str | None]
"""Messages of one group → its name; `None` if it can't be named."""


class MessageComparison(enum.Enum):
    """Method by which messages were compared."""

    EMBEDDING = "embedding"
    WORDS = "TF-IDF"


@dataclass(frozen=True)
class FailureGroup:
    """Failures that read alike."""

    name: str | None
    """`None` if nobody named it."""
    distinctive_words: tuple[str, ...]
    """Words that the group uses most for its size; of the language of the messages."""
    members: tuple[int, ...]
    """Places of the messages, from 0."""
    typical_index: int
    """The member nearest to the middle of the group."""


@dataclass(frozen=True)
class FailureAnalysis:
    """Groups of failures, the largest first."""

    comparison: MessageComparison
    named: bool
    failure_groups: tuple[FailureGroup, ...]
    silhouettes: dict[int, float]
    """Number of groups → mean silhouette, -1 to 1; below about 0.25 there is no structure to speak of."""
    positions: tuple[tuple[float, float], ...]
    """A point for each message: the two directions in which the vectors differ most (principal components)."""
    note: str
    """Differences from CVDP's algorithm, and what to know of the analysis, in plain sentences."""


def cluster_failures(
    messages: Sequence[str],
    *,
    embed: Embedding | None = None,
    name_group: Namer | None = None,
    seed: int,
) -> FailureAnalysis:
    """Group reflections on failures, with k-means for k = 2 … 11 and the k of the best mean silhouette.

    The silhouette (Rousseeuw 1987) is Euclidean, of at most 2,000 messages drawn by the seed. Of equal silhouettes the
    fewest groups win.

    Args:
        messages: One per failure.
        embed: Turns messages into vectors; called once.
        name_group: Names a group; called once per group.
        seed: The same seed and messages give the same groups.

    Raises:
        StatisticsError: A message is empty, or vectors do not fit the messages.
    """
    for message_index, message in enumerate(messages):
        if not message.strip():
            raise StatisticsError(f"Message {message_index} is empty: leave failures without a reflection out.")
    comparison = MessageComparison.WORDS if embed is None else MessageComparison.EMBEDDING
    notes = [] if embed is not None else ["Messages were compared by the words they share (TF-IDF), not by meaning."]
    notes += [] if name_group is not None else ["Groups have no names, only their distinctive words."]
    words, weights = _tf_idf_words_and_weights(messages)
    vectors = weights if embed is None else _embed_messages(embed, messages)
    distinct = len(np.unique(vectors, axis=0)) if len(messages) else 0
    silhouettes: dict[int, float] = {}
    group_indices = np.zeros(len(messages), dtype=np.intp)
    if len(messages) < 3:
        notes.append("There are fewer than three messages, too few for groups.")
    elif distinct < FEWEST_GROUPS:
        notes.append("All messages are alike, so there is one group.")
    else:
        group_indices, silhouettes = _best_clusters_and_silhouettes(vectors, distinct, seed)
    failure_groups = []
    for index in np.unique(group_indices):
        member_indices = np.flatnonzero(group_indices == index)
        distances = np.linalg.norm(vectors[member_indices] - vectors[member_indices].mean(axis=0), axis=1)
        failure_groups.append(
            FailureGroup(
                name=name_group([messages[int(member)] for member in member_indices])
                if name_group is not None
                else None,
                distinctive_words=_distinctive_words(words, weights, member_indices),
                members=tuple(member_indices.tolist()),
                typical_index=int(member_indices[int(np.argmin(distances))]),
            )
        )
    failure_groups.sort(key=lambda group: (-len(group.members), group.members))
    return FailureAnalysis(
        comparison,
        name_group is not None,
        tuple(failure_groups),
        silhouettes,
        _principal_positions(vectors),
        " ".join(notes),
    )


def _principal_positions(vectors: NDArray[np.float64]) -> tuple[tuple[float, float], ...]:
    """The first two principal components; each points to where its largest value is, so that signs are settled."""
    if not len(vectors):
        return ()
    left, sizes, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    components = np.zeros((len(vectors), 2))
    columns = min(2, len(sizes))
    components[:, :columns] = left[:, :columns] * sizes[:columns]
    components[np.abs(components) < _NOTHING] = 0.0
    signs = np.where(components.max(axis=0) >= -components.min(axis=0), 1.0, -1.0)
    return tuple((float(x), float(y)) for x, y in components * signs)


def _best_clusters_and_silhouettes(
    vectors: NDArray[np.float64], distinct_count: int, seed: int
) -> tuple[NDArray[np.intp], dict[int, float]]:
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import silhouette_score
    from threadpoolctl import threadpool_limits

    silhouettes: dict[int, float] = {}
    placements: dict[int, NDArray[np.intp]] = {}
    sample = _SILHOUETTE_OF if len(vectors) > _SILHOUETTE_OF else None
    for count in range(FEWEST_GROUPS, min(MOST_GROUPS, distinct_count, len(vectors) - 1) + 1):
        # One thread: sums come in one order, so that the same seed gives the same groups.
        with warnings.catch_warnings(), threadpool_limits(1):
            # Fewer groups than asked for is what near duplicates give; the silhouette judges what came out.
            warnings.simplefilter("ignore", ConvergenceWarning)
            places = KMeans(count, n_init=10, random_state=seed).fit_predict(vectors)
        if len(np.unique(places)) > 1:
            placements[count] = places
            silhouettes[count] = float(silhouette_score(vectors, places, sample_size=sample, random_state=seed))
    # The first of equals: silhouettes are in ascending order of groups.
    best = max(silhouettes, key=lambda count: round(silhouettes[count], 12))
    return placements[best], silhouettes


def _tf_idf_words_and_weights(messages: Sequence[str]) -> tuple[list[str], NDArray[np.float64]]:
    """The most frequent words and what each text makes of them, rows of length 1."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(stop_words="english", max_features=_WORDS, sublinear_tf=True)
    try:
        weights = vectorizer.fit_transform(messages)
    except ValueError:
        # Nothing but stop words and single letters.
        return [], np.zeros((len(messages), 1))
    return vectorizer.get_feature_names_out().tolist(), np.asarray(weights.todense(), dtype=np.float64)


def _distinctive_words(
    words: Sequence[str], weights: NDArray[np.float64], member_indices: NDArray[np.intp]
) -> tuple[str, ...]:
    if not words:
        return ()
    inside = weights[member_indices].mean(axis=0)
    outside = (weights.sum(axis=0) - weights[member_indices].sum(axis=0)) / max(1, len(weights) - len(member_indices))
    order = np.argsort(outside - inside, kind="stable")[:_TELLING_WORDS]
    return tuple(words[word_index] for word_index in order if inside[word_index] > outside[word_index])


def _embed_messages(embed: Embedding, messages: Sequence[str]) -> NDArray[np.float64]:
    if not messages:
        return np.zeros((0, 1))
    vectors = np.asarray(embed(messages), dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) != len(messages) or not np.isfinite(vectors).all():
        raise StatisticsError(
            f"The embedding has to give one vector of finite numbers for each of {len(messages)} messages, "
            f"and gave an array of shape {vectors.shape}."
        )
    return vectors
