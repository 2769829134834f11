# SPDX-License-Identifier: MIT
"""A plot as SVG: lines over sizes by logarithm, from zero on, readable on a light and on a dark page."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 130, 34, 44
COLOURS = ("#3b82d0", "#d9822b", "#3f9f5f", "#a05fc0")
APART = 15  # Pixels between the names of lines.
STYLE = """text { font: 12px sans-serif; fill: #57606a }
.grid { stroke: #8c959f; stroke-opacity: .3 }
.line { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) { text { fill: #a5adb6 } }"""


def ticks(most):
    """Round numbers from zero to at least 'most', three to six of them."""
    step = 10 ** math.floor(math.log10(most / 3))
    step *= next(factor for factor in (1, 2, 2.5, 5, 10) if most / (step * factor) <= 5)
    return [step * i for i in range(math.ceil(most / step) + 1)]


def spread(places):
    """The same places in the same order, but no two of them closer than APART."""
    out, last = {}, -math.inf
    for place, key in sorted(places):
        last = max(place, last + APART)
        out[key] = last
    over = max(0, last - (HEIGHT - BOTTOM + 4))
    return {key: place - over for key, place in out.items()}


def plot(unit, about, sizes, lines):
    """'sizes': pairs of a number and its name; 'lines': a figure, or None, for each of them, by the name of
    the line."""
    marks = ticks(max(figure for line in lines.values() for figure in line if figure is not None))
    first, last = math.log(sizes[0][0]), math.log(sizes[-1][0])

    def x(size):
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (math.log(size) - first) / (last - first), 1)

    def y(figure):
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * figure / marks[-1], 1)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
           f"<style>{STYLE}</style>", f'<text x="8" y="18">{escape(unit)}</text>',
           f'<text x="{(LEFT + WIDTH - RIGHT) // 2}" y="{HEIGHT - 6}" text-anchor="middle">{escape(about)}</text>']
    for mark in marks:
        out += [f'<path class="grid" d="M{LEFT} {y(mark)}H{WIDTH - RIGHT}"/>',
                f'<text x="{LEFT - 8}" y="{y(mark) + 4}" text-anchor="end">{mark:g}</text>']
    out += [f'<text x="{x(size)}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{name}</text>'
            for size, name in sizes]
    points_of = {name: [(x(size), y(figure)) for (size, _), figure in zip(sizes, line) if figure is not None]
                 for name, line in lines.items()}
    names = spread([(points[-1][1] + 4, name) for name, points in points_of.items() if points])
    for colour, (name, points) in zip(COLOURS, points_of.items()):
        if not points:
            continue
        out.append(f'<path class="line" stroke="{colour}" d="M' + "L".join(f"{a} {b}" for a, b in points) + '"/>')
        out += [f'<circle cx="{a}" cy="{b}" r="3" fill="{colour}"/>' for a, b in points]
        out.append(f'<text x="{WIDTH - RIGHT + 10}" y="{names[name]}" style="fill:{colour}">{escape(name)}</text>')
    return "\n".join([*out, "</svg>", ""])
