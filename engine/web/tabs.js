// Tabs: one panel is shown at a time, arrow keys go from tab to tab.

export class Tabs {
  /** list: the element with the tabs, each with `aria-controls`; chosen: called with a panel's id. */
  constructor(list, chosen) {
    /** The panel shown before the current one, if any. */
    this.before = undefined;
    this.tabs = [...list.querySelectorAll("[role=tab]")];
    this.chosen = chosen;
    for (const tab of this.tabs) tab.addEventListener("click", () => this.choose(tab));
    list.addEventListener("keydown", (event) => {
      const here = this.tabs.indexOf(document.activeElement);
      const last = this.tabs.length - 1;
      const next = {
        ArrowRight: here === last ? 0 : here + 1, ArrowLeft: here === 0 ? last : here - 1,
        Home: 0, End: last,
      }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.choose(this.tabs[next]);
      this.tabs[next].focus();
    });
  }

  choose(tab) {
    for (const other of this.tabs) {
      const isChosen = other === tab;
      other.setAttribute("aria-selected", String(isChosen));
      other.tabIndex = isChosen ? 0 : -1;
      document.getElementById(other.getAttribute("aria-controls")).hidden = !isChosen;
    }
    const panel = tab.getAttribute("aria-controls");
    if (panel !== this.current) this.before = this.current;
    this.current = panel;
    this.chosen(this.current);
  }

  open(id) {
    this.choose(this.tabs.find((tab) => tab.getAttribute("aria-controls") === id) ?? this.tabs[0]);
  }
}
