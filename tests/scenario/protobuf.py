# SPDX-License-Identifier: MIT
"""Messages of protobuf, as bytes, for requests that no sender of ours would make."""


def size_of(number):
    """A number as a varint."""
    out = []
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def text(field, content):
    """A field with bytes, a text or a message."""
    return bytes([field << 3 | 2]) + size_of(len(content)) + content
