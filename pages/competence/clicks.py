"""What is clicked on the competence map, and the frames around what is chosen, drawn by the browser itself.

Streamlit reports no click on a heatmap, and a figure with new frames in it would be sent and drawn anew, which takes
seconds for thousands of documents. So a small component listens to plotly's own click event, answers with the cell,
and lays the frames over the figure: a click moves them at once, and the figure stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.charts.theme import Theme
from pages.competence.layers import Panel

# The figure comes and goes by itself (it is drawn late, and anew in another theme), so it is looked for at each change
# of the page. A cell is [panel, column, row], the panel from the trace's `meta`; the one after the last panel holds the
# functions' means, one per row.
_SCRIPT = """
const kept = new WeakMap();

function start(root) {
  const mine = { plot: null, chosen: null, tell: null, before: null, cell: null, waiting: undefined, zoomed: -1e9 };
  const axis = (plot, letter, panel) => plot._fullLayout?.[`${letter}axis${panel ? panel + 1 : ""}`];

  const frame = (layer, plot, panel, column, row) => {
    const x = axis(plot, "x", panel), y = axis(plot, "y", panel);
    if (!x?.c2p || !y?.c2p) return;
    const span = (along, at) => {
      const all = along === x ? mine.chosen.columns[panel] : mine.chosen.rows;
      const [first, last] = at === null ? [0, all - 1] : [at, at];
      const ends = [along.c2p(first - 0.5), along.c2p(last + 0.5)].sort((a, b) => a - b);
      return [Math.max(0, ends[0]), Math.min(along._length, ends[1])];
    };
    const [left, right] = span(x, column), [top, bottom] = span(y, row);
    if (right <= left || bottom <= top) return;
    const box = document.createElement("div");
    box.className = "rr-frame";
    box.style.cssText = `position:absolute;box-sizing:content-box;border:2px solid ${mine.chosen.colour};` +
      `left:${x._offset + left - 1}px;top:${y._offset + top - 1}px;` +
      `width:${Math.max(0, right - left - 2)}px;height:${Math.max(0, bottom - top - 2)}px`;
    layer.append(box);
  };

  const draw = () => {
    const { plot, chosen } = mine;
    const ground = plot?.querySelector(".svg-container");
    if (!ground || !chosen) return;
    let layer = ground.querySelector(".rr-frames");
    if (!layer) {
      layer = document.createElement("div");
      layer.className = "rr-frames";
      layer.style.cssText = "position:absolute;inset:0;pointer-events:none";
      ground.append(layer);
    }
    layer.replaceChildren();
    if (chosen.row !== null) for (let at = 0; at < chosen.panels; at++) frame(layer, plot, at, null, chosen.row);
    if (chosen.column !== null) frame(layer, plot, chosen.panel, chosen.column, null);
  };

  const tell_in = (milliseconds) => {
    clearTimeout(mine.waiting);
    mine.waiting = setTimeout(() => {
      mine.waiting = undefined;
      mine.tell(mine.cell);
    }, milliseconds);
  };

  // The first click of two looks like any other: it is framed at once, but reported only when no second one follows.
  const clicked = (event) => {
    const point = event.points?.[0];
    if (!point || !mine.chosen || performance.now() - mine.zoomed < 600) return;
    if (mine.waiting !== undefined) return zoomed();
    mine.before = mine.chosen;
    const row = Math.round(point.y), panel = point.data.meta;
    const column = panel < mine.chosen.panels ? Math.round(point.x) : -1;
    mine.chosen = { ...mine.chosen, row, ...(column < 0 ? {} : { panel, column }) };
    draw();
    mine.cell = [panel, column, row];
    tell_in(mine.plot?._context?.doubleClickDelay ?? 300);
  };

  // A second press has begun: plotly says what it was when the button is let go, which a busy browser may do late.
  const pressed = () => {
    if (mine.waiting !== undefined) tell_in(1500);
  };

  // A double click zooms, and chooses nothing; nor does a third click right after it, on what now lies elsewhere.
  const zoomed = () => {
    mine.zoomed = performance.now();
    if (mine.waiting === undefined) return;
    clearTimeout(mine.waiting);
    mine.waiting = undefined;
    mine.chosen = mine.before;
    draw();
  };

  mine.look = () => {
    const found = document.querySelector(`.st-key-${mine.chosen.plot} .js-plotly-plot`);
    if (!found?.on) return;
    if (found !== mine.plot) {
      mine.plot = found;
      found.addEventListener("mousedown", pressed, true);
      found.on("plotly_click", clicked);
      found.on("plotly_doubleclick", zoomed);
      found.on("plotly_afterplot", draw);
    }
    draw();
  };
  // Only until the figure is there: looking at every change of a page would be looking all the time.
  const observer = new MutationObserver(() => {
    if (!mine.plot?.isConnected) mine.look();
  });
  observer.observe(document.body, { childList: true, subtree: true });
  mine.stop = () => {
    observer.disconnect();
    clearTimeout(mine.waiting);
    mine.plot?.removeEventListener("mousedown", pressed, true);
    mine.plot?.removeListener?.("plotly_click", clicked);
    mine.plot?.removeListener?.("plotly_doubleclick", zoomed);
    mine.plot?.removeListener?.("plotly_afterplot", draw);
    mine.plot?.querySelector(".rr-frames")?.remove();
    kept.delete(root);
  };
  return mine;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!kept.has(parentElement)) kept.set(parentElement, start(parentElement));
  const mine = kept.get(parentElement);
  mine.chosen = data;
  mine.tell = (cell) => setTriggerValue("clicked", cell);
  mine.look();
  return mine.stop;
}
"""


_component = st.components.v2.component("rulerank-competence", js=_SCRIPT, isolate_styles=False)


@dataclass(frozen=True)
class Click:
    """What a click on the map chose: a place among the functions, and one among the documents, None if it was a dot."""

    query: int
    document: int | None = None


def read_click(cell: object, panels: Sequence[Panel], functions: int) -> Click | None:
    """Return what the browser's [panel, column, row] stands for; None for what is not on this map.

    A column of several documents answers with the first of them.
    """
    if not isinstance(cell, Sequence) or len(cell) != 3 or not all(isinstance(each, int) for each in cell):
        return None
    panel, column, row = cell
    if not 0 <= row < functions or not 0 <= panel <= len(panels):
        return None
    if panel == len(panels):
        return Click(row)
    return Click(row, int(panels[panel].first[column])) if 0 <= column < panels[panel].columns else None


def frames(panels: Sequence[Panel], query: int | None, document: int | None) -> dict[str, Any]:
    """Return where the frames go: around a function's row in every panel, and a document's column in its own.

    They end where the cells do: a panel of few documents is wider than its cells.
    """
    columns = [None if document is None else panel.column_of(document) for panel in panels]
    place = next((number for number, column in enumerate(columns) if column is not None), None)
    return {
        "panels": len(panels),
        "columns": [panel.columns for panel in panels],
        "rows": int(panels[0].delta.shape[0]),
        "row": query,
        "panel": place,
        "column": None if place is None else columns[place],
    }


def follow(plot: str, where: Mapping[str, Any], theme: Theme, key: str, clicked: Callable[[object], None]) -> None:
    """Frame what is chosen on the figure within the container `plot`; `clicked(cell)` is called before the next run."""

    def tell() -> None:
        clicked((st.session_state.get(key) or {}).get("clicked"))

    _component(key=key, data={**where, "plot": plot, "colour": theme.lines[1]}, height=1, on_clicked_change=tell)
