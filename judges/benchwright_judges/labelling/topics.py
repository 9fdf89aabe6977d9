"""The topics that questions are sorted by, and the three that are likely for a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchwright_foundation.errors import explain_missing_extra
from benchwright_judges.errors import LabellingError
from benchwright_judges.labelling.instructions import Topic
from benchwright_problems.problem import Problem
from benchwright_problems.storage.labels import LabelKind, data_set_label

SHORTLIST_SIZE = 3
"""Topics that a model chooses from, as in QuArch (arXiv:2510.22087, appendix D.5)."""
_FEWEST_OWN = 3
"""From this many topics on, those of the pack's own questions are used."""
_EXAMPLES = 50
"""Questions of the data set's own topics that show what a topic's words are."""
_WORD = r"(?u)\b[^\W\d_]\w+\b"

COMPUTER_ARCHITECTURE = (
    Topic(
        "Processor Architecture", "pipeline, hazard, branch prediction, out-of-order, instruction set, register, ALU"
    ),
    Topic("Memory Systems", "cache, DRAM, virtual memory, page, TLB, write-back, associativity, prefetch, coherence"),
    Topic(
        "Interconnection Networks", "network on chip, router, topology, mesh, bus, flow control, deadlock, bandwidth"
    ),
    Topic("Storage Systems", "disk, SSD, flash, RAID, file system, NVMe, persistent storage, controller"),
    Topic("Parallel Processing", "multicore, thread, SIMD, GPU, vector, lock, consistency, barrier, warp"),
    Topic(
        "Accelerators", "neural network, systolic array, tensor, machine learning, domain-specific hardware, dataflow"
    ),
    Topic("Reconfigurable Architectures", "FPGA, CGRA, lookup table, bitstream, partial reconfiguration"),
    Topic(
        "Electronic Design Automation (EDA)", "synthesis, placement, routing, timing closure, Verilog, netlist, layout"
    ),
    Topic(
        "Performance Analysis", "benchmark, simulation, throughput, latency, speedup, Amdahl, CPI, roofline, workload"
    ),
    Topic(
        "Power and Energy", "dynamic power, leakage, voltage scaling, DVFS, thermal, clock gating, efficiency, battery"
    ),
    Topic("Security", "side channel, Spectre, enclave, encryption, trusted execution, attack, isolation"),
    Topic("Reliability", "fault tolerance, error correction, ECC, redundancy, soft error, parity, availability, yield"),
    Topic(
        "Emerging Technologies", "quantum, memristor, photonic, neuromorphic, in-memory computing, three-dimensional"
    ),
)
"""For packs whose questions have no topics of their own: names that textbooks use, with words in our selection."""


def own_topics_or_default(problems: Sequence[Problem]) -> tuple[Topic, ...]:
    """The topics of a pack's own questions if there are several, else those of computer architecture."""
    own_topics = sorted({topic for problem in problems if (topic := _stated_topic(problem))})
    known_topics = {topic.name: topic for topic in COMPUTER_ARCHITECTURE}
    return (
        tuple(known_topics.get(name, Topic(name)) for name in own_topics)
        if len(own_topics) >= _FEWEST_OWN
        else COMPUTER_ARCHITECTURE
    )


def read_topics(topics_file: Path) -> tuple[Topic, ...]:
    """Topics of a file: a line for each, `name` or `name: description`; lines that begin with # don't count.

    Raises:
        LabellingError: The file can't be read, a name is too long or comes twice, or there are fewer than two.
    """
    try:
        lines = topics_file.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LabellingError(
            f"{topics_file} can't be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}"
        ) from error
    topics: dict[str, Topic] = {}
    for number, line in enumerate(lines, start=1):
        name, _, description = (part.strip() for part in line.partition(":"))
        if not line.strip() or name.startswith("#"):
            continue
        try:
            LabelKind.TOPIC.require_value(name)
        except ValueError as error:
            raise LabellingError(f"{topics_file}:{number}: a topic's name {error}") from error
        if name.casefold() in topics:
            raise LabellingError(f"{topics_file}:{number}: the topic {name!r} is there already")
        topics[name.casefold()] = Topic(name, description)
    if len(topics) < 2:
        raise LabellingError(
            f"{topics_file} has fewer than two topics; write one a line, as `name: words that tell it`"
        )
    return tuple(topics.values())


def question_text(problem: Problem) -> str:
    """Text that is compared with topics: the statement and the choices."""
    question = problem.public.question
    return "\n".join([problem.public.statement, *(choice.text for choice in (question.choices if question else ()))])


def shortlists_by_tf_idf(
    questions: Sequence[Problem], topics: Sequence[Topic], pack_problems: Sequence[Problem]
) -> Mapping[str, tuple[Topic, ...]]:
    """Problem → its likely topics, likeliest first, by the cosine of TF-IDF vectors (Salton & Buckley 1988).

    Args:
        questions: Questions to sort.
        topics: Topics to choose from.
        pack_problems: The pack; its other questions whose topic the data set states give their topic its words.

    Returns:
        Nothing for a question that shares no word with any topic.

    Raises:
        ExtraMissingError: scikit-learn is not installed.
    """
    with explain_missing_extra("Sorting questions by topic", "baselines"):
        # It takes a second to import.
        from sklearn.feature_extraction.text import TfidfVectorizer

    sorted_now = {problem.id for problem in questions}
    # A question that is its own example would always be most like the topic that the data set states.
    examples = [problem for problem in pack_problems if problem.id not in sorted_now]
    described = [_topic_text_with_questions(topic, examples) for topic in topics]
    question_texts = [question_text(problem) for problem in questions]
    vectors = TfidfVectorizer(stop_words="english", sublinear_tf=True, token_pattern=_WORD)
    try:
        matrix = vectors.fit_transform([*described, *question_texts])
    except ValueError:
        # There is not a single word.
        return {}
    similarity_matrix = (matrix[len(topics) :] @ matrix[: len(topics)].T).toarray()
    return {
        problem.id: tuple(
            topics[index]
            for index in sorted(range(len(topics)), key=lambda topic_index: -similarities[topic_index])[:SHORTLIST_SIZE]
        )
        for problem, similarities in zip(questions, similarity_matrix, strict=True)
        if similarities.max() > 0
    }


def _topic_text_with_questions(topic: Topic, pack_problems: Sequence[Problem]) -> str:
    examples = [question_text(problem) for problem in pack_problems if _stated_topic(problem) == topic.name][:_EXAMPLES]
    # The name counts as much as an example.
    return "\n".join([topic.name, topic.description, *examples])


def _stated_topic(problem: Problem) -> str:
    return data_set_label(problem, LabelKind.TOPIC)
