from __future__ import annotations

from benchwright_formal.correspondence import aiger_interface, reference_allows_candidate_starts

NAMES = b"i0 clk\ni1 d\nl0 q\no0 q\nc\nmade by hand\n"
UNKNOWN = b"aig 3 2 1 1 0\n4 6\n6\n" + NAMES
ZERO = b"aig 3 2 1 1 0\n4\n6\n" + NAMES
ONE = b"aig 3 2 1 1 0\n4 1\n6\n" + NAMES


def test_how_registers_begin_is_read_of_each_line() -> None:
    logics = [aiger_interface(circuit) for circuit in (UNKNOWN, ZERO, ONE)]
    assert [circuit_logic.register_initial_values for circuit_logic in logics if circuit_logic] == [
        ("x",),
        ("0",),
        ("1",),
    ]


def test_the_other_may_only_begin_as_the_reference_may() -> None:
    unknown_logic, zero, one_logic = (aiger_interface(circuit) for circuit in (UNKNOWN, ZERO, ONE))
    assert reference_allows_candidate_starts(unknown_logic, zero)
    assert reference_allows_candidate_starts(zero, zero)
    assert not reference_allows_candidate_starts(zero, unknown_logic)
    assert not reference_allows_candidate_starts(zero, one_logic)


def test_ports_must_be_the_same_in_their_order() -> None:
    assert not reference_allows_candidate_starts(aiger_interface(ZERO), aiger_interface(ZERO.replace(b"i1 d", b"i1 e")))


def test_what_is_no_circuit_corresponds_to_nothing() -> None:
    assert not reference_allows_candidate_starts(aiger_interface(ZERO), aiger_interface(b"hello"))
