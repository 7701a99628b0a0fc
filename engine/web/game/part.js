// A part of the page has the desk and the functions of the page.

export class Part {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {import("../views/main.js").Parts} page
   */
  constructor(desk, page) {
    this.desk = desk;
    this.page = page;
    this.say = page.say;
    this.redraw = page.redraw;
  }
}
