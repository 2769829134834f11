# SPDX-License-Identifier: MIT
"""Markdown as the texts of this tree use it, as HTML: headings, paragraphs, lists, tables, fenced code, quotes,
`code`, **bold**, *emphasis*, [links](to) and ![pictures](of)."""
import html
import re

FENCE = re.compile(r"^```\s*(.*)$")
ITEM = re.compile(r"^(\s*)([-*]|\d+\.)\s+(.*)$")


def anchor(text):
    """The id of a heading, as GitHub makes it."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def inline(text, link):
    """One paragraph; link(target) is where a link leads to, or None if it leads nowhere."""
    kept = []

    def keep(markup):
        kept.append(markup)
        return f"\0{len(kept) - 1}\0"

    def linked(match):
        picture, label, target = match.groups()
        to = link(target)
        if picture:
            return keep(f'<img src="{html.escape(to or target)}" alt="{html.escape(label)}">')
        inner = inline(label, link)
        return keep(f'<a href="{html.escape(to)}">{inner}</a>') if to else inner

    text = re.sub(r"`` ?(.*?) ?``|`([^`]+)`", lambda m: keep(f"<code>{html.escape(m[1] or m[2])}</code>"), text)
    text = re.sub(r"(!?)\[([^]]*)\]\(([^)\s]+)\)", linked, text)
    text = html.escape(text, quote=False)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"<em>\1</em>", text)
    while re.search("\0\\d+\0", text):
        text = re.sub("\0(\\d+)\0", lambda m: kept[int(m[1])], text)
    return text


def cells(line):
    """Of a row of a table; a bar after a backslash is text."""
    inner = line.strip().strip("|")
    return [one.strip().replace("\\|", "|") for one in re.split(r"(?<!\\)\|", inner)]


def table(rows, link):
    head, rule, body = cells(rows[0]), cells(rows[1]), rows[2:]
    right = [one.endswith(":") for one in rule]

    def row(tag, values):
        return "<tr>" + "".join(
            f"<{tag}{' class=right' if i < len(right) and right[i] else ''}>{inline(one, link)}</{tag}>"
            for i, one in enumerate(values)) + "</tr>"

    top = f"<thead>{row('th', head)}</thead>" if any(head) else ""
    return f"<div class=scroll><table>{top}<tbody>{''.join(row('td', cells(one)) for one in body)}</tbody></table></div>"


def items(lines, link):
    """A list; lines that stand further to the right belong to the item before."""
    first = ITEM.match(lines[0])
    depth, tag = len(first[1]), "ol" if first[2][0].isdigit() else "ul"
    groups = []
    for line in lines:
        match = ITEM.match(line)
        if match and len(match[1]) <= depth:
            groups.append([match[3]])
        else:
            groups[-1].append(line[depth + 2:] if line[:depth + 2].isspace() else line.strip())
    return f"<{tag}>{''.join('<li>' + convert(group, link, True) + '</li>' for group in groups)}</{tag}>"


def take(lines, i, wanted):
    """The end of the lines from i on that are wanted."""
    while i < len(lines) and wanted(lines[i]):
        i += 1
    return i


def is_text(line):
    return bool(line.strip()) and not re.match(r"^(#{1,4} |```|\||> )", line) and not ITEM.match(line)


def block(lines, i, link):
    """HTML of the block that begins at line i, and where the next one begins."""
    line = lines[i]
    fence = FENCE.match(line)
    if fence:
        end = take(lines, i + 1, lambda one: not FENCE.match(one))
        return f"<pre><code>{html.escape(chr(10).join(lines[i + 1:end]), quote=False)}</code></pre>", end + 1
    head = re.match(r"^(#{1,4}) (.*)$", line)
    if head:
        level = len(head[1])
        return f'<h{level} id="{anchor(head[2])}">{inline(head[2], link)}</h{level}>', i + 1
    if line.startswith("|") and i + 1 < len(lines) and re.match(r"^\|[\s:|-]+$", lines[i + 1]):
        end = take(lines, i, lambda one: one.startswith("|"))
        return table(lines[i:end], link), end
    if line.startswith("> "):
        end = take(lines, i, lambda one: one.startswith(">"))
        return f"<blockquote>{convert([one[2:] for one in lines[i:end]], link)}</blockquote>", end
    if line.startswith("    "):
        end = take(lines, i, lambda one: one.startswith("    "))
        return f"<pre><code>{html.escape(chr(10).join(one[4:] for one in lines[i:end]), quote=False)}</code></pre>", end
    if ITEM.match(line):
        def wanted(one):
            return bool(ITEM.match(one)) or one.startswith("  ")
        end = take(lines, i, wanted)
        return items(lines[i:end], link), end
    end = max(i + 1, take(lines, i, is_text))
    return f"<p>{inline(' '.join(one.strip() for one in lines[i:end]), link)}</p>", end


def convert(lines, link, tight=False):
    """HTML of these lines; tight: one paragraph alone stands without <p>."""
    out, i = [], 0
    while i < len(lines):
        if not lines[i].strip() or lines[i].startswith("<!--"):
            i += 1
            continue
        markup, i = block(lines, i, link)
        out.append(markup)
    if tight and out and out[0].startswith("<p>"):
        out[0] = out[0][3:-4]
    return "\n".join(out)
