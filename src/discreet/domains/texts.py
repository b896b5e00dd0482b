"""Texts and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from discreet.domains.base import FOREIGN, Keys, listed, only

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Bytes", "Texts"]

_LAST: Final = 0x10FFFF


@final
@dataclass(frozen=True, slots=True)
class Texts(Keys):
    """Texts of Unicode characters. Halves of surrogate pairs are no characters, and have no bytes in UTF-8.

    An array of them comes out with NumPy's ``StringDType``, which has no width.

    >>> "a" in Texts(), b"a" in Texts(), np.str_("a") in Texts(), chr(0xD800) in Texts()
    (True, False, True, False)
    """

    def canonical(self, x: object, /) -> Any:
        """Return a str."""
        if type(x) is np.str_:
            x = x.item()
        return x if type(x) is str and _encodable(x) else FOREIGN

    def many(self, xs: list[Any] | NDArray[Any], /) -> Any:
        """Return texts, quickly where their types say that they are."""
        if isinstance(xs, np.ndarray) and xs.dtype.kind == "U":
            return _fixed(xs)
        found = listed(xs)
        if only(str, found):
            if not _encodable("".join(found)):
                return FOREIGN
            return self.array(found) if isinstance(xs, np.ndarray) else found
        return Keys.many(self, xs)

    def array(self, keys: list[Any] | NDArray[Any], /) -> NDArray[Any]:
        """Return an array of texts without a width."""
        return np.array(keys, np.dtypes.StringDType())


@final
@dataclass(frozen=True, slots=True)
class Bytes(Keys):
    """Strings of bytes. An array of them comes out with Python's own, as NumPy's lose zeros at their ends.

    >>> b"a" in Bytes(), "a" in Bytes(), bytearray(b"a") in Bytes()
    (True, False, False)
    """

    def canonical(self, x: object, /) -> Any:
        """Return bytes."""
        if type(x) is np.bytes_:
            x = x.item()
        return x if type(x) is bytes else FOREIGN


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _fixed(texts: NDArray[Any]) -> Any:
    """Return an array of texts of one width as it is, or FOREIGN if one has what is no character."""
    native = np.ascontiguousarray(texts.astype(texts.dtype.newbyteorder("="), copy=False))
    if not native.size or not native.dtype.itemsize:
        return native
    letters = native.view(np.uint32)
    if int(letters.max()) >= 0xD800 and bool(((letters >> 11 == 0xD800 >> 11) | (letters > _LAST)).any()):
        return FOREIGN
    return native
