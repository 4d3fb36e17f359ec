"""Arithmetic: what `is/2` and the comparisons evaluate.

Functions take and give Python numbers. Integers are unbounded in Prolog; here those beyond a million bits
are a resource error, and work on large ones is charged. A float that is infinite or not a number is an error
when an operation makes it, as by SWI-Prolog's default flags; only the constants `inf` and `nan` stand for such
values. Nothing depends on the clock or on chance, so `random` and `cputime` are not evaluable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from maxsynth.prolog.clauses import dereference
from maxsynth.prolog.iso_errors import (
    domain_error,
    evaluation_error,
    indicator,
    instantiation_error,
    resource_error,
    type_error,
)
from maxsynth.prolog.terms import NIL, Atom, String, Struct, Term, Var

if TYPE_CHECKING:
    from maxsynth.prolog.interpreter.interpreter import Machine

Number: TypeAlias = "int | float"

MOST_BITS = 1_000_000
LARGE = 1 << 512


def evaluate(machine: Machine, term: Term) -> Number:
    """The value of an expression. Arguments are evaluated from right to left, as SWI-Prolog does."""
    term = dereference(term)
    if type(term) is int or type(term) is float:
        return term
    if type(term) is Struct and len(term.args) == 2:
        # The common case first: an operation on two numbers.
        x, y = dereference(term.args[0]), dereference(term.args[1])
        if (type(x) is int or type(x) is float) and (type(y) is int or type(y) is float):
            function = BINARY.get(term.name)
            if function is not None:
                return apply(machine, function, (x, y))
    return evaluate_nested(machine, term)


def evaluate_nested(machine: Machine, term: Term) -> Number:
    """Evaluates with an explicit stack: first all in prefix order, then functions as they come off it."""
    pending: list[Term] = [term]
    order: list[Term] = []
    values: list[Number] = []
    while pending or order:
        if pending:
            term = dereference(pending.pop())
            machine.charge(1)
            if type(term) is Struct and term.args and term.name != "[|]":
                # Entered below its arguments, which are then taken from right to left.
                order.append(term)
                pending.append(MARK)
                pending += term.args
                continue
            if term is not MARK:
                values.append(constant(term))
                continue
        whole = order.pop()
        assert isinstance(whole, Struct)
        count = len(whole.args)
        args = values[: -count - 1 : -1]
        del values[-count:]
        function = EVALUABLE.get((whole.name, count))
        if function is None:
            raise type_error("evaluable", indicator(whole.name, count))
        if function is modular_power:
            values.append(apply_modular_power(machine, args))
        else:
            values.append(apply(machine, function, args))
    return values[0]


MARK = Struct("end of arguments", ())


def constant(term: Term) -> Number:
    if type(term) is int or type(term) is float:
        return term
    if type(term) is Var:
        raise instantiation_error()
    if type(term) is Atom:
        if term is NIL:
            raise type_error("evaluable", term)
        value = CONSTANTS.get(term.name)
        if value is None:
            raise type_error("evaluable", indicator(term.name, 0))
        return value
    if type(term) is String:
        if len(term.text) == 1:
            return ord(term.text)
        raise type_error("[]", term)
    assert type(term) is Struct
    if not term.args:
        raise type_error("evaluable", term)
    return one_element(term)


def one_element(term: Struct) -> int:
    """`[X]` is the code of the character X."""
    item, rest = dereference(term.args[0]), dereference(term.args[1])
    if type(item) is Var:
        raise instantiation_error()
    if type(item) is Atom and len(item.name) == 1:
        code = ord(item.name)
    elif type(item) is int and 0 <= item <= 0x10FFFF:
        code = item
    else:
        raise type_error("character", item)
    if rest is not NIL:
        raise type_error("[]", term)
    return code


def apply(machine: Machine, function: Callable[..., Number], args: Sequence[Number]) -> Number:
    """Calls a function; work on large integers is charged before and their size limited after."""
    for arg in args:
        if (arg > LARGE or arg < -LARGE) and type(arg) is int:
            words = [number.bit_length() >> 6 for number in args if type(number) is int]
            machine.charge(math.prod(words) >> 10)
            break
    value = function(*args)
    if (value > LARGE or value < -LARGE) and type(value) is int:
        size_limit(value.bit_length())
        machine.charge(value.bit_length() >> 8)
    return value


def apply_modular_power(machine: Machine, args: Sequence[Number]) -> int:
    """powm/3 multiplies numbers as long as the modulus, about as often as the exponent has bits."""
    exponent, modulus = args[1], args[2]
    if type(exponent) is int and type(modulus) is int:
        machine.charge(exponent.bit_length() * (modulus.bit_length() >> 6) ** 2 >> 10)
    return modular_power(*args)


def checked(value: float) -> float:
    """The result of a float operation, which must be finite."""
    if value - value != 0:
        raise evaluation_error("undefined" if value != value else "float_overflow")
    return value


def to_float(x: Number) -> float:
    try:
        return float(x)
    except OverflowError:
        raise evaluation_error("float_overflow") from None


def need_integers(*numbers: Number) -> None:
    for number in numbers:
        if type(number) is not int:
            raise type_error("integer", number)


def size_limit(bits: int) -> None:
    if bits > MOST_BITS:
        raise resource_error("memory")


# The operators


def add(x: Number, y: Number) -> Number:
    if type(x) is int and type(y) is int:
        return x + y
    return checked(to_float(x) + to_float(y))


def subtract(x: Number, y: Number) -> Number:
    if type(x) is int and type(y) is int:
        return x - y
    return checked(to_float(x) - to_float(y))


def multiply(x: Number, y: Number) -> Number:
    if type(x) is int and type(y) is int:
        size_limit(x.bit_length() + y.bit_length())
        return x * y
    return checked(to_float(x) * to_float(y))


def divide(x: Number, y: Number) -> Number:
    """`/`: an integer when both are integers and the division has no rest."""
    if type(x) is int and type(y) is int:
        if y == 0:
            raise evaluation_error("zero_divisor")
        if x % y == 0:
            return x // y
        try:
            return x / y
        except OverflowError:
            raise evaluation_error("float_overflow") from None
    if y == 0:
        raise evaluation_error("undefined" if x == 0 or x != x else "zero_divisor")
    if type(x) is int and y in (math.inf, -math.inf):
        return 0
    return checked(to_float(x) / to_float(y))


def integer_operation(function: Callable[[int, int], int], divides: bool = False) -> Callable[..., int]:
    def apply(x: Number, y: Number) -> int:
        if type(x) is not int or type(y) is not int:
            need_integers(x, y)
        if divides and y == 0:
            raise evaluation_error("zero_divisor")
        return function(x, y)  # type: ignore[arg-type]

    return apply


def truncated_quotient(x: int, y: int) -> int:
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def shift_left(x: int, y: int) -> int:
    if y < 0:
        return x >> -y
    if x:
        size_limit(x.bit_length() + y)
        return x << y
    return 0


def power(x: Number, y: Number) -> Number:
    """`**` and `^`, which are the same unless the flag iso or prefer_rationals is set."""
    if (type(x) is int and x == 1) or y == 0:
        return 1
    if x == 0 and y < 0:
        raise evaluation_error("zero_divisor")
    if type(x) is int and type(y) is int:
        if x in (0, -1):
            return x if x == 0 or y % 2 else 1
        if y > 0:
            size_limit((x.bit_length() - 1) * y)
            return int(x**y)
    try:
        return checked(math.pow(x, y))
    except OverflowError:
        raise evaluation_error("float_overflow") from None
    except ValueError:
        raise evaluation_error("undefined") from None


def modular_power(x: Number, y: Number, z: Number) -> int:
    need_integers(x)
    exponent, modulus = natural(y), natural(z)
    if modulus == 0:
        raise evaluation_error("zero_divisor")
    if exponent.bit_length() * modulus.bit_length() ** 2 > MOST_BITS**2:
        raise resource_error("memory")
    return pow(int(x), exponent, modulus)


def larger(x: Number, y: Number) -> Number:
    if x == y:
        return y if type(x) is int else x
    return x if x > y or y != y else y


def smaller(x: Number, y: Number) -> Number:
    if x == y:
        return y if type(x) is int else x
    return x if x < y or y != y else y


def sign(x: Number) -> Number:
    unit = (x > 0) - (x < 0)
    return unit if type(x) is int else float(unit)


def copy_sign(x: Number, y: Number) -> Number:
    if type(x) is int:
        return abs(x) if math.copysign(1.0, to_float(y)) > 0 else -abs(x)
    return math.copysign(x, to_float(y))


def next_toward(x: Number, y: Number) -> float:
    """The neighbour of x in the direction of y: the bit pattern of a float, read as an integer, counts them."""
    start, goal = to_float(x), to_float(y)
    if start == goal:
        return start
    if start == 0:
        return math.copysign(5e-324, goal)
    away = (goal > start) == (start > 0)
    mantissa, exponent = math.frexp(abs(start))
    if not away and mantissa == 0.5:
        exponent -= 1
    step = max(math.ldexp(1.0, max(exponent - 53, -1074)), 5e-324)
    return checked(math.copysign(abs(start) + (step if away else -step), start))


# Rounding and bits


def rounding(function: Callable[[float], int]) -> Callable[[Number], Number]:
    """A function from floats to integers; infinities and NaN, which have none, stay as they are."""

    def apply(x: Number) -> Number:
        return x if type(x) is int or x - x != 0 else function(x)

    return apply


def nearest(x: float) -> int:
    whole = math.trunc(x)
    return whole + (1 if x > 0 else -1) if abs(x - whole) >= 0.5 else whole


def float_integer_part(x: Number) -> Number:
    return x if type(x) is int else checked(math.copysign(float(math.trunc(checked(x))), x))


def float_fractional_part(x: Number) -> Number:
    if type(x) is int:
        return 0
    return 0.0 if x in (math.inf, -math.inf) else checked(math.fmod(x, 1.0))


def positive_integer(x: Number) -> int:
    need_integers(x)
    if x <= 0:
        raise domain_error("not_less_than_one", x)
    return int(x)


def natural(x: Number) -> int:
    need_integers(x)
    if x < 0:
        raise domain_error("not_less_than_zero", x)
    return int(x)


def get_bit(x: Number, y: Number) -> int:
    return natural(x) >> natural(y) & 1


def complement(x: Number) -> int:
    need_integers(x)
    return ~int(x)


# Functions of floats


def real(function: Callable[..., float]) -> Callable[..., float]:
    """A function of math; its errors become Prolog's. An infinite argument counts as an overflow."""

    def apply(*numbers: Number) -> float:
        try:
            return checked(function(*[checked(to_float(number)) for number in numbers]))
        except ValueError:
            raise evaluation_error("undefined") from None
        except OverflowError:
            raise evaluation_error("float_overflow") from None
        except ZeroDivisionError:
            raise evaluation_error("zero_divisor") from None

    return apply


def logarithm(function: Callable[[Any], float]) -> Callable[[Number], float]:
    """Logarithms reach minus infinity at 0, and are exact for integers too large to be floats."""

    def apply(x: Number) -> float:
        if x == 0:
            raise evaluation_error("float_overflow")
        if x < 0:
            raise evaluation_error("undefined")
        return checked(function(x))

    return apply


def logarithm_to_base(base: Number, x: Number) -> Number:
    return divide(logarithm(math.log)(x), logarithm(math.log)(base))


def inverse_hyperbolic_tangent(x: float) -> float:
    if abs(x) == 1:
        raise OverflowError
    return math.atanh(x)


def log_gamma(x: float) -> float:
    if x <= 0 and x == math.floor(x):
        raise OverflowError
    return math.lgamma(x)


def absolute(x: Number) -> Number:
    return abs(x)


BINARY: dict[str, Callable[[Any, Any], Number]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "//": integer_operation(truncated_quotient, divides=True),
    "mod": integer_operation(lambda x, y: x % y, divides=True),
    "rem": integer_operation(lambda x, y: x - y * truncated_quotient(x, y), divides=True),
    "div": integer_operation(lambda x, y: x // y, divides=True),
    "min": smaller,
    "max": larger,
    "**": power,
    "^": power,
    ">>": integer_operation(lambda x, y: shift_left(x, -y)),
    "<<": integer_operation(shift_left),
    "/\\": integer_operation(lambda x, y: x & y),
    "\\/": integer_operation(lambda x, y: x | y),
    "xor": integer_operation(lambda x, y: x ^ y),
    "gcd": integer_operation(math.gcd),
    "lcm": integer_operation(math.lcm),
    "atan2": real(math.atan2),
    "atan": real(math.atan2),
    "copysign": copy_sign,
    "nexttoward": next_toward,
    "log": logarithm_to_base,
    "plus": add,
    "getbit": get_bit,
}

UNARY: dict[str, Callable[[Any], Number]] = {
    "-": lambda x: -x,
    "+": lambda x: x,
    "\\": complement,
    "abs": absolute,
    "sign": sign,
    "succ": lambda x: add(x, 1),
    "msb": lambda x: positive_integer(x).bit_length() - 1,
    "lsb": lambda x: (positive_integer(x) & -x).bit_length() - 1,
    "popcount": lambda x: bin(natural(x)).count("1"),
    "sqrt": real(math.sqrt),
    "sin": real(math.sin),
    "cos": real(math.cos),
    "tan": real(math.tan),
    "asin": real(math.asin),
    "acos": real(math.acos),
    "atan": real(math.atan),
    "sinh": real(math.sinh),
    "cosh": real(math.cosh),
    "tanh": real(math.tanh),
    "asinh": real(math.asinh),
    "acosh": real(math.acosh),
    "atanh": real(inverse_hyperbolic_tangent),
    "cot": real(lambda x: 1 / math.tan(x)),
    "acot": real(lambda x: math.atan(1 / x)),
    "exp": real(math.exp),
    "log": logarithm(math.log),
    "log2": logarithm(math.log2),
    "log10": logarithm(math.log10),
    "lgamma": real(log_gamma),
    "erf": real(math.erf),
    "erfc": real(math.erfc),
    "ceiling": rounding(math.ceil),
    "ceil": rounding(math.ceil),
    "floor": rounding(math.floor),
    "round": rounding(nearest),
    "integer": rounding(nearest),
    "truncate": rounding(math.trunc),
    "trunc": rounding(math.trunc),
    "float": lambda x: checked(to_float(x)),
    "float_integer_part": float_integer_part,
    "float_fractional_part": float_fractional_part,
}

EVALUABLE: dict[tuple[str, int], Callable[..., Number]] = {
    **{(name, 1): function for name, function in UNARY.items()},
    **{(name, 2): function for name, function in BINARY.items()},
    ("powm", 3): modular_power,
}

CONSTANTS: dict[str, Number] = {
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "infinite": math.inf,
    "nan": math.nan,
    "epsilon": 2.220446049250313e-16,
    "max_tagged_integer": (1 << 60) - 1,
    "min_tagged_integer": -(1 << 60),
    "max_integer": (1 << 63) - 1,
    "min_integer": -(1 << 63),
}


def compare_values(machine: Machine, left: Term, right: Term) -> tuple[Number, Number]:
    """Both values, the left first; an integer is made a float when the other is one."""
    x, y = evaluate(machine, left), evaluate(machine, right)
    if type(x) is not type(y):
        return to_float(x), to_float(y)
    return x, y
