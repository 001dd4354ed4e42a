"""Code compiled for AVX2 or AVX-512 never lands in another instruction set's calls.

A function template compiled in two of these objects becomes one weak symbol, and the linker keeps
whichever it sees first: a baseline machine would then run AVX-512 code. So every weak symbol of an
ISA object must belong to that ISA alone: it names the ISA's namespace or its pack type.
"""

import re
import subprocess

import pytest
from tree import ROOT, tool

# Bytes of a register: the pack types of an ISA are Pack<float, bytes/4> and Pack<double, bytes/8>.
REGISTERS = {"avx2": 32, "avx512": 64}


def objects(isa):
    roots = [ROOT / "build"]
    return [
        o for r in roots if r.is_dir() for o in r.rglob("*.o") if f"flexor_isa_{isa}.dir" in str(o)
    ]


def weak_symbols(obj):
    """Demangled weak definitions. nm marks them W, V or u."""
    done = subprocess.run(
        ["nm", "-C", "--defined-only", str(obj)],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = (re.match(r"^[0-9a-f]*\s+([WVu])\s+(.*)$", line) for line in done.stdout.splitlines())
    return [m.group(2) for m in lines if m]


def own_symbols(isa):
    """What a weak symbol of this instruction set must name."""
    size = REGISTERS[isa]
    return re.compile(rf"\b{isa}::|Pack<float, {size // 4}>|Pack<double, {size // 8}>")


def test_the_rule_itself():
    own = own_symbols("avx512")
    assert own.search("void flexor::factor<flexor::Pack<float, 16> >(int)")
    assert own.search("flexor::avx512::kKernels<double>")
    assert not own.search("void flexor::factor<flexor::Pack<float, 8> >(int)")
    assert not own.search(
        "std::vector<int, std::allocator<int> >::_M_default_append(unsigned long)"
    )


@pytest.mark.parametrize("isa", REGISTERS)
def test_weak_symbols_belong_to_one_isa(isa):
    if tool("nm") is None:
        pytest.skip("no nm")
    found = objects(isa)
    if not found:
        pytest.skip(f"no objects of {isa} under build/")
    own = own_symbols(isa)
    foreign = sorted({s for o in found for s in weak_symbols(o) if not own.search(s)})
    assert not foreign, "\n".join(foreign[:40])
