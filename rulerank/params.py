"""Parameters in scikit-learn's manner (`get_params`, `set_params`, a telling repr), without importing it."""

from __future__ import annotations

import inspect
from typing import Any, Self

from rulerank.errors import InputError


class Params:
    """Keeps each argument of `__init__` under the attribute of the same name."""

    name: str
    label: str

    @classmethod
    def _param_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments by name (`deep` is there for scikit-learn's sake)."""
        return {name: getattr(self, name) for name in self._param_names()}

    def set_params(self, **params: Any) -> Self:
        """Change some of the constructor's arguments and return the object."""
        known = self._param_names()
        for name, value in params.items():
            if name not in known:
                raise InputError(f"{type(self).__name__} has no parameter {name!r}; it has: {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {n: p.default for n, p in inspect.signature(type(self)).parameters.items()}
        changed = [f"{n}={v!r}" for n, v in self.get_params().items() if v is not defaults[n] and v != defaults[n]]
        return f"{type(self).__name__}({', '.join(changed)})"
