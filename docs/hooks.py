"""Pages that are made when the documentation is built: the front page from README.md, model cards from their JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent


def on_files(files: Files, config: Any) -> Files:
    files.append(File.generated(config, "index.md", content=_page("README.md")))
    files.append(File.generated(config, "contributing.md", content=_page("CONTRIBUTING.md")))
    files.append(File.generated(config, "model-cards.md", content=_model_cards()))
    return files


def _page(name: str) -> str:
    """A page from the top folder; its links into docs/ are links beside it here."""
    return (ROOT / name).read_text().replace("](docs/", "](").replace("](CONTRIBUTING.md)", "](contributing.md)")


def _model_cards() -> str:
    """One section for each shipped weights file."""
    parts = ["# Models\n\nEvery weights file in the package, from its own card.\n"]
    for path in sorted((ROOT / "src/lgs/weights").glob("*.json")):
        card = json.loads(path.read_text())
        rows = [f"| {key.replace('_', ' ')} | {_cell(value)} |" for key, value in card.items()]
        parts.append(f"## {path.stem}\n\n| | |\n|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _cell(value: object) -> str:
    if isinstance(value, dict | list):
        return f"<details><summary>shown as JSON</summary><code>{json.dumps(value)}</code></details>"
    return str(value)
