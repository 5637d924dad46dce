"""Reads pairs of a type's name and a value from standard input, as JSON, and fails if a value does not have the type exactly."""
import json
import sys
import types
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from housebill_client import api_types


def check(wanted: Any, value: Any, place: str) -> None:
    origin = get_origin(wanted)
    if origin is NotRequired:
        check(get_args(wanted)[0], value, place)
    elif origin in (Union, types.UnionType):
        if not any(fits(each, value) for each in get_args(wanted)):
            raise AssertionError(f"{place}: {value!r} fits none of {wanted}")
    elif origin is Literal:
        if value not in get_args(wanted):
            raise AssertionError(f"{place}: {value!r} is none of {get_args(wanted)}")
    elif origin is list:
        if not isinstance(value, list):
            raise AssertionError(f"{place}: {value!r} is no list")
        for index, each in enumerate(value):
            check(get_args(wanted)[0], each, f"{place}[{index}]")
    elif origin is dict:
        if not isinstance(value, dict):
            raise AssertionError(f"{place}: {value!r} is no dict")
        for name, each in value.items():
            check(get_args(wanted)[1], each, f"{place}.{name}")
    elif is_typeddict(wanted):
        if not isinstance(value, dict):
            raise AssertionError(f"{place}: {value!r} is no {wanted.__name__}")
        hints = get_type_hints(wanted, include_extras=True)
        missing = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired and name not in value]
        unknown = [name for name in value if name not in hints]
        if missing or unknown:
            raise AssertionError(f"{place}: {missing} are missing, {unknown} are unknown")
        for name, each in value.items():
            check(hints[name], each, f"{place}.{name}")
    elif wanted is not Any and type(value) not in ((int, float) if wanted is float else (wanted,)):
        raise AssertionError(f"{place}: {value!r} is no {wanted}")


def fits(wanted: Any, value: Any) -> bool:
    try:
        check(wanted, value, "")
    except AssertionError:
        return False
    return True


count = 0
for name, value in json.load(sys.stdin):
    is_list = name.startswith("list[")
    wanted = getattr(api_types, name.removeprefix("list[").removesuffix("]"))
    check(list[wanted] if is_list else wanted, value, name)
    count += 1
if fits(api_types.Address, {"addressLine1": 1}):
    raise AssertionError("the check finds nothing")
print(count)
