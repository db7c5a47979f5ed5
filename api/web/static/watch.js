// Shows a fixture in play as the arbiter tells it to spectators: hands face down, or, where its deals come again in other
// legs, only how far it is. Each event has the parts that are new; a stream that begins anew begins with `start`.
(() => {
  const { make, card, split, list } = Cards;
  const MAX_LINES = 300;
  const PILE = 9; // Cards of the pile that are shown.
  const byId = (id) => document.getElementById(id);
  let names, over = false;

  function back() {
    const element = make("li", "card back");
    element.setAttribute("aria-hidden", "true");
    return element;
  }

  function seatBox(table, seat) {
    const head = make("div", "seat-head", make("span", "who", names[seat].cloneNode(true)));
    if (table.dealer === seat) head.append(make("span", "chip", "dealer"));
    if (table.status[seat] === 0) head.append(make("span", "chip", "out"));
    if (table.status[seat] === 2) head.append(make("span", "chip", "left the deal"));
    head.append(make("span", "points", `score ${table.scores[seat]}`));
    const held = table.hands[seat];
    const hand = list("hand covered", `${held} cards, face down`, Array.from({ length: held }, back));
    const box = make("section", "seat", head, held ? hand : make("p", "none hand", "no cards in hand"));
    box.classList.toggle("turn", table.turn === seat);
    box.classList.toggle("gone", table.status[seat] === 0);
    box.dataset.seat = seat;
    const own = table.melds.filter((meld) => meld.seat === seat);
    if (own.length) box.append(make("div", "melds", ...own.map((meld) => list("meld", "Meld", split(meld.cards).map((one) => card(one))))));
    return box;
  }

  function middle(table) {
    const top = make("div", table.stock ? "card back" : "none", table.stock ? "" : "empty");
    const stock = make("div", "stock", make("h3", "", `Stock: ${table.stock}`), top);
    const pile = split(table.pile);
    const cards = pile.slice(-PILE).map((one) => card(one));
    if (pile.length > PILE) cards.unshift(make("li", "rest", `${pile.length - PILE} more,`));
    const label = `Discard pile: ${pile.length}`;
    const shown = cards.length ? list("pile", `${label}, the top card last`, cards) : make("p", "none", "empty");
    const wild = table.wild ? [make("div", "", make("h3", "", "Wild rank"), list("pile", "Cut for the wild rank", [card(table.wild)]))] : [];
    return make("div", "middle", stock, make("div", "", make("h3", "", label), shown), ...wild);
  }

  function draw(table) {
    byId("stage").hidden = false;
    const seats = table.hands.map((_, seat) => seatBox(table, seat));
    byId("felt").replaceChildren(seats[0], middle(table), ...seats.slice(1));
  }

  function note(lines) {
    const log = byId("log");
    const follows = log.scrollTop + log.clientHeight > log.scrollHeight - 40;
    log.append(...lines.map((line) => make("li", "line", make("bdi", "", line))));
    while (log.children.length > MAX_LINES) log.firstElementChild.remove();
    if (follows) log.scrollTop = log.scrollHeight;
  }

  function say(text) {
    byId("said").replaceChildren(make("bdi", "", text));
  }

  function begin(start) {
    byId("log").replaceChildren();
    byId("felt").replaceChildren();
    byId("stage").hidden = true;
    const delay = start.delay ? `, ${start.delay} seconds later` : "";
    say(start.open ? `The match is told as it happens${delay}.` : "The same deals come again in other legs: no card is shown before the last leg has ended.");
  }

  function tell(news) {
    if (news.start) begin(news.start);
    if (news.waits) say("This fixture is not in play at the moment.");
    if (news.progress) byId("progress").textContent = `legs done: ${news.progress.legs}, deals done: ${news.progress.deals}`;
    if (news.table) draw(news.table);
    if (news.said) { note(news.said); say(news.said.at(-1)); }
    if (news.results) { over = true; note(news.results); say(news.results.at(-1)); }
    if (news.void) say(`Given up here: ${news.void}`);
    if (news.broken) say(news.broken);
  }

  // The service has nothing more to tell: the fixture is done, or there are too many spectators.
  function end() {
    byId("watch").dataset.ended = "";
    if (!over) say("No more is told here; the page, loaded again, says where the fixture stands.");
    htmx.trigger(byId("live"), "refresh");
  }

  function start() {
    names = [...byId("seats").content.children].map((line) => line.firstElementChild);
    const source = new EventSource(byId("watch").dataset.watch);
    source.addEventListener("news", (event) => tell(JSON.parse(event.data)));
    source.addEventListener("error", () => { if (source.readyState === EventSource.CLOSED) end(); });
    window.addEventListener("pagehide", () => source.close());
  }

  document.addEventListener("DOMContentLoaded", start);
})();
