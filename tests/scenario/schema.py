# SPDX-License-Identifier: MIT
"""Checks JSON against the part of JSON Schema (draft 2020-12) that
doc/collectorctl.schema.json uses; a word that is not known here is an error, and
so is a field that the schema does not describe: the schema leaves room for what
comes later, the test does not."""

WORDS = {"$defs", "$ref", "$schema", "title", "description", "type", "required", "properties",
         "additionalProperties", "items", "enum", "const", "minimum", "anyOf"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
         "number": (int, float), "integer": int}


def is_of(value, name):
    """Whether it is of that type; true and false are no numbers."""
    if isinstance(value, bool) and name != "boolean":
        return False
    return isinstance(value, TYPES[name])


def object_faults(schema, root, value, place):
    """What is wrong with the members of an object."""
    known = schema.get("properties", {})
    for key in schema.get("required", []):
        if key not in value:
            yield f"{place}: '{key}' is lacking"
    for key, member in value.items():
        inner = known.get(key, schema.get("additionalProperties"))
        if inner is None:
            yield f"{place}: '{key}' is not described"
        else:
            yield from faults(inner, root, member, f"{place}/{key}")


def faults(schema, root, value, place=""):
    """Every fault of 'value', a sentence each; 'root' has the $defs."""
    for word in schema:
        if word not in WORDS:
            raise ValueError(f"the schema has '{word}', which is not checked")
    if "$ref" in schema:
        yield from faults(root["$defs"][schema["$ref"].rpartition("/")[2]], root, value, place)
    if "anyOf" in schema:
        tried = [list(faults(inner, root, value, place)) for inner in schema["anyOf"]]
        if all(tried):
            yield min(tried, key=len)[0]
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_of(value, name) for name in names):
        yield f"{place}: {value!r} is no {' or '.join(names)}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{place}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is none of {schema['enum']}"
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{place}: {value!r} is below {schema['minimum']}"
    if isinstance(value, dict) and ("properties" in schema or "additionalProperties" in schema):
        yield from object_faults(schema, root, value, place)
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            yield from faults(schema["items"], root, item, f"{place}/{i}")
